// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/merge.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace rd {

void put_again(SlotIndex slot, const Reading& reading, Version& version, Snapshot& out) {
    if (version == 0) {
        version = out.set(slot, reading);
    } else {
        out.again(slot, reading, version);
    }
}

Merge::Outcome& Merge::outcome(Source source) {
    if (outcomes_.size() <= source) outcomes_.resize(source + 1u);
    return outcomes_[source];
}

void Merge::uncovered(Multiple& use, const Gap& gap) {
    use.wrote.clear();
    for (const FactPlace& place : use.covers) {
        out_.present(place.entity);
        out_.gap(place.slot, gap);
        use.wrote.push_back(place.slot);
    }
}

// Asked again as soon as the device answers, however rarely it is read.
void Merge::unanswered(Task& task) {
    const Gap gap{GapClass::timed_out, fmt::format("{}: no answer within {}", task.name, print_duration(deadline_)),
                  "a read that hangs means that the driver or its firmware does not answer: look at the kernel log"};
    task.each_scalar([&](const Scalar& use) { out_.gap(use.slot, gap); });
    for (Multiple& use : task.multiples) uncovered(use, gap);
    task.read_before = false;
}

void Merge::answered(Task& task) {
    if (task.changed) task.each_scalar([](Scalar& use) { use.version = 0; });
    task.changed = false;
    task.each_scalar([&](Scalar& use) { put_again(use.slot, use.reading, use.version, out_); });
    if (task.failed) {
        ++failed_;
        for (Multiple& use : task.multiples) uncovered(use, *task.failure);
        return;
    }
    failed_ += task.unparsed;
    for (Multiple& use : task.multiples) {
        use.wrote.clear();
        for (Facts::Put& put : use.facts.puts()) {
            const std::span<const FactSpec> own = use.collector->facts;
            const bool declared = put.spec == nullptr || (put.spec >= own.data() && put.spec < own.data() + own.size());
            if (!declared) continue;  // a collector may put what it declares and nothing else
            Layout& layout = *out_.shared_layout();
            const EntityIndex entity = layout.add(put.entity);
            out_.present(entity);
            if (put.spec == nullptr) continue;
            use.wrote.push_back(layout.add(entity, *put.spec, put.name));
            out_.set(use.wrote.back(), std::move(put.reading));
        }
    }
}

// What it saw last time is still there.
void Merge::carried(Task& task) {
    task.each_scalar([&](const Scalar& use) { out_.carry(use.slot, *previous_); });
    for (Multiple& use : task.multiples) {
        for (const Facts::Put& put : use.facts.puts()) out_.present(put.entity);
        for (const FactPlace& place : use.covers) out_.present(place.entity);
        for (const SlotIndex slot : use.wrote) out_.carry(slot, *previous_);
    }
}

void Merge::lane(Lane& lane, std::size_t done) {
    std::size_t index = 0;
    for (std::size_t i = 0; i < lane.lateness().size(); ++i) {
        Outcome& whole = outcome(static_cast<Source>(i));
        whole.late_ns = std::max(whole.late_ns, lane.lateness()[i]);
    }
    for (Task& task : lane.tasks()) {
        const bool came_back = index++ < done;
        if (!task.due) {  // so it has been read before
            carried(task);
            continue;
        }
        ++reads_;
        Outcome& whole = outcome(task.source);
        ++whole.asked;
        if (came_back) {
            answered(task);
            whole.failed += task.failed ? std::int64_t{!task.absent} : std::int64_t{task.unparsed};
        } else {
            ++failed_;
            ++whole.failed;
            unanswered(task);
        }
    }
}

void Merge::late_lane(Lane& lane) {
    for (Task& task : lane.tasks()) {
        Outcome& whole = outcome(task.source);
        ++whole.asked;
        ++whole.failed;
        const std::int64_t due_ns = task.last_ns + std::chrono::nanoseconds(task.every).count();
        whole.late_ns = std::max(whole.late_ns, out_.stamp().boot_ns - due_ns);
        unanswered(task);
    }
}

}  // namespace rd
