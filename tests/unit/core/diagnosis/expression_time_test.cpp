// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/text.h"
#include "world.h"

namespace rd::test {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;

World counting(std::string_view name, std::initializer_list<std::int64_t> values) {
    World world;
    for (const std::int64_t value : values) world.number(kPort, name, value).sweep();
    return world;
}

TEST(OverTime, RateCarriesTheTrueWindow) {
    const World world = counting("rx_packets", {100, 110, 130});
    const Outcome result = outcome("rate(rx_packets, 10s) == 15", world);
    EXPECT_EQ(result.truth, Truth::yes);
    ASSERT_EQ(result.evidence.size(), 1u);
    EXPECT_EQ(result.evidence[0].how, "rate");
    EXPECT_EQ(result.evidence[0].unit, "packets/s");
    EXPECT_EQ(result.evidence[0].window, 2s);
    EXPECT_EQ(result.evidence[0].at, world.history().last());
    EXPECT_EQ(truth("rate(rx_packets, 1s) == 20", world), Truth::yes);
    const Outcome grown = outcome("increase(rx_packets, 10s) == 30", world);
    EXPECT_EQ(grown.truth, Truth::yes);
    EXPECT_EQ(grown.evidence[0].unit, "packets");
    EXPECT_EQ(grown.evidence[0].reading, Reading(Value(std::int64_t{30})));
}

TEST(OverTime, OneSampleIsUnknownNeverQuiet) {
    const World world = counting("rx_packets", {100});
    for (const std::string_view text :
         {"rate(rx_packets, 10s) > 0", "increase(rx_packets, 10s) > 0", "rate(rx_packets, 10s) == 0"}) {
        const Outcome result = outcome(text, world);
        EXPECT_EQ(result.truth, Truth::unknown);
        ASSERT_THAT(names(result.missing), ElementsAre("port.rx_packets"));
        EXPECT_EQ(result.missing[0].gap.kind, GapClass::not_collected);
        EXPECT_THAT(result.missing[0].gap.reason, testing::HasSubstr("one sample"));
    }
    World gauge;
    gauge.put(kPort, "load", 3.0).sweep();
    EXPECT_EQ(truth("avg(load, 10s) > 0", gauge), Truth::unknown);
    EXPECT_EQ(truth("changed(load, 10s)", gauge), Truth::unknown);
}

TEST(OverTime, WrapAndReset) {
    EXPECT_EQ(truth("increase(out_of_sequence, 10s) == 15", counting("out_of_sequence", {4294967286, 5})), Truth::yes);
    EXPECT_EQ(truth("increase(rx_packets, 10s) == 7", counting("rx_packets", {900000, 7})), Truth::yes);
    EXPECT_EQ(truth("rate(rx_packets, 10s) == 0", counting("rx_packets", {900000, 900000, 0, 0})), Truth::yes);
}

TEST(OverTime, SaturationIsALowerBound) {
    const World moved = counting("symbol_errors", {65500, 65535});
    EXPECT_EQ(truth("increase(symbol_errors, 10s) > 34", moved), Truth::yes);
    EXPECT_EQ(truth("34 < increase(symbol_errors, 10s)", moved), Truth::yes);
    EXPECT_EQ(truth("increase(symbol_errors, 10s) < 35", moved), Truth::no);
    const Outcome doubt = outcome("increase(symbol_errors, 10s) > 100", moved);
    EXPECT_EQ(doubt.truth, Truth::unknown);
    ASSERT_THAT(names(doubt.missing), ElementsAre("port.symbol_errors"));
    EXPECT_THAT(doubt.missing[0].gap.reason, testing::HasSubstr("lower bound"));
    EXPECT_EQ(truth("increase(symbol_errors, 10s) == 35", moved), Truth::unknown);
    EXPECT_EQ(truth("increase(symbol_errors, 10s) * 2 + 1 > 70", moved), Truth::yes);
    EXPECT_EQ(truth("increase(symbol_errors, 10s) / 5 >= 7", moved), Truth::yes);
    EXPECT_EQ(truth("increase(symbol_errors, 10s) - 5 >= 30", moved), Truth::yes);
    EXPECT_EQ(truth("100 - increase(symbol_errors, 10s) > 0", moved), Truth::unknown);
    EXPECT_EQ(truth("100 / increase(symbol_errors, 10s) > 0", moved), Truth::unknown);
    const World stuck = counting("symbol_errors", {65535, 65535});
    EXPECT_EQ(truth("rate(symbol_errors, 10s) == 0", stuck), Truth::unknown);
    EXPECT_EQ(truth("lifetime(symbol_errors) >= 65535", stuck), Truth::yes);
    EXPECT_EQ(truth("lifetime(symbol_errors) < 70000", stuck), Truth::unknown);
}

TEST(OverTime, RateWithoutUnit) {
    EXPECT_EQ(outcome("rate(symbol_errors, 10s) > 0", counting("symbol_errors", {1, 2})).evidence.at(0).unit, "1/s");
}

TEST(OverTime, AggregatesAndChange) {
    World world;
    for (const double load : {2.0, 8.0, 5.0}) world.put(kPort, "load", load).put(kPort, "busy", load).sweep();
    EXPECT_EQ(truth("avg(load, 10s) == 5 and min(load, 10s) == 2 and max(load, 10s) == 8", world), Truth::yes);
    EXPECT_EQ(truth("avg(busy, 10s) == 5", world), Truth::yes);
    EXPECT_EQ(truth("changed(load, 10s)", world), Truth::yes);
    const Outcome result = outcome("max(load, 10s) > 7", world);
    EXPECT_EQ(result.evidence.at(0).how, "max");
    EXPECT_EQ(result.evidence.at(0).unit, "Gbit/s");
    EXPECT_EQ(result.evidence.at(0).window, 2s);
    world.sweep().sweep();
    const Outcome still = outcome("changed(load, 1s)", world);
    EXPECT_EQ(still.truth, Truth::no);
    EXPECT_EQ(still.evidence.at(0).how, "changed");
    EXPECT_EQ(still.evidence.at(0).window, 1s);
}

TEST(OverTime, LifetimesInARatio) {
    World world;
    world.number(kPort, "out_of_sequence", 20).number(kPort, "rx_packets", 1000000).sweep();
    const Outcome result = outcome("lifetime(out_of_sequence) / lifetime(rx_packets) > 1e-5", world);
    EXPECT_EQ(result.truth, Truth::yes);
    EXPECT_EQ(result.evidence.at(0).how, "lifetime");
    EXPECT_EQ(result.evidence.at(0).unit, "packets");
}

TEST(OverTime, RatesOverNextToNoTimeAreUnknown) {
    for (const std::chrono::nanoseconds apart : {std::chrono::nanoseconds(1ns), std::chrono::nanoseconds(99ms)}) {
        World near;
        near.number(kPort, "rx_packets", 1).sweep().number(kPort, "rx_packets", 3).sweep(apart);
        const Outcome result = outcome("rate(rx_packets, 10s) > 10", near);
        EXPECT_EQ(result.truth, Truth::unknown) << print_duration(apart);
        EXPECT_EQ(result.missing.at(0).gap.kind, GapClass::not_collected);
        EXPECT_EQ(result.missing.at(0).gap.reason,
                  "rx_packets: its samples lie " + print_duration(apart) + " apart, too near for a rate");
        EXPECT_EQ(truth("increase(rx_packets, 10s) == 2", near), Truth::yes) << "what was counted was counted";
    }
    World apart;
    apart.number(kPort, "rx_packets", 1).sweep().number(kPort, "rx_packets", 3).sweep(100ms);
    EXPECT_EQ(truth("rate(rx_packets, 10s) > 19 and rate(rx_packets, 10s) < 21", apart), Truth::yes);
}

TEST(OverTime, WindowFromAParameter) {
    const World world = counting("rx_packets", {0, 0, 100});
    const auto expression = compile("rate(rx_packets, $w) > 60", Kind::port, {{"w", std::string("10s")}});
    ASSERT_TRUE(expression);
    EXPECT_EQ(expression->evaluate(world.history(), kPort, {}).truth, Truth::no);
    EXPECT_EQ(expression->evaluate(world.history(), kPort, {{"w", std::string("1s")}}).truth, Truth::yes);
    EXPECT_EQ(expression->evaluate(world.history(), kPort, {{"w", std::string("nonsense")}}).truth, Truth::no);
}

TEST(OverTime, FunctionsFollowReferences) {
    World world;
    const Entity priority{Kind::priority, "n/3"};
    world.put(priority, "netdev", kNetdev).number(kNetdev, "mtu", 1).number(priority, "pauses", 1).sweep();
    world.number(priority, "pauses", 4).sweep();
    EXPECT_EQ(truth("any(priority, increase(pauses, 5s) == 3)", world, kNetdev), Truth::yes);
    World far;
    far.put(kDevice, "name", std::string("d")).put(kPort, "device", kDevice).number(kPort, "rx_packets", 1).sweep();
    far.number(kPort, "rx_packets", 2).sweep();
    EXPECT_EQ(truth("any(port, rate(rx_packets, 5s) == 1)", far, kDevice), Truth::yes);
}

}  // namespace
}  // namespace rd::test
