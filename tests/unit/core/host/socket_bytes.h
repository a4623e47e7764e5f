// SPDX-License-Identifier: GPL-2.0-or-later
// Netlink bytes written by hand, for tests of the decoders.
#pragma once

#include <linux/netlink.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/host/socket_attributes.h"

namespace rd::test {

using ByteVector = std::vector<std::byte>;

template <class T>
ByteVector raw(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    ByteVector bytes(sizeof(T));
    std::memcpy(bytes.data(), &value, sizeof(T));
    return bytes;
}

inline ByteVector operator+(ByteVector left, const ByteVector& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

inline ByteVector padded(ByteVector bytes) {
    bytes.resize((bytes.size() + 3) & ~std::size_t{3});
    return bytes;
}

// One attribute with its padding.
inline ByteVector attribute(unsigned type, const ByteVector& payload = {}) {
    const nlattr head{static_cast<std::uint16_t>(sizeof(nlattr) + payload.size()), static_cast<std::uint16_t>(type)};
    return padded(raw(head) + payload);
}
template <class T>
requires std::is_integral_v<T> ByteVector attribute(unsigned type, T value) { return attribute(type, raw(value)); }
inline ByteVector attribute(unsigned type, std::string_view text) {
    ByteVector bytes(text.size() + 1);
    std::memcpy(bytes.data(), text.data(), text.size());
    return attribute(type, bytes);
}
inline ByteVector attribute(unsigned type, const char* text) { return attribute(type, std::string_view(text)); }

inline ByteVector message(unsigned type, unsigned flags, std::uint32_t sequence, const ByteVector& payload) {
    nlmsghdr head{};
    head.nlmsg_len = static_cast<std::uint32_t>(sizeof(nlmsghdr) + payload.size());
    head.nlmsg_type = static_cast<std::uint16_t>(type);
    head.nlmsg_flags = static_cast<std::uint16_t>(flags);
    head.nlmsg_seq = sequence;
    return padded(raw(head) + payload);
}

// Every front part of `bytes`, and `bytes` with each byte changed in four ways. What a decoder makes of them does not
// matter; that it comes back does, and the sanitizers see to the rest. Each variant has memory of its own size.
template <class Decode>
void for_each_damage(const ByteVector& bytes, Decode decode) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const ByteVector cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
        decode(Bytes(cut));
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        for (const std::byte mask : {std::byte{0x01}, std::byte{0x04}, std::byte{0x80}, std::byte{0xff}}) {
            ByteVector changed(bytes);
            changed[i] ^= mask;
            decode(Bytes(changed));
        }
    }
}

}  // namespace rd::test
