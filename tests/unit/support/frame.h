// SPDX-License-Identifier: GPL-2.0-or-later
// A frame of a snapshot, as the recorder would make it.
#pragma once

#include "core/facts/snapshot.h"
#include "daemon/frame.h"

namespace rd::daemon {

inline Frame frame_of(const Snapshot& snapshot, const HostIdentity& host) {
    Frame frame;
    frame.at = snapshot.stamp();
    frame.host = host;
    frame.report.host = host;
    const Layout& layout = snapshot.layout();
    for (int i = 0; i < kKindCount; ++i) {
        const Kind kind = static_cast<Kind>(i);
        if (const Gap* gap = snapshot.kind_gap(kind)) frame.not_enumerated.emplace_back(kind, *gap);
        for (const Entity& entity : snapshot.entities(kind)) {
            frame.entities.push_back({entity, snapshot.label(entity)});
            const auto index = layout.find(entity);
            if (!index) continue;
            for (const SlotIndex slot : layout.slots_of(*index)) {
                const Reading* reading = snapshot.at(slot);
                if (reading == nullptr) continue;
                const Layout::Slot& of = layout.slot(slot);
                frame.facts.push_back({entity, of.spec, std::string(of.name), *reading, snapshot.stamp().wall_ns});
            }
        }
    }
    return frame;
}

}  // namespace rd::daemon
