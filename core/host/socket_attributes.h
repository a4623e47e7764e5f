// SPDX-License-Identifier: GPL-2.0-or-later
// Walks netlink attributes in bytes that nobody has vouched for. The first malformed attribute, or a number that is
// too short for its type, ends the walk and stays visible as a problem, so a decoder is a plain loop with one check
// behind it:
//
//     Attributes in(bytes);
//     while (in.next()) {
//         if (in.type() == kSpeed) speed = in.number<std::uint32_t>();
//     }
//     if (auto sound = in.sound("link modes"); !sound) return tl::unexpected(sound.error());
//
// Unknown types are for the caller to pass over. More bytes than a type needs are accepted, as the kernel does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace rd {

using Bytes = std::span<const std::byte>;

// The value that lies at `offset`, in host order and at any alignment; nullopt when it would reach past the end.
template <class T>
[[nodiscard]] std::optional<T> value_at(Bytes bytes, std::size_t offset = 0) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

// Everything before the first NUL, or all of it.
[[nodiscard]] std::string_view text_of(Bytes bytes);

class Attributes {
public:
    explicit Attributes(Bytes bytes) : bytes_(bytes) {}

    [[nodiscard]] bool next();
    [[nodiscard]] std::uint16_t type() const { return type_; }  // without the nesting and byte order flags
    [[nodiscard]] Bytes payload() const { return payload_; }
    [[nodiscard]] Attributes nested() const { return Attributes(payload_); }
    [[nodiscard]] std::string_view text() const { return text_of(payload_); }

    // The payload as a number of this type. When it is too short: 0, and the walk has a problem.
    template <class T>
    [[nodiscard]] T number() {
        if (const auto value = value_at<T>(payload_)) return *value;
        too_short(sizeof(T));
        return T{};
    }
    // The payload as an unsigned number of the width it has (1, 2, 4 or 8 bytes).
    [[nodiscard]] std::uint64_t number_of_any_width();

    // Takes over a problem met in a nested walk.
    void absorb(const Attributes& nested);
    void too_short(std::size_t wanted);
    [[nodiscard]] Result<> sound(std::string_view object) const;  // bad_input when there was a problem

private:
    Bytes bytes_;
    std::size_t position_ = 0;
    Bytes payload_;
    std::uint16_t type_ = 0;
    std::string problem_;
};

}  // namespace rd
