// SPDX-License-Identifier: GPL-2.0-or-later
// From what the lanes read to the snapshot of a sweep. Private to the sweep, whose thread it runs on.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "core/facts/lane.h"
#include "core/facts/snapshot.h"

namespace rd {

class Merge {
public:
    // `previous`: of the sweep before, nullptr for the first. Both must outlive the merge.
    Merge(Snapshot& out, const Snapshot* previous, std::chrono::nanoseconds deadline)
        : out_(out), previous_(previous), deadline_(deadline) {}

    // A lane that has run in this sweep, or had nothing to do; what it has not answered by now is a gap.
    void lane(Lane& lane, std::size_t done);
    // A lane that has not come back from an earlier sweep.
    void late_lane(Lane& lane);

    [[nodiscard]] std::size_t reads() const { return reads_; }
    [[nodiscard]] std::size_t failed() const { return failed_; }
    // How it went with one source, over the lanes merged so far.
    struct Outcome {
        std::int64_t asked = 0;    // answers that were due, or still are
        std::int64_t failed = 0;   // of those; what the kernel or the source does not have is no failure
        std::int64_t late_ns = 0;  // the most that one came after its time, or is over it now
    };
    [[nodiscard]] const std::vector<Outcome>& outcomes() const { return outcomes_; }

private:
    Outcome& outcome(Source source);
    void answered(Task& task, Uses& uses);
    void answered_more(const Task& task, Uses& uses);
    void carried(const Task& task, Uses& uses);
    void unanswered(Task& task, Uses& uses);
    void uncovered(Multiple& use, const Gap& gap);

    Snapshot& out_;
    const Snapshot* previous_;
    std::chrono::nanoseconds deadline_;
    std::size_t reads_ = 0, failed_ = 0;
    std::vector<Outcome> outcomes_;
};

}  // namespace rd
