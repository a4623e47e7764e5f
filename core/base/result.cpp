// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/base/result.h"

#include <array>
#include <cerrno>
#include <system_error>

namespace rd {
namespace {

constexpr std::array<std::pair<Errc, std::string_view>, 8> kNames{{
    {Errc::not_found, "not_found"},
    {Errc::not_supported, "not_supported"},
    {Errc::no_privilege, "no_privilege"},
    {Errc::timed_out, "timed_out"},
    {Errc::not_collected, "not_collected"},
    {Errc::bad_input, "bad_input"},
    {Errc::limit, "limit"},
    {Errc::io, "io"},
}};

Errc class_of(int errnum) {
    switch (errnum) {
        case ENOENT:
        case ENODEV:
        case ENXIO:
        case ESRCH:
        case ENOTDIR:
        case ENODATA:
            return Errc::not_found;
        case EOPNOTSUPP:
        case ENOSYS:
        case EPROTONOSUPPORT:
        case EAFNOSUPPORT:
            return Errc::not_supported;
        case EACCES:
        case EPERM:
            return Errc::no_privilege;
        case ETIMEDOUT:
        case EAGAIN:
            return Errc::timed_out;
        case EFBIG:
        case E2BIG:
        case EMFILE:
        case ENFILE:
            return Errc::limit;
        default:
            return Errc::io;
    }
}

}  // namespace

std::string describe(const Error& error) {
    return error.remedy.empty() ? error.what : error.what + " (" + error.remedy + ")";
}

Error error_from_errno(int errnum, std::string_view object) {
    return Error{class_of(errnum), std::string(object) + ": " + std::generic_category().message(errnum), {}};
}

std::string_view name_of(Errc code) {
    for (const auto& [value, name] : kNames) {
        if (value == code) return name;
    }
    return "io";
}

bool errc_from_name(std::string_view name, Errc& out) {
    for (const auto& [value, text] : kNames) {
        if (text == name) {
            out = value;
            return true;
        }
    }
    return false;
}

}  // namespace rd
