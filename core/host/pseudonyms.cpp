// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/pseudonyms.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/letters.h"

namespace rd {
namespace {

constexpr std::uint8_t kLocal = 0x02, kGroup = 0x01;  // bits of the first byte of a MAC

template <std::size_t size>
std::array<std::uint8_t, size> part(const std::uint8_t* from) {
    std::array<std::uint8_t, size> out;
    std::copy_n(from, size, out.begin());
    return out;
}

template <std::size_t size>
bool all_are(const std::array<std::uint8_t, size>& bytes, std::uint8_t value, std::size_t count = size) {
    return std::all_of(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count),
                       [value](std::uint8_t byte) { return byte == value; });
}

template <std::size_t size>
std::array<std::uint8_t, size> big_endian(std::uint64_t number) {
    std::array<std::uint8_t, size> out{};
    for (std::size_t i = size; i-- > 0 && number != 0; number >>= 8) out[i] = static_cast<std::uint8_t>(number);
    return out;
}

bool is_special(const std::array<std::uint8_t, 6>& mac) { return all_are(mac, 0) || (mac[0] & kGroup) != 0; }

std::array<std::uint8_t, 6> base_of(std::array<std::uint8_t, 6> mac) {
    mac[0] = static_cast<std::uint8_t>(mac[0] & ~kLocal);
    return mac;
}

// Adapters and kernels make eight bytes of a MAC by putting ff:fe or 03:00 into its middle.
bool is_made_of_mac(const std::array<std::uint8_t, 8>& guid) {
    const bool filled = (guid[3] == 0xff && guid[4] == 0xfe) || (guid[3] == 0x03 && guid[4] == 0x00);
    const bool some = guid[0] != 0 || guid[1] != 0 || guid[2] != 0;
    return filled && some && (guid[0] & kGroup) == 0;
}

std::array<std::uint8_t, 6> mac_in(const std::array<std::uint8_t, 8>& guid) {
    return {guid[0], guid[1], guid[2], guid[5], guid[6], guid[7]};
}

// Numbers that people choose (::1, ::100) tell nothing of an adapter.
bool is_plain(const std::array<std::uint8_t, 8>& guid) { return all_are(guid, 0, 6) || all_are(guid, 0xff); }

bool is_link_local(const std::array<std::uint8_t, 8>& prefix) {
    return prefix == std::array<std::uint8_t, 8>{0xfe, 0x80};
}

bool is_special(const std::array<std::uint8_t, 4>& address) {
    return address[0] == 0 || address[0] == 127 || address[0] >= 224;
}

bool is_mapped_ip4(const std::array<std::uint8_t, 16>& gid) {
    return all_are(gid, 0, 10) && gid[10] == 0xff && gid[11] == 0xff;
}

bool is_unspecific(const std::array<std::uint8_t, 16>& gid) {
    return gid[0] == 0xff || (all_are(gid, 0, 15) && gid[15] <= 1);
}

// The digits of `sample` replaced one by one, so that separators, groups and case are kept.
std::string like(std::string_view sample, const std::uint8_t* bytes) {
    const bool capitals = std::any_of(sample.begin(), sample.end(), [](char c) { return c >= 'A' && c <= 'F'; }) &&
                          std::none_of(sample.begin(), sample.end(), [](char c) { return c >= 'a' && c <= 'f'; });
    const char* const digits = capitals ? "0123456789ABCDEF" : "0123456789abcdef";
    std::string out(sample);
    std::size_t nibble = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (sample.substr(i).starts_with(kEscapedDash)) i += kEscapedDash.size();
        if (i >= out.size() || !is_hex(out[i])) continue;
        const std::uint8_t byte = bytes[nibble / 2];
        out[i] = digits[nibble % 2 == 0 ? byte >> 4 : byte & 15];
        ++nibble;
    }
    return out;
}

std::string ip6_text(std::string_view sample, const std::array<std::uint8_t, 16>& gid, bool quad) {
    constexpr std::size_t kFull = 39;
    if (!quad && sample.size() == kFull && sample.find("::") == std::string_view::npos) return like(sample, gid.data());
    if (!quad && is_mapped_ip4(gid)) {
        return fmt::format("::ffff:{:x}:{:x}", gid[12] << 8 | gid[13], gid[14] << 8 | gid[15]);
    }
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET6, gid.data(), text.data(), text.size());
    return text.data();
}

}  // namespace

void Pseudonyms::learn(std::string_view text, Place place) {
    for (const Identifier& found : find_identifiers(text, place, nullptr)) learn(found, text);
}

void Pseudonyms::learn(const Identifier& found, std::string_view text) {
    const std::uint8_t* const bytes = found.bytes.data();
    switch (found.form) {
        case Form::mac_colons:
        case Form::mac_dashes:
        case Form::mac_bare:
            if (const Mac mac = part<6>(bytes); !is_special(mac)) macs_.try_emplace(base_of(mac));
            break;
        case Form::eui64_colons:
        case Form::guid_groups:
        case Form::guid_0x:
        case Form::guid_bare:
            learn_guid(part<8>(bytes));
            break;
        case Form::ipoib:
            learn_gid(part<16>(bytes + 4));
            break;
        case Form::ip6:
        case Form::ip6_quad:
        case Form::gid_bare:
            learn_gid(part<16>(bytes));
            break;
        case Form::ip4:
            if (!is_special(part<4>(bytes))) nets_.try_emplace(part<3>(bytes));
            break;
        case Form::uuid:
            if (const Gid uuid = part<16>(bytes); !all_are(uuid, 0)) uuids_.try_emplace(uuid);
            break;
        case Form::nqn:
        case Form::wwid:
            names_.try_emplace(lower(text.substr(found.at, found.size)));
            break;
    }
}

void Pseudonyms::learn_guid(const Guid& guid) {
    if (is_plain(guid)) return;
    if (is_made_of_mac(guid)) {
        macs_.try_emplace(base_of(mac_in(guid)));
    } else {
        guids_.try_emplace(guid);
    }
}

void Pseudonyms::learn_gid(const Gid& gid) {
    if (is_unspecific(gid)) return;
    if (is_mapped_ip4(gid)) {
        if (!is_special(part<4>(gid.data() + 12))) nets_.try_emplace(part<3>(gid.data() + 12));
        return;
    }
    if (const Guid prefix = part<8>(gid.data()); !is_link_local(prefix)) prefixes_.try_emplace(prefix);
    learn_guid(part<8>(gid.data() + 8));
}

bool Pseudonyms::knows_guid(const Guid& guid) const {
    if (is_plain(guid)) return false;
    return is_made_of_mac(guid) ? macs_.contains(base_of(mac_in(guid))) : guids_.contains(guid);
}

bool Pseudonyms::knows_gid(const Gid& gid) const {
    if (is_unspecific(gid)) return false;
    if (is_mapped_ip4(gid)) return nets_.contains(part<3>(gid.data() + 12));
    return uuids_.contains(gid) || prefixes_.contains(part<8>(gid.data())) || knows_guid(part<8>(gid.data() + 8));
}

bool Pseudonyms::has(Form form, const IdBytes& bytes) const {
    switch (form) {
        case Form::mac_colons:
        case Form::mac_dashes:
        case Form::mac_bare: {
            const Mac mac = part<6>(bytes.data());
            return !is_special(mac) && macs_.contains(base_of(mac));
        }
        case Form::eui64_colons:
        case Form::guid_groups:
        case Form::guid_0x:
        case Form::guid_bare:
            return knows_guid(part<8>(bytes.data()));
        case Form::ip4:
            return nets_.contains(part<3>(bytes.data()));
        default:
            return knows_gid(part<16>(bytes.data()));
    }
}

void Pseudonyms::number() {
    std::uint64_t next = 0x00'00'5e'00'53'00;  // the block that is set aside for documents, and on from there
    for (auto& [mac, to] : macs_) {
        do to = big_endian<6>(next++);
        while (macs_.contains(to));
    }
    next = 0x00'00'5e'10'00'00'00'01;
    for (auto& [guid, to] : guids_) {
        do to = big_endian<8>(next++);
        while (guids_.contains(to));
    }
    next = 1;
    for (auto& [prefix, to] : prefixes_) {
        do to = big_endian<8>(0x2001'0db8'0000'0000 | (next & 0xffff) << 16 | (next >> 16 & 0xffff)), ++next;
        while (prefixes_.contains(to));
    }
    next = 1;
    for (auto& [uuid, to] : uuids_) {
        do {
            to = big_endian<16>(next++);
            to[6] = 0x40;  // version and variant, so that it stays a well-formed one
            to[8] = 0x80;
        } while (uuids_.contains(to));
    }
    number_nets();
    number_words();
}

Pseudonyms::Mac Pseudonyms::mapped(Mac mac) const {
    if (is_special(mac)) {
        // The MAC of a solicited-node multicast address ends in a part of a unicast address.
        if (mac[0] == 0x33 && mac[1] == 0x33 && mac[2] == 0xff) mac[3] = mac[4] = mac[5] = 0;
        return mac;
    }
    const auto found = macs_.find(base_of(mac));
    if (found == macs_.end()) return mac;
    Mac to = found->second;
    to[0] = static_cast<std::uint8_t>(to[0] | (mac[0] & kLocal));
    return to;
}

Pseudonyms::Guid Pseudonyms::mapped(const Guid& guid) const {
    if (is_plain(guid)) return guid;
    if (is_made_of_mac(guid)) {
        const Mac mac = mapped(mac_in(guid));
        return {mac[0], mac[1], mac[2], guid[3], guid[4], mac[3], mac[4], mac[5]};
    }
    const auto found = guids_.find(guid);
    return found == guids_.end() ? guid : found->second;
}

Pseudonyms::Bytes<4> Pseudonyms::mapped(const Bytes<4>& address) const {
    const auto found = is_special(address) ? nets_.end() : nets_.find(part<3>(address.data()));
    if (found == nets_.end()) return address;
    return {found->second[0], found->second[1], found->second[2], address[3]};
}

Pseudonyms::Gid Pseudonyms::mapped(const Gid& gid) const {
    Gid to = gid;
    if (gid[0] == 0xff) {
        // Solicited-node multicast: the last 24 bits are those of a unicast address.
        if (gid[11] == 0x01 && gid[12] == 0xff) to[13] = to[14] = to[15] = 0;
        return to;
    }
    if (is_unspecific(gid)) return to;
    if (is_mapped_ip4(gid)) {
        const Bytes<4> address = mapped(part<4>(gid.data() + 12));
        std::copy(address.begin(), address.end(), to.begin() + 12);
        return to;
    }
    if (const auto prefix = prefixes_.find(part<8>(gid.data())); prefix != prefixes_.end()) {
        std::copy(prefix->second.begin(), prefix->second.end(), to.begin());
    }
    const Guid guid = mapped(part<8>(gid.data() + 8));
    std::copy(guid.begin(), guid.end(), to.begin() + 8);
    return to;
}

IdBytes Pseudonyms::mapped(Form form, const IdBytes& bytes) const {
    IdBytes to = bytes;
    const auto put = [&to](const auto& from, std::size_t at = 0) {
        std::copy(from.begin(), from.end(), to.begin() + static_cast<std::ptrdiff_t>(at));
    };
    switch (form) {
        case Form::mac_colons:
        case Form::mac_dashes:
        case Form::mac_bare:
            put(mapped(part<6>(bytes.data())));
            break;
        case Form::eui64_colons:
        case Form::guid_groups:
        case Form::guid_0x:
        case Form::guid_bare:
            put(mapped(part<8>(bytes.data())));
            break;
        case Form::ipoib:
            put(mapped(part<16>(bytes.data() + 4)), 4);
            break;
        case Form::ip4:
            put(mapped(part<4>(bytes.data())));
            break;
        default: {
            // A UUID may be written without its dashes, which looks like a GID.
            const Gid value = part<16>(bytes.data());
            const auto uuid = form == Form::ip6 || form == Form::ip6_quad ? uuids_.end() : uuids_.find(value);
            if (uuid != uuids_.end()) {
                put(uuid->second);
            } else if (form != Form::uuid) {
                put(mapped(value));
            }
        }
    }
    return to;
}

std::string Pseudonyms::replacement(const Identifier& found, std::string_view text) const {
    const std::string_view sample = text.substr(found.at, found.size);
    if (found.form == Form::nqn || found.form == Form::wwid) {
        const auto name = names_.find(lower(sample));
        return name == names_.end() ? std::string(sample) : name->second;
    }
    const IdBytes to = mapped(found.form, found.bytes);
    if (to == found.bytes) return std::string(sample);
    if (found.form == Form::ip4) return fmt::format("{}.{}.{}.{}", to[0], to[1], to[2], to[3]);
    if (found.form == Form::ip6 || found.form == Form::ip6_quad) {
        return ip6_text(sample, part<16>(to.data()), found.form == Form::ip6_quad);
    }
    return like(sample, to.data());
}

std::string Pseudonyms::replace(std::string_view text, Place place) const {
    std::string out;
    out.reserve(text.size());
    std::size_t from = 0;
    for (const Identifier& found : find_identifiers(text, place, this)) {
        append_words(text, from, found.at, out);
        out += replacement(found, text);
        from = found.at + found.size;
    }
    append_words(text, from, text.size(), out);
    return out;
}

}  // namespace rd
