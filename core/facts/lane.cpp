// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/lane.h"

#include <algorithm>

namespace rd {
namespace {

void consume(const Task& task, Consumer& use, std::string_view text) {
    if (use.parser == nullptr) {
        use.decoder(text, use.facts);
        return;
    }
    Result<Value> value = use.parser(text);
    if (value) {
        use.reading = std::move(*value);
    } else {
        Gap gap = gap_from(value.error());
        gap.reason = task.name + ": " + gap.reason;
        use.reading = tl::unexpected<Gap>(std::move(gap));
    }
}

}  // namespace

void Lane::work() {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
        Task& task = tasks_[i];
        if (task.due) {
            if (const Result<> answer = task.handle->read(buffer_)) {
                task.failure.reset();
                for (Consumer& use : task.consumers) consume(task, use, buffer_.text());
            } else {
                task.failure = gap_from(answer.error());
            }
        }
        done_.store(i + 1, std::memory_order_release);
    }
}

Consumer& Lane::add(const Host& host, const std::string& name, Seconds every) {
    for (Task& task : tasks_) {
        if (task.name == name) {
            task.every = std::min(task.every, every);
            return task.consumers.emplace_back();
        }
    }
    Task& task = tasks_.emplace_back();
    task.name = name;
    task.handle = host.open(name);
    task.every = every;
    return task.consumers.emplace_back();
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
        for (Consumer& use : task.consumers) use.facts.puts().clear();
    }
    return any;
}

}  // namespace rd
