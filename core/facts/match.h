// SPDX-License-Identifier: GPL-2.0-or-later
// Which entity of one host answers to which of another: hosts that should be alike (twins), or one host at several times.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/facts/snapshot.h"

namespace rd {

enum class Likeness : std::uint8_t {
    twins,       // hosts that should be alike: adapters go together by PCI address, else by model and order
    recordings,  // one host at several times: what it is called inside does not change
};

struct Matched {
    Kind kind = Kind::host;
    std::vector<std::optional<Entity>> on;  // each host, in the order they were given; none: it is not there
};

// Processes, processors and interrupts are no two times the same.
[[nodiscard]] bool is_matched(Kind kind);

// Of the kinds that RDMA depends on, and only what it runs over: no interface of a container, no other adapter.
// In order of kind, then of the first host's entities.
[[nodiscard]] std::vector<Matched> match(std::span<const Snapshot* const> hosts, Likeness likeness);

}  // namespace rd
