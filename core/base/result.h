// SPDX-License-Identifier: GPL-2.0-or-later
// Room core/base: values and text that every other room may use. No I/O, no clock, no logging, no global.
//
// Result<T> is a value or an Error. An Error is a value too: it says what went wrong, of which class, and what a
// person can do about it. Libraries return it; only the programs print it.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace rd {

enum class Errc {
    not_found,      // ENOENT: the kernel or driver has no such file or object
    not_supported,  // EOPNOTSUPP and its kin: asked, and the driver said it cannot
    no_privilege,   // EACCES, EPERM, or a truncated answer that only root gets whole
    timed_out,      // the read did not come back before its deadline
    not_collected,  // nobody asked: outside the source (a bundle without it, a bare sys/ tree)
    bad_input,      // text, archive or message that does not parse; `what` names the place
    limit,          // larger than we are willing to hold
    io,             // anything else the system reported
};

struct Error {
    Errc code = Errc::io;
    std::string what;    // one line, names the object: "/sys/…/numa_node: not a number: 'x'"
    std::string remedy;  // what the reader can do, empty when there is nothing specific

    friend bool operator==(const Error&, const Error&) = default;
};

template <class T = void>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(Errc code, std::string what, std::string remedy = {}) {
    return tl::unexpected<Error>(Error{code, std::move(what), std::move(remedy)});
}

// "what (remedy)"
[[nodiscard]] std::string describe(const Error& error);

// Maps an errno value to its class and puts strerror text behind `object`.
[[nodiscard]] Error error_from_errno(int errnum, std::string_view object);

// Short machine name ("no_privilege"), used in bundles and JSON; the inverse returns false for an unknown name.
[[nodiscard]] std::string_view name_of(Errc code);
[[nodiscard]] bool errc_from_name(std::string_view name, Errc& out);

}  // namespace rd
