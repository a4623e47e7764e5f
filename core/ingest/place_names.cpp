// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/place_names.h"

#include <fmt/format.h>

#include <charconv>

namespace rd::ingest {
namespace {

// Takes `mark` and the decimal number behind it off the front.
std::optional<unsigned> take(std::string_view& text, char mark, unsigned most) {
    if (text.empty() || text.front() != mark) return std::nullopt;
    unsigned number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + 1, end, number);
    if (error != std::errc{} || stop == text.data() + 1 || number > most) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    return number;
}

}  // namespace

std::optional<std::string> address_in_name(std::string_view name) {
    for (const std::string_view prefix : {"roce", "iw", "opa", "en", "ib"}) {
        if (!name.starts_with(prefix)) continue;
        std::string_view rest = name.substr(prefix.size());
        const unsigned domain = take(rest, 'P', 0xffff).value_or(0);
        const auto bus = take(rest, 'p', 0xff);
        const auto slot = bus ? take(rest, 's', 0x1f) : std::nullopt;
        if (!slot) continue;
        const unsigned function = take(rest, 'f', 7).value_or(0);
        // Behind it may stand the port of the function: np0, d1.
        if (!rest.empty() && rest.front() != 'n' && rest.front() != 'd') return std::nullopt;
        if (rest.find("pf") != std::string_view::npos || rest.find('v') != std::string_view::npos) return std::nullopt;
        return fmt::format("{:04x}:{:02x}:{:02x}.{}", domain, *bus, *slot, function);
    }
    return std::nullopt;
}

}  // namespace rd::ingest
