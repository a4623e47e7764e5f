// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "core/diagnosis/evaluate.h"

namespace rd {

enum class Units : std::uint8_t { shown, hidden };

// What people call an entity; the host without a name is "host".
[[nodiscard]] std::string label_of(const History& history, const Entity& entity);

// A reading as people read it: "16 lanes", "12.4 packets/s", "true", "unknown (no privilege)".
[[nodiscard]] std::string show(const Reading& reading, std::string_view unit);

// Does the text give facts, beside parameters, the subject, and what a line of a log said?
[[nodiscard]] bool names_facts(std::string_view text);

// The text with its placeholders filled in for one verdict: what the evidence has, else what was last seen. `hidden` is for
// commands, where "mtu 4200 bytes" would be wrong; what is not known stands there as a word for the reader to replace (NETDEV). What is
// filled in is fit to be shown (core/base/escape.h).
[[nodiscard]] std::string fill_prose(std::string_view text, const Verdict& verdict, const History& history,
                                     Units units);

}  // namespace rd
