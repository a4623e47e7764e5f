// SPDX-License-Identifier: GPL-2.0-or-later
// Which troubles have a name of their own: those that several rules and events tell of, so that they are one alert. What is not listed
// here is told by one rule, and called by its id.
#pragma once

#include <chrono>
#include <span>
#include <string_view>

#include "daemon/alerts/alert.h"

namespace rd::daemon {

inline constexpr std::string_view kLink =
    "rdma-link";  // its thing is the port, also where its interface is what was seen

// What an event of the kernel does to an alert.
struct EventKind {
    enum class Effect : std::uint8_t {
        raises,
        clears,
        excuses,  // somebody did it on purpose: the trouble is info while this lasts
    };
    std::string_view source, name;
    std::string_view detail, value;  // only if this detail has this value; empty: always
    Effect effect = Effect::raises;
    std::string_view trouble;
    std::string_view sign;  // what comes and goes: an event clears the signs of its name, whoever raised them
    Severity severity = Severity::info;
    std::string_view title = {}, text = {};
    std::chrono::seconds expires{0};  // where nothing need ever come that clears it; 0: never
};

[[nodiscard]] std::span<const EventKind> event_kinds();
[[nodiscard]] bool is_told_of(std::string_view source, std::string_view name);  // by one of these
[[nodiscard]] bool applies(const EventKind& kind, const Happening& happening);

struct RuleKind {
    std::string_view rule, trouble;
};
[[nodiscard]] std::span<const RuleKind> rule_kinds();
[[nodiscard]] std::string_view trouble_of(std::string_view rule);  // of the table, else the rule itself

}  // namespace rd::daemon
