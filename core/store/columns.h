// SPDX-License-Identifier: GPL-2.0-or-later
// One series over one stretch of time as bytes, and back. Pure. The numbers of a stretch's sweeps ("ticks") stand for the times, which
// all series of the stretch share.
//
// Bytes: number of samples; the ticks as runs of (first, stride, count); then the values, which are one of
//   0  constant: the value
//   1  differences to the value before, zigzag, transposed into planes of bytes, highest first, each plane a zstd frame together
//   2  the same as they are: what zstd cannot make shorter
// All numbers outside of planes are LEB128. Reals go through their bit patterns, which for slowly moving ones share the high bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace rd::store {

// The samples of one series, oldest first. `ticks` strictly grow and are as many as `values`.
struct Column {
    std::vector<std::uint32_t> ticks;
    std::vector<std::int64_t> values;  // of reals: the bit patterns

    friend bool operator==(const Column&, const Column&) = default;
};

// More samples than this are not one stretch; a reader takes nobody's word for more memory.
inline constexpr std::size_t kMostSamples = 200'000;

enum class Packing { none, zstd };  // `none` for bytes that will be compressed as a whole

void append(std::string& into, const Column& column, Packing packing);

// Takes one column off the front of `bytes`; an Error (bad_input) says what is wrong with them.
[[nodiscard]] Result<Column> take_column(std::string_view& bytes);

void append_number(std::string& into, std::uint64_t number);  // LEB128
[[nodiscard]] Result<std::uint64_t> take_number(std::string_view& bytes);

// A whole text as a zstd frame with its size and a checksum, and back; more than `most` bytes are refused before they are made.
[[nodiscard]] std::string compress(std::string_view bytes, int level);
[[nodiscard]] Result<std::string> decompress(std::string_view frame, std::size_t most);

}  // namespace rd::store
