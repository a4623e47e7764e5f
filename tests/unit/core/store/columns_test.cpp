// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/store/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace rd::store {
namespace {

Column back(const Column& column, Packing packing) {
    std::string bytes;
    append(bytes, column, packing);
    bytes += "rest";
    std::string_view rest = bytes;
    auto read = take_column(rest);
    EXPECT_TRUE(read) << (read ? "" : read.error().what);
    EXPECT_EQ(rest, "rest");
    return read ? *read : Column{};
}

Column every(std::uint32_t stride, std::vector<std::int64_t> values) {
    Column column;
    column.values = std::move(values);
    for (std::size_t i = 0; i < column.values.size(); ++i)
        column.ticks.push_back(static_cast<std::uint32_t>(i) * stride);
    return column;
}

TEST(Columns, ComeBackAsTheyWere) {
    constexpr auto low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
    for (const Packing packing : {Packing::none, Packing::zstd}) {
        for (const Column& column : {Column{}, every(1, {7}), every(1, {5, 5, 5, 5}), every(10, {1, 2, 3, 4}),
                                     every(1, {low, high, 0, -1, high, low}),
                                     Column{{0, 1, 2, 7, 9, 11, 13, 400'000}, {1, 1, 1, 1, 1, 1, 1, 2}}}) {
            EXPECT_EQ(back(column, packing), column);
        }
    }
}

TEST(Columns, ComeBackForAnyNumbers) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 300; ++round) {
        Column column;
        std::uint32_t tick = 0;
        const unsigned bits = unsigned(random() % 65);
        std::int64_t value = 0;
        for (std::uint64_t i = random() % 300; i > 0; --i) {
            tick += 1 + std::uint32_t(random() % (round % 3 == 0 ? 1 : 5));
            if (bits > 0) value ^= std::int64_t(random() >> (64 - bits));
            column.ticks.push_back(tick);
            column.values.push_back(value);
        }
        EXPECT_EQ(back(column, round % 2 == 0 ? Packing::zstd : Packing::none), column);
    }
}

TEST(Columns, StandingStillCostsNextToNothing) {
    std::string bytes;
    append(bytes, every(1, std::vector<std::int64_t>(3600, 123)), Packing::zstd);
    EXPECT_LT(bytes.size(), 12u);
}

TEST(Columns, AnHourOfATrafficCounterIsNearItsEntropy) {
    // 11 GB/s with a jitter of one per cent: 28 bits a sample that nobody can compress.
    std::mt19937_64 random(2);
    Column column;
    std::int64_t value = 4'000'000'000'000;
    for (std::uint32_t i = 0; i < 3600; ++i) {
        value += 11'000'000'000 + std::int64_t(random() % 220'000'000) - 110'000'000;
        column.ticks.push_back(i);
        column.values.push_back(value);
    }
    std::string bytes;
    append(bytes, column, Packing::zstd);
    EXPECT_LT(double(bytes.size()), 3600 * 28.0 / 8 * 1.25);
    EXPECT_EQ(back(column, Packing::zstd), column);
}

TEST(Columns, DamagedBytesAreRefusedAndNeverMisread) {
    std::string bytes;
    append(bytes, every(1, {1, 3, 8, 20, 21, 500, 501}), Packing::none);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        std::string_view rest(bytes.data(), size);
        const auto read = take_column(rest);
        ASSERT_FALSE(read) << size;
        EXPECT_EQ(read.error().code, Errc::bad_input);
        EXPECT_THAT(read.error().what, testing::HasSubstr("damaged"));
    }
}

TEST(Columns, APackedColumnHasAChecksum) {
    std::string bytes;
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < 500; ++i) values.push_back(i * i % 97);
    append(bytes, every(1, values), Packing::zstd);
    const std::size_t frame = bytes.find("\x28\xb5\x2f\xfd");
    ASSERT_NE(frame, std::string::npos);
    for (std::size_t at = frame; at < bytes.size(); ++at) {
        std::string other = bytes;
        other[at] = static_cast<char>(other[at] ^ 0x04);
        std::string_view rest = other;
        EXPECT_FALSE(take_column(rest)) << at - frame;
    }
}

TEST(Columns, NobodyIsBelievedAboutSizes) {
    std::string huge;
    append_number(huge, 1u << 30);
    std::string_view rest = huge;
    EXPECT_FALSE(take_column(rest));
    const std::string bomb = compress(std::string(1 << 20, 'x'), 1);
    EXPECT_LT(bomb.size(), 200u);
    EXPECT_FALSE(decompress(bomb, 1000));
    EXPECT_TRUE(decompress(bomb, 1 << 20));
    EXPECT_FALSE(decompress("no frame", 100));
}

TEST(Columns, NumbersOfAnySize) {
    for (const std::uint64_t number : {0ull, 127ull, 128ull, 16383ull, 16384ull, ~0ull}) {
        std::string bytes;
        append_number(bytes, number);
        std::string_view rest = bytes;
        EXPECT_EQ(take_number(rest), number);
        EXPECT_TRUE(rest.empty());
    }
    std::string_view endless("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80");
    EXPECT_FALSE(take_number(endless));
}

}  // namespace
}  // namespace rd::store
