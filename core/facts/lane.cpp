// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/lane.h"

#include <algorithm>

namespace rd {
namespace {

void consume(const std::string& name, Scalar& use, std::string_view text) {
    Result<Value> value = use.parser(text);
    if (value) {
        use.reading = std::move(*value);
    } else {
        Gap gap = gap_from(value.error());
        gap.reason = name + ": " + gap.reason;
        use.reading = tl::unexpected<Gap>(std::move(gap));
    }
}

}  // namespace

void Lane::work() {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
        Task& task = tasks_[i];
        if (task.due) {
            if (Result<> answer = task.handle->read(buffer_)) {
                const std::string_view text = buffer_.text();
                task.failure.reset();
                task.each_scalar([&](Scalar& use) { consume(task.name, use, text); });
                for (Multiple& use : task.multiples) use.decoder(text, use.facts);
            } else {
                task.failure = std::make_unique<Gap>(gap_from(std::move(answer.error())));
            }
        }
        done_.store(i + 1, std::memory_order_release);
    }
}

Task& Lane::task(const Host& host, const std::string& name, Seconds every) {
    for (Task& task : tasks_) {
        if (task.name == name) {
            task.every = std::min(task.every, every);
            return task;
        }
    }
    Task& task = tasks_.emplace_back();
    task.name = name;
    task.handle = host.open(name);
    task.every = every;
    return task;
}

void Lane::add(const Host& host, const std::string& name, Seconds every, Scalar use) {
    Task& one = task(host, name, every);
    if (one.scalar.parser == nullptr) {
        one.scalar = std::move(use);
    } else {
        one.further.push_back(std::move(use));
    }
}

void Lane::add(const Host& host, const std::string& name, Seconds every, Multiple use) {
    task(host, name, every).multiples.push_back(std::move(use));
}

bool Lane::prepare(std::int64_t now_ns, bool all) {
    done_.store(0, std::memory_order_relaxed);
    bool any = false;
    for (Task& task : tasks_) {
        task.due = all || !task.read_before || now_ns - task.last_ns >= std::chrono::nanoseconds(task.every).count();
        if (!task.due) continue;
        any = true;
        task.read_before = true;
        task.last_ns = now_ns;
        for (Multiple& use : task.multiples) use.facts.puts().clear();
    }
    return any;
}

}  // namespace rd
