// SPDX-License-Identifier: GPL-2.0-or-later
// The prepared reads that ask one device (or one part of the kernel), done one after the other. Private to the sweep.
//
// Threads: a lane belongs to the sweep's thread, except while it runs as a job; then only `done()` may be looked at. Answers below
// `done()` have been published and may be taken even while a later read of the lane is stuck.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/facts/collector.h"
#include "core/facts/workers.h"

namespace rd {

// The place of a fact in the snapshot.
struct Place {
    EntityIndex entity;
    SlotIndex slot;
};

// What is made of one answer.
struct Consumer {
    const Collector* collector = nullptr;
    SlotIndex slot = 0;  // with `parser`
    Parser parser = nullptr;
    Reading reading;            // the parser's result
    std::vector<Place> covers;  // with `decoder`: what becomes a gap when there is no answer
    Decoder decoder;
    Facts facts;  // the decoder's result
};

struct Task {
    std::string name;
    std::unique_ptr<Handle> handle;
    Seconds every{1};
    std::int64_t last_ns = 0;  // boot time of the last read
    bool due = true;
    bool read_before = false;
    std::optional<Gap> failure;  // of the last read
    std::vector<Consumer> consumers;
};

class Lane final : public Job {
public:
    explicit Lane(std::string name) : name_(std::move(name)) {}

    void work() override;

    // Makes a place for one more use of the answer to `name`; the handle is opened by the first.
    Consumer& add(const Host& host, const std::string& name, Seconds every);
    // Chooses what is due; false when nothing is.
    bool prepare(std::int64_t now_ns, bool all);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::vector<Task>& tasks() { return tasks_; }
    [[nodiscard]] std::size_t done() const { return done_.load(std::memory_order_acquire); }

private:
    std::string name_;
    std::vector<Task> tasks_;
    Buffer buffer_;
    std::atomic<std::size_t> done_{0};
};

}  // namespace rd
