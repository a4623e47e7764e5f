// SPDX-License-Identifier: GPL-2.0-or-later
// The eight priorities of an interface, where several collectors put facts on.
#pragma once

#include <vector>

#include "collectors/common/identity.h"
#include "core/facts/value.h"
#include "core/host/host.h"

namespace rd::collectors {

inline constexpr int kPriorities = 8;

// Eight, or none where neither DCB nor the vendor's driver package knows priorities.
[[nodiscard]] std::vector<Entity> priorities_of(const Host& host, const Netdev& netdev);

}  // namespace rd::collectors
