// SPDX-License-Identifier: GPL-2.0-or-later
// The prepared reads that ask one device (or one part of the kernel), done one after the other. Private to the sweep.
//
// Threads: a lane belongs to the sweep's thread, except while it runs as a job; then only `done()` may be looked at. Answers below
// `done()` have been published and may be taken even while a later read of the lane is stuck.
#pragma once

#include <atomic>
#include <memory>
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

// One value from the whole answer.
struct Scalar {
    Parser parser = nullptr;
    SlotIndex slot = 0;
    Reading reading;  // what the parser made of it
};

// Many facts from one answer.
struct Multiple {
    const Collector* collector = nullptr;
    std::vector<Place> covers;  // what becomes a gap when there is no answer
    Decoder decoder;
    Facts facts;  // what the decoder made of it
};

// One read and what is made of its answer. Nearly all are one file with one value: what these need comes first, because a sweep
// walks over a thousand of them.
struct Task {
    std::unique_ptr<Handle> handle;
    Scalar scalar;  // without a parser: none
    bool due = true;
    bool read_before = false;
    std::unique_ptr<Gap> failure;  // of the last read
    std::int64_t last_ns = 0;      // boot time of the last read
    Seconds every{1};
    std::string name;
    std::vector<Scalar> further;
    std::vector<Multiple> multiples;

    template <class Use>
    void each_scalar(Use use) {
        if (scalar.parser != nullptr) use(scalar);
        for (Scalar& one : further) use(one);
    }
};

class Lane final : public Job {
public:
    explicit Lane(std::string name) : name_(std::move(name)) {}

    void work() override;

    // One more use of the answer to `name`; the handle is opened by the first.
    void add(const Host& host, const std::string& name, Seconds every, Scalar use);
    void add(const Host& host, const std::string& name, Seconds every, Multiple use);
    // Chooses what is due; false when nothing is.
    bool prepare(std::int64_t now_ns, bool all);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::vector<Task>& tasks() { return tasks_; }
    [[nodiscard]] std::size_t done() const { return done_.load(std::memory_order_acquire); }

private:
    Task& task(const Host& host, const std::string& name, Seconds every);

    std::string name_;
    std::vector<Task> tasks_;
    Buffer buffer_;
    std::atomic<std::size_t> done_{0};
};

}  // namespace rd
