// SPDX-License-Identifier: GPL-2.0-or-later
// A disk that runs full, or dies, at a write that the test chooses: sqlite's own file layer with a counter in front of it. What was
// written before stays, as on a disk. It does not wait for the disk to have it: what a power cut leaves is for the lab.
#pragma once

#include <cstdint>

namespace rd::store {

class FailingDisk {
public:
    FailingDisk();  // every database opened while it lives is on it
    ~FailingDisk();
    FailingDisk(const FailingDisk&) = delete;
    FailingDisk& operator=(const FailingDisk&) = delete;

    void fail_after(std::int64_t writes);  // so many still succeed
    void fill();                           // no file grows any more; what it has can be written over
    void kill_after(std::int64_t writes);  // the process, when it writes or syncs after so many
    void make_room();
    [[nodiscard]] std::int64_t writes() const;  // since the beginning
};

}  // namespace rd::store
