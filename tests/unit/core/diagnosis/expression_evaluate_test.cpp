// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world.h"

namespace rd::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

// lossless is true, iommu (of the host) false, active_mtu unknown.
World three() {
    World world;
    world.put(kPort, "lossless", true).put(kHost, "iommu", false).gap(kPort, "active_mtu", GapClass::error).sweep();
    return world;
}

TEST(Evaluate, KleeneTables) {
    const World world = three();
    const std::string_view yes = "lossless", no = "host.iommu", unknown = "active_mtu > 1";
    const auto check = [&](std::string_view a, std::string_view op, std::string_view b, Truth expected) {
        const std::string text = std::string(a) + " " + std::string(op) + " " + std::string(b);
        EXPECT_EQ(truth(text, world), expected) << text;
    };
    check(yes, "and", yes, Truth::yes);
    check(yes, "and", no, Truth::no);
    check(no, "and", yes, Truth::no);
    check(no, "and", no, Truth::no);
    check(yes, "and", unknown, Truth::unknown);
    check(unknown, "and", yes, Truth::unknown);
    check(no, "and", unknown, Truth::no);
    check(unknown, "and", no, Truth::no);
    check(unknown, "and", unknown, Truth::unknown);
    check(yes, "or", yes, Truth::yes);
    check(yes, "or", no, Truth::yes);
    check(no, "or", yes, Truth::yes);
    check(no, "or", no, Truth::no);
    check(yes, "or", unknown, Truth::yes);
    check(unknown, "or", yes, Truth::yes);
    check(no, "or", unknown, Truth::unknown);
    check(unknown, "or", no, Truth::unknown);
    check(unknown, "or", unknown, Truth::unknown);
    EXPECT_EQ(truth("not lossless", world), Truth::no);
    EXPECT_EQ(truth("not host.iommu", world), Truth::yes);
    EXPECT_EQ(truth("not active_mtu > 1", world), Truth::unknown);
}

TEST(Evaluate, EvidenceIsWhatDecided) {
    World world;
    world.put(kPort, "lossless", true).text(kPort, "link_layer", "Ethernet").number(kPort, "active_mtu", 1024).sweep();
    const Outcome no = outcome("lossless and active_mtu > 2000 and link_layer == \"x\"", world);
    EXPECT_EQ(no.truth, Truth::no);
    EXPECT_THAT(names(no.evidence), ElementsAre("port.active_mtu"));
    const Outcome both = outcome("active_mtu < 2000 or link_layer == \"x\" or lossless", world);
    EXPECT_EQ(both.truth, Truth::yes);
    EXPECT_THAT(names(both.evidence), ElementsAre("port.active_mtu", "port.lossless"));
    const Outcome late = outcome("active_mtu > 2000 or lossless", world);
    EXPECT_THAT(names(late.evidence), ElementsAre("port.lossless"));
    const Outcome neither = outcome("active_mtu > 2000 or link_layer == \"x\"", world);
    EXPECT_THAT(names(neither.evidence), ElementsAre("port.active_mtu", "port.link_layer"));
    const Outcome once = outcome("active_mtu > 1 and active_mtu < 2000", world);
    ASSERT_THAT(names(once.evidence), ElementsAre("port.active_mtu"));
    EXPECT_EQ(once.evidence[0].unit, "bytes");
    EXPECT_EQ(once.evidence[0].how, "");
    EXPECT_EQ(once.evidence[0].reading, Reading(Value(std::int64_t{1024})));
    EXPECT_EQ(once.evidence[0].at, world.history().last());
    EXPECT_FALSE(once.evidence[0].window);
}

TEST(Evaluate, MissingIsOnlyWhatMatters) {
    World world = three();
    const Outcome unknown = outcome("lossless and active_mtu > 1 and link_layer == \"x\"", world);
    EXPECT_EQ(unknown.truth, Truth::unknown);
    EXPECT_THAT(names(unknown.missing), ElementsAre("port.active_mtu", "port.link_layer"));
    EXPECT_EQ(unknown.missing[0].gap.kind, GapClass::error);
    EXPECT_EQ(unknown.missing[1].gap.kind, GapClass::not_collected);
    EXPECT_THAT(names(unknown.evidence), ElementsAre("port.lossless"));
    EXPECT_THAT(outcome("active_mtu > 1 or lossless", world).missing, IsEmpty());
    EXPECT_THAT(outcome("active_mtu > 1 and host.iommu", world).missing, IsEmpty());
    // The inner `or` is known in spite of its gap; only the other term matters.
    const Outcome inner = outcome("(active_mtu > 1 or lossless) and link_layer == \"x\"", world);
    EXPECT_THAT(names(inner.missing), ElementsAre("port.link_layer"));
}

TEST(Evaluate, References) {
    World world;
    world.put(kPort, "netdev", kNetdev).put(kPort, "device", kDevice).put(kDevice, "pci", kPci);
    world.number(kPci, "link_width", 8).number(kNetdev, "mtu", 1500).text(kHost, "intent", "lossy").sweep();
    EXPECT_EQ(truth("netdev.mtu == 1500", world), Truth::yes);
    EXPECT_EQ(truth("device.pci.link_width < 16", world), Truth::yes);
    EXPECT_EQ(truth("host.intent == \"lossy\"", world), Truth::yes);
    EXPECT_EQ(truth("intent != \"lossy\"", world, kHost), Truth::no);
    EXPECT_EQ(truth("netdev == netdev", world), Truth::yes);
    const Outcome yes = outcome("device.pci.link_width < 16", world);
    ASSERT_EQ(yes.evidence.size(), 1u);
    EXPECT_EQ(yes.evidence[0].entity, kPci);
    EXPECT_EQ(yes.evidence[0].unit, "lanes");
    // Beyond what is known: the reference is what is missing.
    const Outcome numa = outcome("device.pci.numa == device.pci.numa", world);
    EXPECT_THAT(names(numa.missing), ElementsAre("pci.numa"));
    World blind;
    blind.gap(kPort, "netdev", GapClass::no_privilege).sweep();
    const Outcome hidden = outcome("netdev.mtu == 1500", blind);
    EXPECT_EQ(hidden.truth, Truth::unknown);
    ASSERT_THAT(names(hidden.missing), ElementsAre("port.netdev"));
    EXPECT_EQ(hidden.missing[0].gap.kind, GapClass::no_privilege);
}

TEST(Evaluate, ReferenceToWhatIsGone) {
    World world;
    world.put(kPort, "netdev", Entity{Kind::netdev, "vanished"}).sweep();
    const Outcome gone = outcome("netdev.mtu > 1", world);
    EXPECT_EQ(gone.truth, Truth::unknown);
    ASSERT_THAT(names(gone.missing), ElementsAre("port.netdev"));
    EXPECT_THAT(gone.missing[0].gap.reason, testing::HasSubstr("not there any more"));
}

TEST(Evaluate, NumbersCompareTruly) {
    World world;
    world.number(kHost, "memory", 9007199254740993).put(kPort, "load", 0.5).number(kPort, "active_mtu", 4096).sweep();
    const std::pair<std::string_view, Truth> cases[] = {
        {"host.memory > 9007199254740992", Truth::yes},
        {"host.memory > 9007199254740992.0", Truth::yes},
        {"9007199254740992.0 < host.memory", Truth::yes},
        {"host.memory == 9007199254740992.0", Truth::no},
        {"host.memory < 1e300", Truth::yes},
        {"host.memory > -1e300", Truth::yes},
        {"load == 0.5", Truth::yes},
        {"load >= 0.5 and load <= 0.5", Truth::yes},
        {"load < 1", Truth::yes},
        {"1 > load", Truth::yes},
        {"active_mtu == 4K", Truth::yes},
        {"active_mtu != 4096.0", Truth::no},
        {"active_mtu == 4096.0", Truth::yes},
        {"active_mtu / 3 * 3 == 4096", Truth::yes},
        {"7 / 2 == 3.5", Truth::yes},
        {"active_mtu - 4096 == 0 and active_mtu + 1 == 4097 and active_mtu * 2 == 8K", Truth::yes},
        {"-active_mtu == 0 - 4096", Truth::yes},
        {"2 + 3 * 4 == 14 and (2 + 3) * 4 == 20 and 20 - 3 - 2 == 15 and 16 / 4 / 2 == 2", Truth::yes},
        {"host.memory * host.memory > 1e31", Truth::yes},
        {"1.5K == 1536 and 1M == 1024 * 1024 and 1G == 1024M and 1T == 1024G", Truth::yes},
    };
    for (const auto& [text, expected] : cases) EXPECT_EQ(truth(text, world), expected) << text;
}

TEST(Evaluate, DivisionByZeroIsUnknown) {
    World world;
    world.put(kPort, "load", 0.0).number(kPort, "active_mtu", 0).sweep();
    const Outcome result = outcome("1 / load > 1", world);
    EXPECT_EQ(result.truth, Truth::unknown);
    ASSERT_THAT(names(result.missing), ElementsAre("port.load"));
    EXPECT_THAT(result.missing[0].gap.reason, testing::HasSubstr("division by zero"));
    EXPECT_EQ(truth("load > 0 and 1 / load > 1", world), Truth::no);
    EXPECT_EQ(truth("1 / active_mtu > 1", world), Truth::unknown);
    EXPECT_EQ(truth("1 / $p > 1", world, kPort, {{"p", 0.0}}), Truth::unknown);
}

TEST(Evaluate, ParametersOfTheSite) {
    World world;
    world.number(kPort, "active_mtu", 1500).sweep();
    const auto expression = compile("active_mtu < $low", Kind::port, {{"low", std::int64_t{1000}}});
    ASSERT_TRUE(expression);
    EXPECT_EQ(expression->evaluate(world.history(), kPort, {}).truth, Truth::no);
    EXPECT_EQ(expression->evaluate(world.history(), kPort, {{"low", std::int64_t{2000}}}).truth, Truth::yes);
    EXPECT_EQ(expression->evaluate(world.history(), kPort, {{"low", 1500.5}}).truth, Truth::yes);
    EXPECT_EQ(expression->evaluate(world.history(), kPort, {{"low", std::string("2000")}}).truth, Truth::no);
}

TEST(Evaluate, TextBooleanVersionBit) {
    World world;
    world.text(kPort, "link_layer", "Ethernet").put(kPort, "lossless", false).put(kPort, "device", kDevice);
    world.text(kDevice, "fw_version", "28.39.1002 (MT_0000000838)")
        .put(kDevice, "pci", kPci)
        .number(kPci, "flags", 5)
        .sweep();
    const std::pair<std::string_view, Truth> cases[] = {
        {"link_layer == \"Ethernet\"", Truth::yes},
        {"link_layer == \"ethernet\"", Truth::no},
        {"link_layer != \"InfiniBand\"", Truth::yes},
        {"lossless == false", Truth::yes},
        {"lossless != (1 > 2)", Truth::no},
        {"version(device.fw_version) < version(\"28.39.1003\")", Truth::yes},
        {"version(device.fw_version) < version(\"28.39.1002\")", Truth::no},
        {"version(device.fw_version) >= version(\"28.39.1002\")", Truth::yes},
        {"version(device.fw_version) > version(\"28.4\")", Truth::yes},
        {"version(device.fw_version) == version(\"28.39.1002.0\")", Truth::yes},
        {"version(device.fw_version) > version(\"none\")", Truth::unknown},
        {"bit(device.pci.flags, 0)", Truth::yes},
        {"bit(device.pci.flags, 1)", Truth::no},
        {"bit(device.pci.flags, $n)", Truth::yes},
        {"bit(7, device.pci.flags - 3)", Truth::yes},
        {"bit(3, device.pci.flags - 3)", Truth::no},
        {"bit(7, device.pci.flags)", Truth::no},
        {"bit(7, device.pci.flags * 20)", Truth::unknown},
        {"bit(7, 0 - device.pci.flags)", Truth::unknown},
        {"bit(device.pci.flags + 2, 1)", Truth::yes},
    };
    for (const auto& [text, expected] : cases)
        EXPECT_EQ(truth(text, world, kPort, {{"n", std::int64_t{2}}}), expected) << text;
}

TEST(Evaluate, KnownIsFalseWhereThereIsNothingToKnow) {
    World world = three();
    EXPECT_EQ(truth("known(lossless)", world), Truth::yes);
    EXPECT_EQ(truth("known(rx_packets)", world), Truth::no);
    EXPECT_EQ(truth("known(netdev)", world), Truth::no);
    EXPECT_EQ(truth("known(netdev.mtu)", world), Truth::no);
    const Outcome hop = outcome("known(netdev.mtu)", world);
    EXPECT_THAT(hop.missing, IsEmpty());
    ASSERT_THAT(names(hop.evidence), ElementsAre("port.netdev"));
    EXPECT_FALSE(hop.evidence[0].reading);
    EXPECT_EQ(truth("known(rx_packets) and rate(rx_packets, 10s) > 1", world), Truth::no);
}

TEST(Evaluate, KnownIsUnknownWhereReadingFailed) {
    const std::pair<GapClass, Truth> cases[] = {
        {GapClass::not_offered, Truth::no},       {GapClass::not_collected, Truth::no},
        {GapClass::error, Truth::unknown},        {GapClass::timed_out, Truth::unknown},
        {GapClass::no_privilege, Truth::unknown},
    };
    for (const auto& [gap, expected] : cases) {
        World fact;
        fact.gap(kPort, "active_mtu", gap).sweep();
        EXPECT_EQ(truth("known(active_mtu)", fact), expected) << name_of(gap);
        EXPECT_EQ(truth("known(active_mtu) and active_mtu < 1500", fact), expected) << name_of(gap);
        EXPECT_EQ(truth("not known(active_mtu)", fact), expected == Truth::no ? Truth::yes : Truth::unknown)
            << name_of(gap);
        EXPECT_EQ(truth("known(active_mtu) and false", fact), Truth::no) << name_of(gap);
        World hop;
        hop.gap(kPort, "netdev", gap).sweep();
        EXPECT_EQ(truth("known(netdev.mtu) and netdev.mtu < 1500", hop), expected) << name_of(gap);
        for (const World* world : {&fact, &hop}) {
            const std::string text = world == &fact ? "known(active_mtu)" : "known(netdev.mtu)";
            const Outcome seen = outcome(text, *world);
            EXPECT_THAT(seen.missing, testing::SizeIs(expected == Truth::unknown ? 1 : 0)) << text << name_of(gap);
            EXPECT_THAT(seen.evidence, testing::SizeIs(expected == Truth::unknown ? 0 : 1)) << text << name_of(gap);
            for (const Missing& missing : seen.missing) EXPECT_EQ(missing.gap.kind, gap);
        }
    }
}

TEST(Evaluate, WhatIsNotThereAnyMoreIsKnownToBeAbsentOnlyWhereItsKindWasEnumerated) {
    World world;
    world.put(kPort, "netdev", kNetdev).sweep();
    EXPECT_EQ(truth("known(netdev.mtu)", world), Truth::no);
    World blind;
    blind.put(kPort, "netdev", kNetdev).kind_gap(Kind::netdev, GapClass::no_privilege).sweep();
    EXPECT_EQ(truth("known(netdev.mtu)", blind), Truth::unknown);
    EXPECT_EQ(outcome("netdev.mtu > 1", blind).missing.at(0).gap.kind, GapClass::no_privilege);
}

TEST(Evaluate, ValuesOfAnUnexpectedTypeAreGaps) {
    World world;
    world.text(kPort, "active_mtu", "big").put(kPort, "load", std::nan("")).number(kPort, "netdev", 3).sweep();
    EXPECT_EQ(truth("active_mtu > 1", world), Truth::unknown);
    EXPECT_EQ(truth("load > 1", world), Truth::unknown);
    EXPECT_EQ(truth("netdev.mtu > 1", world), Truth::unknown);
    EXPECT_EQ(truth("bit(active_mtu, 1)", world), Truth::unknown);
    EXPECT_EQ(truth("known(active_mtu)", world), Truth::unknown);
    EXPECT_EQ(truth("known(netdev.mtu)", world), Truth::unknown);
}

TEST(Evaluate, DurationsBesideSeconds) {
    World world;
    world.number(kPort, "uptime", 60).sweep().sweep();
    EXPECT_EQ(truth("uptime < 1m", world), Truth::no);
    EXPECT_EQ(truth("uptime <= 1m and uptime > 59999ms", world), Truth::yes);
    EXPECT_EQ(truth("avg(uptime, 5s) < 1h", world), Truth::yes);
}

}  // namespace
}  // namespace rd::test
