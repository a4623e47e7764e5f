// SPDX-License-Identifier: GPL-2.0-or-later
// What people tell the book, whatever way it comes: that they have seen an alert, and what they want to hear nothing of.
#pragma once

#include <chrono>
#include <string>
#include <variant>

#include "core/base/result.h"
#include "daemon/alerts/book.h"

namespace rd::daemon {

// A silence is for a time: one that is forgotten would be silent for ever.
inline constexpr std::chrono::hours kLongestSilence{366 * 24};

struct AckOrder {
    std::string fingerprint, by, comment;
};
struct SilenceOrder {
    Silence silence;  // without its times
    std::chrono::nanoseconds lasts{0};
};
struct UnsilenceOrder {
    std::string id, by;
};
using Order = std::variant<AckOrder, SilenceOrder, UnsilenceOrder>;

struct Done {
    std::string id;              // of the silence, or the fingerprint
    std::int64_t until_ns = 0;   // wall clock; of a silence that was begun
    AlertBook::Actions actions;  // what is to be told because of it
    std::string note;            // for the log: who did what
};

// In the book, or an Error and nothing is changed.
[[nodiscard]] Result<Done> carry_out(const Order& order, AlertBook& book, Stamp now);

}  // namespace rd::daemon
