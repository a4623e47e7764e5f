// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>

#include "core/base/enum_names.h"
#include "core/diagnosis/rule.h"

namespace rd {
namespace {

constexpr std::array<std::string_view, 5> kSeverities = {"info", "low", "medium", "high", "critical"};
constexpr std::array<std::string_view, 2> kMaturities = {"incubating", "stable"};
constexpr std::array<std::string_view, 6> kStates = {"firing", "pending", "suspected",
                                                     "quiet",  "unknown", "not_applicable"};

}  // namespace

std::string_view name_of(Severity severity) { return kSeverities[static_cast<std::size_t>(severity)]; }

bool severity_from_name(std::string_view name, Severity& out) { return from_name(kSeverities, name, out); }

std::string_view name_of(Maturity maturity) { return kMaturities[static_cast<std::size_t>(maturity)]; }

std::string_view name_of(State state) { return kStates[static_cast<std::size_t>(state)]; }

bool state_from_name(std::string_view name, State& out) { return from_name(kStates, name, out); }

}  // namespace rd
