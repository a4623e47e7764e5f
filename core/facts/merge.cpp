// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/merge.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace rd {
namespace {

// How many tasks before its turn one is brought into the cache: the kernel has used the cache since it was last looked at.
constexpr std::size_t kAhead = 4;

}  // namespace

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
void Merge::unanswered(Task& task, Uses& uses) {
    const Gap gap{GapClass::timed_out, fmt::format("{}: no answer within {}", uses.name, print_duration(deadline_)),
                  "a read that hangs means that the driver or its firmware does not answer: look at the kernel log"};
    if (task.scalar) out_.gap(task.slot, gap);
    for (const Scalar& use : uses.further) out_.gap(use.slot, gap);
    for (Multiple& use : uses.multiples) uncovered(use, gap);
    task.read_before = false;
}

void Merge::answered(Task& task, Uses& uses) {
    if (task.changed) {
        task.version = 0;
        for (Scalar& use : uses.further) use.version = 0;
        task.changed = false;
    }
    if (task.scalar) out_.again(task.slot, uses.reading, task.version);
    failed_ += task.failed ? 1u : task.unparsed;
    if (task.more) answered_more(task, uses);
}

void Merge::answered_more(const Task& task, Uses& uses) {
    for (Scalar& use : uses.further) out_.again(use.slot, use.reading, use.version);
    for (Multiple& use : uses.multiples) {
        if (task.failed) {
            uncovered(use, *uses.failure);
            continue;
        }
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
void Merge::carried(const Task& task, Uses& uses) {
    if (task.scalar) out_.carry(task.slot, *previous_);
    if (!task.more) return;
    for (const Scalar& use : uses.further) out_.carry(use.slot, *previous_);
    for (Multiple& use : uses.multiples) {
        for (const Facts::Put& put : use.facts.puts()) out_.present(put.entity);
        for (const FactPlace& place : use.covers) out_.present(place.entity);
        for (const SlotIndex slot : use.wrote) out_.carry(slot, *previous_);
    }
}

void Merge::lane(Lane& lane, std::size_t done) {
    for (const Share& share : lane.shares()) {
        Outcome& whole = outcome(share.source);
        whole.late_ns = std::max(whole.late_ns, share.late_ns);
    }
    for (std::size_t i = 0; i < lane.tasks().size(); ++i) {
        Task& task = lane.tasks()[i];
        Uses& uses = lane.uses()[i];
        if (i + kAhead < lane.tasks().size()) __builtin_prefetch(&lane.tasks()[i + kAhead]);
        if (!task.due) {  // so it has been read before
            carried(task, uses);
            continue;
        }
        ++reads_;
        Outcome& whole = outcomes_[lane.shares()[task.share].source];
        ++whole.asked;
        if (i < done) {
            answered(task, uses);
            whole.failed += task.failed ? std::int64_t{!task.absent} : std::int64_t{task.unparsed};
        } else {
            ++failed_;
            ++whole.failed;
            unanswered(task, uses);
        }
    }
}

void Merge::late_lane(Lane& lane) {
    for (std::size_t i = 0; i < lane.tasks().size(); ++i) {
        Task& task = lane.tasks()[i];
        Outcome& whole = outcome(lane.shares()[task.share].source);
        ++whole.asked;
        ++whole.failed;
        const std::int64_t due_ns = task.last_ns + std::chrono::nanoseconds(Seconds{task.every_s}).count();
        whole.late_ns = std::max(whole.late_ns, out_.stamp().boot_ns - due_ns);
        unanswered(task, lane.uses()[i]);
    }
}

}  // namespace rd
