// SPDX-License-Identifier: GPL-2.0-or-later
// Actions in the journal, one entry each, with fields to filter by: `journalctl RDMADOCTOR_SEVERITY=high`,
// `journalctl MESSAGE_ID=6db96cf00fb943f2867f46cdffc943d8`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/alerts/alert.h"

namespace rd::daemon {

inline constexpr std::string_view kRaisedId = "6db96cf00fb943f2867f46cdffc943d8";
inline constexpr std::string_view kUpdatedId = "f7cbb5a9192e47d4a07f79d00ddb3f13";
inline constexpr std::string_view kClearedId = "d80536439a0348bd9a6ee45a1bf927e6";

// "raise: An RDMA port lost its link: mlx5_0/1 (high)". One line, fit for a terminal.
[[nodiscard]] std::string alert_line(const Action& action);
// 2 (critical) … 6 (info, and whatever is over)
[[nodiscard]] int priority_of(const Action& action);
// "KEY=value". A value may hold line ends and any other byte.
[[nodiscard]] std::vector<std::string> journal_fields(const Action& action);

class Journal {
public:
    // `foreground`: lines on stderr. Elsewhere too, while there is no journal.
    explicit Journal(bool foreground, std::string socket = "/run/systemd/journal/socket")
        : foreground_(foreground), socket_(std::move(socket)) {}
    void write(const Action& action) const;

private:
    bool foreground_;
    std::string socket_;
};

}  // namespace rd::daemon
