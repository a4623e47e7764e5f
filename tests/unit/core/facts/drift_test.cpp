// SPDX-License-Identifier: GPL-2.0-or-later
// Which entity answers to which, and what differs between them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "core/facts/drift.h"

namespace rd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr FactSpec kRows[] = {
    {Kind::host, "name", Type::text, Nature::config, "", ""},
    {Kind::host, "intent", Type::text, Nature::config, "", ""},
    {Kind::host, "governors", Type::text, Nature::config, "", ""},
    {Kind::host, "memory_available", Type::integer, Nature::gauge, "", ""},
    {Kind::device, "name", Type::text, Nature::config, "", ""},
    {Kind::device, "hca_type", Type::text, Nature::config, "", ""},
    {Kind::device, "firmware", Type::text, Nature::config, "", ""},
    {Kind::device, "node_guid", Type::text, Nature::config, "", ""},
    reference(Kind::device, "pci", Kind::pci, ""),
    {Kind::port, "name", Type::text, Nature::config, "", ""},
    {Kind::port, "rate", Type::real, Nature::gauge, "Gbit/s", ""},
    {Kind::port, "packets", Type::integer, Nature::counter, "packets", ""},
    {Kind::port, "lost", Type::integer, Nature::counter32, "packets", ""},
    reference(Kind::port, "netdev", Kind::netdev, ""),
    {Kind::netdev, "name", Type::text, Nature::config, "", ""},
    {Kind::netdev, "mtu", Type::integer, Nature::config, "bytes", ""},
    {Kind::netdev, "wire_trust", Type::text, Nature::config, "", ""},
    reference(Kind::netdev, "lower", Kind::netdev, ""),
    reference(Kind::netdev, "master", Kind::netdev, ""),
    {Kind::priority, "dscp_list", Type::text, Nature::config, "", ""},
    {Kind::pci, "link_width", Type::integer, Nature::gauge, "lanes", ""},
    {Kind::pci, "device_id", Type::text, Nature::config, "", ""},
    reference(Kind::pci, "parent", Kind::pci, ""),
    {Kind::nvme, "transport", Type::text, Nature::config, "", ""},
};

const FactSpec& row(Kind kind, std::string_view name) {
    for (const FactSpec& spec : kRows) {
        if (spec.kind == kind && spec.name == name) return spec;
    }
    throw std::invalid_argument(std::string(name));
}

struct Machine {
    explicit Machine(std::int64_t seconds = 1)
        : snapshot(std::make_shared<Layout>(), Stamp{seconds * 1'000'000'000, 0}) {
        put({Kind::host, ""}, "governors", std::string("performance 64"));
    }
    Machine& put(const Entity& entity, std::string_view fact, Value value) {
        snapshot.put(entity, row(entity.kind, fact), std::move(value));
        return *this;
    }
    Machine& gap(const Entity& entity, std::string_view fact, GapClass kind) {
        snapshot.present(entity);
        snapshot.gap(entity, row(entity.kind, fact), Gap{kind, "because", ""});
        return *this;
    }
    // A card with its port and interface at the address.
    Machine& card(const std::string& address, const std::string& name, const std::string& model,
                  std::int64_t mtu = 9000) {
        const Entity pci{Kind::pci, address}, device{Kind::device, "pci-" + address},
            port{Kind::port, device.id + "/1"}, netdev{Kind::netdev, device.id + "/0"};
        put(pci, "link_width", std::int64_t{16}).put(pci, "device_id", model);
        put(device, "name", name).put(device, "hca_type", model).put(device, "pci", pci);
        put(device, "firmware", std::string("28")).put(device, "node_guid", name + address);
        put(port, "name", name + "/1").put(port, "netdev", netdev);
        put(netdev, "name", "eth-" + name).put(netdev, "mtu", mtu);
        return *this;
    }
    Snapshot snapshot;
};

Comparison compared(const std::vector<const Machine*>& machines, Likeness likeness = Likeness::twins) {
    std::vector<const Snapshot*> snapshots;
    for (const Machine* machine : machines) snapshots.push_back(&machine->snapshot);
    return compare(snapshots, likeness);
}

std::vector<std::string> told(const std::vector<FactRow>& rows) {
    std::vector<std::string> out;
    for (const FactRow& row : rows) out.push_back(row.entity + (row.entity.empty() ? "" : " ") + row.fact);
    return out;
}

std::vector<std::string> told(const std::vector<Unpaired>& rows) {
    std::vector<std::string> out;
    for (const Unpaired& one : rows) {
        std::string on;
        for (const bool there : one.on) on += there ? '+' : '-';
        out.push_back(std::string(name_of(one.kind)) + " " + one.entity + " " + on);
    }
    return out;
}

TEST(Drift, TwinsWithNothingButTheirOwn) {
    Machine a, b;
    a.card("0000:41:00.0", "mlx5_0", "MT4129").put({Kind::host, ""}, "name", std::string("a"));
    b.card("0000:41:00.0", "mlx5_9", "MT4129").put({Kind::host, ""}, "name", std::string("b"));
    a.put({Kind::host, ""}, "memory_available", std::int64_t{1});
    b.put({Kind::host, ""}, "memory_available", std::int64_t{2});
    const Comparison got = compared({&a, &b});
    EXPECT_THAT(told(got.drift), IsEmpty());
    EXPECT_THAT(told(got.unpaired), IsEmpty());
    EXPECT_THAT(told(got.not_compared), IsEmpty());
    EXPECT_EQ(got.equal, 6u) << "governors, hca_type, firmware, mtu, link_width, device_id";
}

TEST(Drift, OneSettingAndOneLink) {
    Machine a, b;
    a.card("0000:41:00.0", "mlx5_0", "MT4129");
    b.card("0000:41:00.0", "mlx5_0", "MT4129", 1500).put({Kind::pci, "0000:41:00.0"}, "link_width", std::int64_t{8});
    const Comparison got = compared({&a, &b});
    EXPECT_THAT(told(got.drift), ElementsAre("eth-mlx5_0 mtu", "0000:41:00.0 link_width"));
    EXPECT_EQ(got.drift[0].readings[1], Reading(Value(std::int64_t{1500})));
    EXPECT_FALSE(got.drift[0].usual) << "of two neither is the usual one";
}

TEST(Drift, TheMajorityIsUsual) {
    Machine a, b, c;
    for (Machine* machine : {&a, &b, &c})
        machine->card("0000:41:00.0", "mlx5_0", "MT4129", machine == &b ? 1500 : 9000);
    const Comparison got = compared({&a, &b, &c});
    ASSERT_THAT(told(got.drift), ElementsAre("eth-mlx5_0 mtu"));
    EXPECT_EQ(got.drift[0].usual, Value(std::int64_t{9000}));
    const Entity netdev{Kind::netdev, "pci-0000:41:00.0/0"};
    c.put(netdev, "mtu", std::int64_t{4200});
    EXPECT_FALSE(compared({&a, &b, &c}).drift[0].usual) << "three values";
    c.gap(netdev, "mtu", GapClass::error);
    EXPECT_FALSE(compared({&a, &b, &c}).drift[0].usual) << "one against one";
}

TEST(Drift, AGapIsNotEqual) {
    Machine a, b;
    a.card("0000:41:00.0", "mlx5_0", "MT4129");
    b.card("0000:41:00.0", "mlx5_0", "MT4129").gap({Kind::netdev, "pci-0000:41:00.0/0"}, "mtu", GapClass::no_privilege);
    const Comparison got = compared({&a, &b});
    EXPECT_THAT(told(got.drift), IsEmpty());
    EXPECT_THAT(told(got.not_compared), ElementsAre("eth-mlx5_0 mtu"));
    a.gap({Kind::netdev, "pci-0000:41:00.0/0"}, "mtu", GapClass::no_privilege);
    EXPECT_THAT(told(compared({&a, &b}).not_compared), IsEmpty()) << "nobody has it, so nothing is hidden";
}

TEST(Drift, NoDscpForAPriorityTells) {
    Machine a, b;
    const Entity priority{Kind::priority, "pci-0000:41:00.0/0/3"};
    a.card("0000:41:00.0", "mlx5_0", "MT4129").put(priority, "dscp_list", std::string("26"));
    b.card("0000:41:00.0", "mlx5_0", "MT4129").gap(priority, "dscp_list", GapClass::not_offered);
    EXPECT_THAT(told(compared({&a, &b}).drift), ElementsAre("pci-0000:41:00.0/0/3 dscp_list"));
    b.gap(priority, "dscp_list", GapClass::error);
    EXPECT_THAT(told(compared({&a, &b}).drift), IsEmpty());
    EXPECT_THAT(told(compared({&a, &b}).not_compared), ElementsAre("pci-0000:41:00.0/0/3 dscp_list"));
}

TEST(Drift, ACardInAnotherSlotIsTheSameCard) {
    Machine a, b;
    a.card("0000:41:00.0", "mlx5_0", "MT4129").card("0000:c1:00.0", "mlx5_1", "MT4125", 1500);
    b.card("0000:81:00.0", "mlx5_0", "MT4129").card("0000:c2:00.0", "mlx5_1", "MT4125", 4200);
    const Comparison got = compared({&a, &b});
    EXPECT_THAT(told(got.unpaired), IsEmpty());
    EXPECT_THAT(told(got.drift), ElementsAre("eth-mlx5_1 mtu"));
}

TEST(Drift, AnotherCardInTheSameSlot) {
    Machine a, b;
    a.card("0000:41:00.0", "mlx5_0", "MT4129");
    b.card("0000:41:00.0", "mlx5_0", "MT4125");
    const Comparison got = compared({&a, &b});
    EXPECT_THAT(told(got.unpaired), IsEmpty());
    EXPECT_THAT(told(got.drift), UnorderedElementsAre("mlx5_0 hca_type", "0000:41:00.0 device_id"));
}

TEST(Drift, ACardThatIsMissing) {
    Machine a, b, c;
    for (Machine* machine : {&a, &b, &c}) machine->card("0000:41:00.0", "mlx5_0", "MT4129");
    for (Machine* machine : {&a, &c}) machine->card("0000:42:00.0", "mlx5_1", "MT4129");
    EXPECT_THAT(told(compared({&a, &b, &c}).unpaired), ElementsAre("device mlx5_1 +-+"))
        << "its port and interface are no further news";
    b.snapshot.kind_gap(Kind::device, Gap{GapClass::timed_out, "hung", ""});
    const Comparison hidden = compared({&a, &b, &c});
    EXPECT_THAT(told(hidden.unpaired), IsEmpty()) << "it may well be there";
    ASSERT_EQ(hidden.unlisted.size(), 1u);
    EXPECT_EQ(hidden.unlisted[0].host, 1u);
}

TEST(Drift, AHostWithoutRdma) {
    Machine a, b;
    a.card("0000:41:00.0", "mlx5_0", "MT4129");
    EXPECT_THAT(told(compared({&a, &b}).unpaired), ElementsAre("device mlx5_0 +-"));
    EXPECT_THAT(told(compared({&b, &a}).unpaired), ElementsAre("device mlx5_0 -+"));
    Machine c;
    EXPECT_THAT(told(compared({&b, &c}).unpaired), IsEmpty());
    EXPECT_EQ(compared({&b, &c}).equal, 1u);
}

TEST(Drift, OnlyWhatRdmaRunsOver) {
    Machine a, b;
    for (Machine* machine : {&a, &b}) {
        machine->card("0000:41:00.0", "mlx5_0", "MT4129");
        const std::int64_t mtu = machine == &a ? 1500 : 9000;
        const Entity port{Kind::port, "pci-0000:41:00.0/1"}, bond{Kind::netdev, "name-bond0"},
            vlan{Kind::netdev, "name-bond0.5"};
        machine->put({Kind::netdev, "name-docker0"}, "mtu", mtu).put({Kind::netdev, "pci-0000:01:00.0/0"}, "mtu", mtu);
        machine->put({Kind::netdev, "pci-0000:41:00.0/0"}, "master", bond).put(bond, "mtu", mtu);
        machine->put(vlan, "lower", bond).put(vlan, "mtu", mtu).put(port, "netdev", bond);
    }
    EXPECT_THAT(told(compared({&a, &b}).drift), ElementsAre("name-bond0 mtu", "name-bond0.5 mtu"));
}

TEST(Drift, SoftwareGoesByItsName) {
    Machine a, b;
    for (Machine* machine : {&a, &b}) {
        const std::string guid = machine == &a ? "guid-1" : "guid-2";
        machine->put({Kind::device, guid}, "name", std::string("rxe0"));
        machine->put({Kind::port, guid + "/1"}, "rate", machine == &a ? 10.0 : 25.0);
    }
    const Comparison got = compared({&a, &b});
    EXPECT_THAT(told(got.unpaired), IsEmpty());
    EXPECT_EQ(got.drift.size(), 1u);
}

TEST(Drift, WhatLiesAboveTheCard) {
    Machine a, b;
    for (Machine* machine : {&a, &b}) {
        const std::string address = machine == &a ? "0000:41:00.0" : "0000:81:00.0";
        const Entity bridge{Kind::pci, machine == &a ? "0000:40:01.0" : "0000:80:01.0"};
        machine->card(address, "mlx5_0", "MT4129").put({Kind::pci, address}, "parent", bridge);
        machine->put(bridge, "link_width", std::int64_t{machine == &a ? 16 : 4});
    }
    EXPECT_THAT(told(compared({&a, &b}).drift), ElementsAre("0000:40:01.0 link_width"));
}

TEST(Drift, WhatChangedOnOneHost) {
    Machine before, after;
    before.card("0000:41:00.0", "mlx5_0", "MT4129").put({Kind::host, ""}, "name", std::string("a"));
    after.card("0000:41:00.0", "mlx5_1", "MT4129").put({Kind::host, ""}, "name", std::string("a"));
    before.put({Kind::nvme, "nqn#1"}, "transport", std::string("pcie"));
    const Comparison got = compared({&before, &after}, Likeness::recordings);
    EXPECT_THAT(told(got.drift),
                UnorderedElementsAre("mlx5_0 name", "mlx5_0 node_guid", "mlx5_0/1 name", "eth-mlx5_0 name"))
        << "a new name matters to those who use it";
    EXPECT_THAT(told(got.unpaired), ElementsAre("nvme nqn#1 +-"));
    EXPECT_THAT(told(compared({&before, &after}).unpaired), IsEmpty()) << "disks of twins have names of their own";
}

TEST(Drift, CountersBetweenTwoRecordings) {
    const Entity port{Kind::port, "p"};
    Machine before(100), after(160);
    before.put(port, "packets", std::int64_t{100}).put(port, "lost", std::int64_t{4294967290});
    after.put(port, "packets", std::int64_t{150}).put(port, "lost", std::int64_t{4});
    std::vector<CounterRow> got = increases(before.snapshot, after.snapshot);
    ASSERT_EQ(got.size(), 2u);
    EXPECT_EQ(got[0].fact, "lost");
    EXPECT_EQ(got[0].increase.amount, 10) << "it has wrapped";
    EXPECT_EQ(got[1].increase.amount, 50);
    EXPECT_EQ(got[1].increase.window, std::chrono::seconds(60));
    after.put(port, "packets", std::int64_t{100}).gap(port, "lost", GapClass::error);
    EXPECT_THAT(increases(before.snapshot, after.snapshot), IsEmpty());
}

TEST(Drift, WhatIsCompared) {
    const FactSpec name{Kind::port, "lid", Type::integer, Nature::config, "", ""};
    EXPECT_FALSE(is_compared(name, Likeness::twins));
    EXPECT_TRUE(is_compared(name, Likeness::recordings));
    const FactSpec trust{Kind::netdev, "trust", Type::text, Nature::config, "", ""};
    EXPECT_TRUE(is_compared(trust, Likeness::twins));
    EXPECT_FALSE(is_compared(row(Kind::netdev, "wire_trust"), Likeness::twins)) << "trust has been told";
    EXPECT_THAT(echoes_of(trust), ElementsAre(std::pair(Kind::netdev, std::string_view("wire_trust"))));
    EXPECT_FALSE(is_compared(row(Kind::host, "intent"), Likeness::recordings)) << "our own configuration";
    EXPECT_FALSE(is_compared(row(Kind::host, "memory_available"), Likeness::recordings));
    EXPECT_FALSE(is_compared(row(Kind::port, "packets"), Likeness::recordings));
    EXPECT_FALSE(is_compared(row(Kind::port, "netdev"), Likeness::recordings));
    const FactSpec alarm{Kind::netdev, "module_bias_low_alarm", Type::real, Nature::config, "", ""};
    EXPECT_FALSE(is_compared(alarm, Likeness::twins));
}

}  // namespace
}  // namespace rd
