// SPDX-License-Identifier: GPL-2.0-or-later
// What the numbers and names mean that RDMA programs print when something failed: completion statuses, vendor codes, asynchronous
// events, errno values in the context of the call. Knowledge as data, one file a kind; it judges no host.
//
// Two things are kept apart everywhere here. A flushed completion is secondary: it says that the queue pair had failed before. And an
// error at the requester is evidence about the peer or the path, not about this host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace rd {

enum class TermKind : std::uint8_t { completion, vendor_code, event, errno_value };

[[nodiscard]] std::string_view name_of(TermKind kind);

struct TermCause {
    std::string what;
    std::string look;                     // where it is seen: a file, a command, a counter here or at the peer
    std::vector<std::string> calls = {};  // beginnings of the calls that can fail so; empty: any
};

struct Term {
    TermKind kind = TermKind::completion;
    std::string name;  // IBV_WC_RETRY_EXC_ERR
    int number = 0;
    std::string title;    // as libibverbs or the C library prints it
    std::string means;    // in one or two sentences
    std::string seen_by;  // who is told, and about whom it is evidence
    std::vector<TermCause> causes = {};
    std::vector<std::string> todo = {};
    std::vector<std::string> codes = {};    // that come with it, in words
    std::vector<std::string> facts = {};    // kind.name: where this program sees it
    std::vector<std::string> aliases = {};  // other names and texts of it
};

[[nodiscard]] const std::vector<Term>& completion_terms();
[[nodiscard]] const std::vector<Term>& event_terms();
[[nodiscard]] const std::vector<Term>& errno_terms();

// A code of one vendor beside a completion status, as public reports show it. All others are opaque.
struct VendorCode {
    int code;
    int status;
    std::string_view driver;
    std::string_view means;
};
[[nodiscard]] const std::vector<VendorCode>& vendor_codes();
// The status that an error syndrome of an mlx5 completion entry stands for; nullptr when none does.
[[nodiscard]] const Term* completion_of_syndrome(int syndrome);

// "wc:12", "RETRY_EXC_ERR", "transport retry counter exceeded", "synd:0x15", "vendor:0x81", "IBV_EVENT_PORT_ERR", "event:10",
// "ENOMEM", "errno:12", "ibv_reg_mr: ENOMEM". Empty: it is none of these. An Error: it is one by its form, and there is no such one.
[[nodiscard]] Result<std::vector<Term>> find_terms(std::string_view typed);
// "0x0a"
[[nodiscard]] std::string code_text(int code);
// All names, for guesses.
[[nodiscard]] std::vector<std::string_view> term_names();

}  // namespace rd
