// SPDX-License-Identifier: GPL-2.0-or-later
// The tables, and the way from each older form of them to this one.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>

#include "core/store/axis.h"
#include "core/store/sqlite.h"

namespace rd::store {

// "RDMA" in the header of the file: whose it is. sqlite's `file` magic.
inline constexpr std::int64_t kApplication = 0x52444d41;

// migrations()[n] makes form n + 1 of the tables out of form n, the first out of nothing.
[[nodiscard]] std::span<const std::string_view> migrations();

// Makes the tables of a new file, brings an older one up to date (each step in its own transaction, so that a kill leaves one version
// or the next), and refuses what is foreign or newer with bad_input.
[[nodiscard]] Result<> prepare_schema(Database& database, std::span<const std::string_view> steps = migrations());

// How far the wall clock was ahead of the axis, from when on.
[[nodiscard]] Result<std::map<Millis, Millis>> read_clock(const Database& database);

}  // namespace rd::store
