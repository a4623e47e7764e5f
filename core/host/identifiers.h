// SPDX-License-Identifier: GPL-2.0-or-later
// Where a text names something of one host only: addresses, GUIDs, UUIDs, NQNs. A scanner of one pass over any bytes that knows how
// kernel, drivers and tools write them; it judges nothing. Private to core/host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/letters.h"

namespace rd {

enum class Form : std::uint8_t {
    mac_colons,    // 00:11:22:33:44:55
    mac_dashes,    // 00-11-22-33-44-55, or 0011.2233.4455
    mac_bare,      // 001122334455, as in enx001122334455
    eui64_colons,  // 00:11:22:ff:fe:33:44:55, or with dashes
    guid_groups,   // 0c42:a103:00fb:1234
    guid_0x,       // 0x0c42a10300fb1234
    guid_bare,
    ipoib,     // the 20 bytes of an IPoIB hardware address; the last 16 are a GID
    ip6,       // IPv6 address or GID, in full or compressed
    ip6_quad,  // with a dotted quad at its end
    gid_bare,
    ip4,
    uuid,  // with dashes, with underscores or "\x2d" as in names of slices, or without anything behind "machine_id"
    nqn,   // or IQN
    wwid,  // eui.…, naa.…, nvme.…
};

using IdBytes = std::array<std::uint8_t, 20>;

struct Identifier {
    Form form;
    std::size_t at;
    std::size_t size;
    IdBytes bytes{};  // the first ones as far as the form has them; none of an NQN or a WWID
};

// Digits without separators may be anything. They are an identifier when the same value stood elsewhere as one.
class KnownIdentifiers {
public:
    virtual ~KnownIdentifiers() = default;
    [[nodiscard]] virtual bool has(Form form, const IdBytes& bytes) const = 0;
};

struct Place {
    bool versions = false;  // four numbers with dots are a version here
    bool numbers = false;   // sixteen digits behind 0x are a number here
    bool masks = false;     // digits without separators are masks here
    bool path = false;      // a '/' ends a name
    bool ids = false;       // 32 digits are an id, as on a command line
};

// In the order of the text, none overlapping. Without `known` those are found from which values are learnt.
[[nodiscard]] std::vector<Identifier> find_identifiers(std::string_view text, Place place,
                                                       const KnownIdentifiers* known);

// How systemd writes a dash in the name of a unit. Its digits are none of an identifier.
inline constexpr std::string_view kEscapedDash = "\\x2d";

[[nodiscard]] constexpr bool is_alnum(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
// Of a character that is one.
[[nodiscard]] constexpr std::uint8_t hex_value(char c) {
    return static_cast<std::uint8_t>(c <= '9' ? c - '0' : lower(c) - 'a' + 10);
}
[[nodiscard]] constexpr bool is_hex(char c) { return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'f'); }

}  // namespace rd
