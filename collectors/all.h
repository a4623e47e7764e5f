// SPDX-License-Identifier: GPL-2.0-or-later
// Room collectors: one file a subject; each reads through `const Host&` and puts facts. No collector knows another, a rule, a
// store or a screen. The lists are generated from the file names (cmake/rooms.cmake).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/facts/collector.h"

namespace rd::collectors {

[[nodiscard]] std::span<const Collector* const> all();
[[nodiscard]] std::span<const Derivation* const> derivations();

// The catalogue of everything: collectors, derivations and the sweep's own facts. Two rows of one name are an Error.
[[nodiscard]] Result<Catalog> catalog();

// The facts that can be written: what a rule's fix may set.
[[nodiscard]] std::vector<std::string> knob_names();

}  // namespace rd::collectors
