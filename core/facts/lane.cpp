// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/lane.h"

#include <algorithm>

#include "core/host/clock.h"

namespace rd {
namespace {

constexpr int kMostFactor = 64;
constexpr std::chrono::minutes kMostBackoff{1};
// What the kernel or the source does not have is asked for this rarely: most of it never comes, and looking for a file that is not there
// costs more than reading one that is. Whoever wants all, because something has happened, gets it sooner.
// A sweep a second is a little early now and then: what is due then must not wait for the next one, or a third of the seconds is missed.
constexpr std::chrono::nanoseconds kEarly = std::chrono::milliseconds(100);
constexpr std::chrono::nanoseconds kAskAgain = std::chrono::seconds(60), kAskAgainForAll = std::chrono::seconds(10);

// False: there is no such value in the text.
bool parse(const std::string& name, Parser parser, std::string_view text, Reading& into) {
    Result<Value> value = parser(text);
    if (value) {
        assign(into, std::move(*value));
        return true;
    }
    Gap gap = gap_from(std::move(value.error()));
    gap.reason = name + ": " + gap.reason;
    into = tl::unexpected<Gap>(std::move(gap));
    return false;
}

}  // namespace

void ShortText::remember(std::string_view text) {
    forget();
    if (text.size() > sizeof text_) return;
    size_ = static_cast<std::uint8_t>(text.size());
    text.copy(text_, sizeof text_);
}

void Lane::take(Task& task, Uses& uses, std::string_view text) {
    task.failed = false;
    task.absent = false;
    task.changed = true;
    task.unparsed = 0;
    if (task.scalar && !parse(uses.name, uses.parser, text, uses.reading)) ++task.unparsed;
    for (Scalar& use : uses.further) {
        if (!parse(uses.name, use.parser, text, use.reading)) ++task.unparsed;
    }
    for (Multiple& use : uses.multiples) {
        use.facts.puts().clear();
        use.decoder(text, use.facts);
    }
    if (uses.multiples.empty()) task.answer.remember(text);
}

void Lane::fail(Task& task, Uses& uses, Gap gap) {
    if (task.failed && *uses.failure == gap) return;
    task.failed = true;
    task.absent = gap.kind == GapClass::not_offered || gap.kind == GapClass::not_collected;
    task.changed = true;
    task.answer.forget();
    if (task.scalar) uses.reading = tl::unexpected<Gap>(gap);
    for (Scalar& use : uses.further) use.reading = tl::unexpected<Gap>(gap);
    for (Multiple& use : uses.multiples) use.facts.puts().clear();
    uses.failure = std::make_unique<Gap>(std::move(gap));
}

void Lane::work() {
    // Reads of one source stand together: the clock is asked where one ends, not for each read.
    std::int64_t since = steady_ns();
    const auto charge = [&](std::uint16_t share) {
        const std::int64_t now = steady_ns();
        shares_[share].expense.ns += now - since;
        since = now;
    };
    const Task* last = nullptr;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
        Task& task = tasks_[i];
        if (i + 1 < tasks_.size()) __builtin_prefetch(tasks_[i + 1].handle.get());  // it comes while the kernel answers
        if (task.due) {
            if (last != nullptr && last->share != task.share) charge(last->share);
            last = &task;
            ++shares_[task.share].expense.reads;
            if (Result<> answer = task.handle->read(buffer_); !answer) {
                fail(task, uses_[i], gap_from(std::move(answer.error())));
            } else if (!task.answer.is(buffer_.text())) {
                take(task, uses_[i], buffer_.text());
            }
        }
        done_.store(i + 1, std::memory_order_release);
    }
    if (last != nullptr) charge(last->share);
}

std::size_t Lane::place(const Host& host, const std::string& name, Source source, Seconds every) {
    const auto every_s = static_cast<std::uint32_t>(every.count());
    const auto [known, added] = places_.try_emplace(name, tasks_.size());
    if (!added) {
        Task& task = tasks_[known->second];
        task.every_s = std::min(task.every_s, every_s);
        return known->second;
    }
    Task& task = tasks_.emplace_back();
    uses_.emplace_back().name = name;
    task.handle = host.open(name);
    task.every_s = every_s;
    const auto is_its = [source](const Share& share) { return share.source == source; };
    const auto share = std::find_if(shares_.begin(), shares_.end(), is_its);
    task.share = static_cast<std::uint16_t>(share - shares_.begin());
    if (share == shares_.end()) shares_.push_back({source});
    return known->second;
}

void Lane::add(const Host& host, const std::string& name, Source source, Seconds every, SlotIndex slot, Parser parser) {
    const std::size_t at = place(host, name, source, every);
    if (tasks_[at].scalar) {
        uses_[at].further.push_back({slot, parser, 0, {}});
        tasks_[at].more = true;
        return;
    }
    tasks_[at].scalar = true;
    tasks_[at].slot = slot;
    uses_[at].parser = parser;
}

void Lane::add(const Host& host, const std::string& name, Source source, Seconds every, Multiple use) {
    const std::size_t at = place(host, name, source, every);
    uses_[at].multiples.push_back(std::move(use));
    tasks_[at].more = true;
}

void Lane::mark_places(const Layout& layout, std::vector<bool>& entities) const {
    const auto mark = [&](SlotIndex slot) { entities[layout.slot(slot).entity] = true; };
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
        if (tasks_[i].scalar) mark(tasks_[i].slot);
        for (const Scalar& use : uses_[i].further) mark(use.slot);
        for (const Multiple& use : uses_[i].multiples) {
            for (const FactPlace& place : use.covers) entities[place.entity] = true;
            for (const SlotIndex slot : use.wrote) mark(slot);
        }
    }
}

std::chrono::nanoseconds Lane::period(const Task& task) const {
    const Seconds every{task.every_s};
    return std::max<std::chrono::nanoseconds>(every,
                                              std::min<std::chrono::nanoseconds>(every * backoff_, kMostBackoff));
}

void Lane::pace(std::chrono::nanoseconds slow) {
    std::int64_t spent = 0;
    for (const Share& share : shares_) spent += share.expense.ns;
    if (spent > slow.count()) {
        backoff_ = std::min(backoff_ * 2, kMostFactor);
    } else if (spent < slow.count() / 2) {
        backoff_ = std::max(backoff_ / 2, 1);
    }
}

bool Lane::prepare(std::int64_t now_ns, bool all) {
    done_.store(0, std::memory_order_relaxed);
    for (Share& share : shares_) share = {share.source};
    bool any = false;
    const std::int64_t ask_again = (all ? kAskAgainForAll : kAskAgain).count();
    for (Task& task : tasks_) {
        const std::int64_t age = now_ns - task.last_ns;
        task.due =
            !task.read_before || (task.absent ? age >= ask_again : all || age >= (period(task) - kEarly).count());
        if (!task.due) continue;
        any = true;
        if (task.read_before && !task.absent) {
            std::int64_t& late = shares_[task.share].late_ns;
            late = std::max(late, age - period(task).count());
        }
        task.read_before = true;
        task.last_ns = now_ns;
    }
    return any;
}

}  // namespace rd
