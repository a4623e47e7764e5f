// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/store/columns.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "core/store/wrapping.h"

namespace rd::store {
namespace {

enum class Form : std::uint8_t { constant, packed, plain };
constexpr int kLevel = 3;

std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unzigzag(std::uint64_t value) { return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1)); }

tl::unexpected<Error> damaged(std::string what) {
    return fail(Errc::bad_input, "a chunk is damaged: " + std::move(what));
}

struct Context {
    std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context{ZSTD_createCCtx(), &ZSTD_freeCCtx};
};

void append_frame(std::string& into, std::string_view bytes, int level) {
    // Making a context costs more than a small frame.
    thread_local Context held;
    ZSTD_CCtx* context = held.context.get();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    const std::size_t before = into.size();
    into.resize(before + ZSTD_compressBound(bytes.size()));
    const std::size_t size =
        ZSTD_compress2(context, into.data() + before, into.size() - before, bytes.data(), bytes.size());
    into.resize(before + (ZSTD_isError(size) != 0 ? 0 : size));
}

// One run for a series that was read in every sweep, or in every tenth.
void append_ticks(std::string& into, const std::vector<std::uint32_t>& ticks) {
    std::string runs;
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < ticks.size(); ++count) {
        const std::uint32_t stride = i + 1 < ticks.size() ? ticks[i + 1] - ticks[i] : 1;
        std::size_t end = i + 1;
        while (end < ticks.size() && ticks[end] - ticks[end - 1] == stride) ++end;
        append_number(runs, ticks[i]);
        append_number(runs, stride);
        append_number(runs, end - i);
        i = end;
    }
    append_number(into, count);
    into += runs;
}

Result<std::vector<std::uint32_t>> take_ticks(std::string_view& bytes, std::size_t samples) {
    std::vector<std::uint32_t> ticks;
    ticks.reserve(samples);
    auto runs = take_number(bytes);
    if (!runs) return tl::unexpected(std::move(runs.error()));
    for (std::uint64_t i = 0; i < *runs; ++i) {
        const auto first = take_number(bytes), stride = take_number(bytes), count = take_number(bytes);
        if (!first || !stride || !count) return damaged("the times end early");
        if (*count == 0 || *stride == 0 || *count > samples - ticks.size()) return damaged("more times than samples");
        if (!ticks.empty() && *first <= ticks.back()) return damaged("times go back");
        if (*first > UINT32_MAX || *stride > UINT32_MAX || *first + *stride * (*count - 1) > UINT32_MAX) {
            return damaged("a time beyond all times");
        }
        for (std::uint64_t k = 0; k < *count; ++k) ticks.push_back(static_cast<std::uint32_t>(*first + k * *stride));
    }
    if (ticks.size() != samples) return damaged("fewer times than samples");
    return ticks;
}

std::string planes(const std::vector<std::int64_t>& values) {
    std::vector<std::uint64_t> differences;
    differences.reserve(values.size() - 1);
    std::uint64_t all = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
        differences.push_back(zigzag(minus(values[i], values[i - 1])));
        all |= differences.back();
    }
    unsigned width = 0;
    while (width < 8 && (all >> (8 * width)) != 0) ++width;
    std::string bytes;
    bytes.reserve(width * differences.size());
    for (unsigned plane = width; plane-- > 0;) {
        for (const std::uint64_t one : differences) bytes.push_back(static_cast<char>(one >> (8 * plane)));
    }
    return bytes;
}

void values_of(std::string_view bytes, std::int64_t first, std::vector<std::int64_t>& values) {
    const std::size_t count = values.size() - 1, width = bytes.size() / count;
    values[0] = first;
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t one = 0;
        for (std::size_t plane = 0; plane < width; ++plane) {
            one = one << 8 | static_cast<unsigned char>(bytes[plane * count + i]);
        }
        values[i + 1] = plus(values[i], unzigzag(one));
    }
}

}  // namespace

void append_number(std::string& into, std::uint64_t number) {
    while (number >= 0x80) {
        into.push_back(static_cast<char>(number | 0x80));
        number >>= 7;
    }
    into.push_back(static_cast<char>(number));
}

Result<std::uint64_t> take_number(std::string_view& bytes) {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes.front());
        bytes.remove_prefix(1);
        number |= std::uint64_t(byte & 0x7f) << shift;
        if (byte < 0x80) return number;
    }
    return damaged("a number does not end");
}

void append(std::string& into, const Column& column, Packing packing) {
    append_number(into, column.values.size());
    if (column.values.empty()) return;
    append_ticks(into, column.ticks);
    const std::string bytes = planes(column.values);
    std::string frame;
    if (packing == Packing::zstd && !bytes.empty()) append_frame(frame, bytes, kLevel);
    const Form form = bytes.empty()                                              ? Form::constant
                      : packing == Packing::none || frame.size() >= bytes.size() ? Form::plain
                                                                                 : Form::packed;
    into.push_back(static_cast<char>(form));
    append_number(into, zigzag(column.values.front()));
    if (form == Form::constant) return;
    const std::string& body = form == Form::packed ? frame : bytes;
    append_number(into, body.size());
    into += body;
}

Result<Column> take_column(std::string_view& bytes) {
    const auto count = take_number(bytes);
    if (!count) return tl::unexpected(count.error());
    if (*count > kMostSamples) return damaged("more samples than a stretch has");
    Column column;
    if (*count == 0) return column;
    auto ticks = take_ticks(bytes, *count);
    if (!ticks) return tl::unexpected(std::move(ticks.error()));
    column.ticks = std::move(*ticks);
    if (bytes.empty()) return damaged("the values are missing");
    const auto form = static_cast<Form>(bytes.front());
    bytes.remove_prefix(1);
    const auto first = take_number(bytes);
    if (!first) return tl::unexpected(first.error());
    column.values.assign(*count, unzigzag(*first));
    if (form == Form::constant) return column;
    if (form != Form::packed && form != Form::plain) return damaged("values of an unknown form");
    const auto size = take_number(bytes);
    if (!size || *size > bytes.size()) return damaged("the values end early");
    const std::string_view body = bytes.substr(0, *size);
    bytes.remove_prefix(*size);
    const std::size_t differences = *count - 1;
    if (differences == 0) return damaged("one sample cannot move");
    std::string unpacked;
    if (form == Form::packed) {
        auto whole = decompress(body, 8 * differences);
        if (!whole) return tl::unexpected(std::move(whole.error()));
        unpacked = std::move(*whole);
    }
    const std::string_view plain = form == Form::packed ? std::string_view(unpacked) : body;
    if (plain.size() % differences != 0 || plain.size() > 8 * differences) return damaged("values of no whole width");
    values_of(plain, unzigzag(*first), column.values);
    return column;
}

std::string compress(std::string_view bytes, int level) {
    std::string frame;
    append_frame(frame, bytes, level);
    return frame;
}

Result<std::string> decompress(std::string_view frame, std::size_t most) {
    const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
    if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR) return damaged("no zstd frame");
    if (size > most) return damaged(fmt::format("{} bytes where at most {} belong", size, most));
    std::string bytes(size, '\0');
    const std::size_t got = ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size());
    if (ZSTD_isError(got) != 0) return damaged(ZSTD_getErrorName(got));
    if (got != size) return damaged("a frame shorter than it says");
    return bytes;
}

}  // namespace rd::store
