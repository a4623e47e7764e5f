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

Reading parsed(const std::string& name, Parser parser, std::string_view text) {
    Result<Value> value = parser(text);
    if (value) return std::move(*value);
    Gap gap = gap_from(std::move(value.error()));
    gap.reason = name + ": " + gap.reason;
    return tl::unexpected<Gap>(std::move(gap));
}

}  // namespace

void ShortText::remember(std::string_view text) {
    forget();
    if (text.size() > sizeof text_) return;
    size_ = static_cast<std::uint8_t>(text.size());
    text.copy(text_, sizeof text_);
}

void Lane::take(Task& task, std::string_view text) {
    if (task.answer.is(text)) return;
    task.failed = false;
    task.absent = false;
    task.changed = true;
    task.unparsed = 0;
    task.each_scalar([&](Scalar& use) {
        use.reading = parsed(task.name, use.parser, text);
        if (!use.reading) ++task.unparsed;
    });
    for (Multiple& use : task.multiples) use.decoder(text, use.facts);
    if (task.multiples.empty()) task.answer.remember(text);
}

void Lane::fail(Task& task, Gap gap) {
    if (task.failed && *task.failure == gap) return;
    task.failed = true;
    task.absent = gap.kind == GapClass::not_offered || gap.kind == GapClass::not_collected;
    task.changed = true;
    task.answer.forget();
    task.each_scalar([&](Scalar& use) { use.reading = tl::unexpected<Gap>(gap); });
    task.failure = std::make_unique<Gap>(std::move(gap));
}

void Lane::work() {
    // Reads of one source stand together: the clock is asked where one ends, not for each read.
    std::int64_t since = steady_ns();
    const auto charge = [&](Source source) {
        const std::int64_t now = steady_ns();
        expenses_[source].ns += now - since;
        since = now;
    };
    const Task* last = nullptr;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
        Task& task = tasks_[i];
        if (task.due) {
            if (last != nullptr && last->source != task.source) charge(last->source);
            last = &task;
            ++expenses_[task.source].reads;
            if (Result<> answer = task.handle->read(buffer_)) {
                take(task, buffer_.text());
            } else {
                fail(task, gap_from(std::move(answer.error())));
            }
        }
        done_.store(i + 1, std::memory_order_release);
    }
    if (last != nullptr) charge(last->source);
}

Task& Lane::task(const Host& host, const std::string& name, Source source, Seconds every) {
    const auto [place, added] = places_.try_emplace(name, tasks_.size());
    if (!added) {
        Task& task = tasks_[place->second];
        task.every = std::min(task.every, every);
        return task;
    }
    Task& task = tasks_.emplace_back();
    task.name = name;
    task.handle = host.open(name);
    task.source = source;
    task.every = every;
    if (expenses_.size() <= source) {
        expenses_.resize(source + 1u);
        late_ns_.resize(source + 1u);
    }
    return task;
}

void Lane::add(const Host& host, const std::string& name, Source source, Seconds every, Scalar use) {
    Task& one = task(host, name, source, every);
    if (one.scalar.parser == nullptr) {
        one.scalar = std::move(use);
    } else {
        one.further.push_back(std::move(use));
    }
}

void Lane::add(const Host& host, const std::string& name, Source source, Seconds every, Multiple use) {
    task(host, name, source, every).multiples.push_back(std::move(use));
}

std::chrono::nanoseconds Lane::period(const Task& task) const {
    return std::max<std::chrono::nanoseconds>(task.every,
                                              std::min<std::chrono::nanoseconds>(task.every * backoff_, kMostBackoff));
}

void Lane::pace(std::chrono::nanoseconds slow) {
    std::int64_t spent = 0;
    for (const Expense& expense : expenses_) spent += expense.ns;
    if (spent > slow.count()) {
        backoff_ = std::min(backoff_ * 2, kMostFactor);
    } else if (spent < slow.count() / 2) {
        backoff_ = std::max(backoff_ / 2, 1);
    }
}

bool Lane::prepare(std::int64_t now_ns, bool all) {
    done_.store(0, std::memory_order_relaxed);
    std::fill(expenses_.begin(), expenses_.end(), Expense{});
    std::fill(late_ns_.begin(), late_ns_.end(), 0);
    bool any = false;
    const std::int64_t ask_again = (all ? kAskAgainForAll : kAskAgain).count();
    for (Task& task : tasks_) {
        const std::int64_t age = now_ns - task.last_ns;
        task.due =
            !task.read_before || (task.absent ? age >= ask_again : all || age >= (period(task) - kEarly).count());
        if (!task.due) continue;
        any = true;
        if (task.read_before && !task.absent) {
            std::int64_t& late = late_ns_[task.source];
            late = std::max(late, age - period(task).count());
        }
        task.read_before = true;
        task.last_ns = now_ns;
        for (Multiple& use : task.multiples) use.facts.puts().clear();
    }
    return any;
}

}  // namespace rd
