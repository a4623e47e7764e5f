// SPDX-License-Identifier: GPL-2.0-or-later
// Room daemon: rdmadoctord. It looks at the host once a second, judges, keeps what was seen, and tells who wants to know. It changes
// nothing on the host and links no knob's writer into anything it calls.
//
// Two threads. The *recorder* sweeps, judges and writes the store. The *loop* (sd-event) waits for everything else: events of the
// kernel, signals, timers. They meet in the recorder's inbox and in frames; the API's threads take frames too, and meet the loop at the
// desk of its alerts (alert_desk.h).
//
// A frame is one look at everything, copied so that another thread may read it: made when somebody asks, at most once a sweep.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnosis/report.h"
#include "core/facts/catalog.h"
#include "core/host/host.h"

namespace rd::daemon {

struct FrameFact {
    Entity entity;
    const FactSpec* spec = nullptr;
    std::string name;  // the spec's, or a member of its family
    Reading reading;
    std::int64_t at_ns = 0;  // wall clock of the sweep that read it
};

struct FrameEntity {
    Entity entity;
    std::string label;  // what people call it: "mlx5_0"
};

// How the recorder itself is doing.
struct Health {
    std::uint64_t sweeps = 0, late_sweeps = 0;  // late: begun more than half an interval after their time
    std::int64_t last_sweep_ns = 0;             // duration
    std::uint64_t events = 0;                   // taken in, folded ones counted
    std::int64_t store_bytes = 0;
    std::string store_trouble;  // why nothing is kept at present; empty when all is well
    std::string store_path;
    std::int64_t started_ns = 0;  // wall clock
};

struct Frame {
    Stamp at;
    HostIdentity host;
    std::vector<FrameEntity> entities;  // present ones, by kind, then id
    std::vector<FrameFact> facts;       // of those, in their order, then by name
    // Kinds of which it is not known which there are: that none are listed above means nothing.
    std::vector<std::pair<Kind, Gap>> not_enumerated;
    Report report;
    Health health;
};

// Hands out frames. `take` is called on the recorder's thread, soon (within a sweep); it must not block.
class FrameSource {
public:
    virtual ~FrameSource() = default;
    virtual void request(std::function<void(std::shared_ptr<const Frame>)> take) = 0;
};

}  // namespace rd::daemon
