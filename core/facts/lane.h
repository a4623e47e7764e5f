// SPDX-License-Identifier: GPL-2.0-or-later
// The prepared reads that ask one device (or one part of the kernel), done one after the other. Private to the sweep.
//
// Threads: a lane belongs to the sweep's thread, except while it runs as a job; then only `done()` may be looked at. Answers below
// `done()` have been published and may be taken even while a later read of the lane is stuck.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/facts/collector.h"
#include "core/facts/workers.h"

namespace rd {

// The place of a fact in the snapshot.
struct FactPlace {
    EntityIndex entity;
    SlotIndex slot;
};

// A collector, by its place among those of the sweep.
using Source = std::uint16_t;

// What one source cost in one run of a lane.
struct Expense {
    std::int64_t reads = 0;
    std::int64_t ns = 0;
};

// A source that asks in a lane.
struct Share {
    Source source;
    Expense expense = {};      // of the last run. Not while it runs
    std::int64_t late_ns = 0;  // how long after their time those of its reads come that were chosen last
};

// One value from the whole answer.
struct Scalar {
    SlotIndex slot = 0;
    Parser parser = nullptr;
    Version version = 0;  // of `reading` in the snapshots
    Reading reading;      // what the parser made of it, or why there was no answer
};

// Many facts from one answer.
struct Multiple {
    const Collector* collector = nullptr;
    std::vector<FactPlace> covers;  // what becomes a gap when there is no answer
    Decoder decoder;
    Facts facts;                   // what the decoder made of it
    std::vector<SlotIndex> wrote;  // in the snapshot of the last read
};

// A short text, to see whether an answer is the one before: then it needs no parsing and its reading no copying.
class ShortText {
public:
    [[nodiscard]] bool is(std::string_view text) const {
        return size_ != kNone && text == std::string_view(text_, size_);
    }
    void remember(std::string_view text);
    void forget() { size_ = kNone; }

private:
    static constexpr std::uint8_t kNone = 255;
    std::uint8_t size_ = kNone;
    char text_[23];
};

// One prepared read, and how it went last. Nearly all are one file with one value, and most give the same as before: what these need
// fills one cache line, because a sweep walks over a thousand of them and the kernel wants the rest of the cache.
struct alignas(64) Task {
    std::unique_ptr<Handle> handle;
    ShortText answer;          // the last one; none after a failure, with decoders, and for long ones
    std::int64_t last_ns = 0;  // boot time of the last read
    Version version = 0;       // of the first use's reading in the snapshots
    SlotIndex slot = 0;        // of the first use; with `scalar` only
    std::uint32_t every_s = 1;
    std::uint16_t share = 0;     // of the lane: who asked first
    std::uint16_t unparsed = 0;  // readings of the last answer that did not parse
    // Three bytes, for three owners: bits of one byte cannot be written by two threads. Not written while the lane runs:
    bool scalar : 1 = false;  // the first use is one value
    bool more : 1 = false;    // there are other uses
    bool due : 1 = true;
    // Of the sweep's thread, also while the lane runs:
    bool read_before = false;
    // Of the thread that runs the lane:
    bool failed : 1 = false;   // the last read
    bool absent : 1 = false;   // it failed because the kernel or the source does not have it
    bool changed : 1 = false;  // since the last merge
};
static_assert(sizeof(Task) == 64);

// What is made of the answer of a task, and what is needed only when it has changed.
struct Uses {
    std::string name;  // of the read
    Parser parser = nullptr;
    Reading reading;  // of the first use: what the parser made of the answer, or why there was none
    std::vector<Scalar> further;
    std::vector<Multiple> multiples;
    std::unique_ptr<Gap> failure;  // of the last read, when it failed
};

class Lane final : public Job {
public:
    explicit Lane(std::string name) : name_(std::move(name)) {}

    void work() override;

    // One more use of the answer to `name`; the handle is opened by the first.
    void add(const Host& host, const std::string& name, Source source, Seconds every, SlotIndex slot, Parser parser);
    void add(const Host& host, const std::string& name, Source source, Seconds every, Multiple use);
    // Chooses what is due; false when nothing is. `all`: whatever its cadence, but not what was found absent a moment ago.
    bool prepare(std::int64_t now_ns, bool all);
    // After it has run: a device that answers slowly is read less often from now on, one that answers well again as before.
    void pace(std::chrono::nanoseconds slow);
    void keep_pace_of(const Lane& before) { backoff_ = before.backoff_; }

    // Marks the entities that it writes about whether they are there or not. Also while it runs.
    void mark_places(const Layout& layout, std::vector<bool>& entities) const;

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::vector<Task>& tasks() { return tasks_; }
    [[nodiscard]] std::vector<Uses>& uses() { return uses_; }  // one a task
    [[nodiscard]] std::size_t done() const { return done_.load(std::memory_order_acquire); }
    // One for each source that asks here.
    [[nodiscard]] const std::vector<Share>& shares() const { return shares_; }
    // How many times as long as asked for it waits between reads; never beyond a minute because of it.
    [[nodiscard]] int backoff() const { return backoff_; }

private:
    // The place of the read of that name.
    std::size_t place(const Host& host, const std::string& name, Source source, Seconds every);
    [[nodiscard]] std::chrono::nanoseconds period(const Task& task) const;
    static void take(Task& task, Uses& uses, std::string_view text);
    static void fail(Task& task, Uses& uses, Gap gap);

    std::string name_;
    std::vector<Task> tasks_;
    std::vector<Uses> uses_;
    std::unordered_map<std::string, std::size_t> places_;  // by name, in `tasks_`
    Buffer buffer_;
    std::vector<Share> shares_;
    int backoff_ = 1;
    std::atomic<std::size_t> done_{0};
};

using Lanes = std::map<std::string, std::shared_ptr<Lane>>;  // by name

}  // namespace rd
