// SPDX-License-Identifier: GPL-2.0-or-later
// Values, catalogue, snapshot and site.
#include <gtest/gtest.h>

#include "core/facts/catalog.h"
#include "core/facts/collector.h"
#include "core/facts/site.h"
#include "core/facts/snapshot.h"

namespace rd {
namespace {

constexpr FactSpec kRows[] = {
    {Kind::netdev, "mtu", Type::integer, Nature::config, "bytes", ""},
    {Kind::netdev, "name", Type::text, Nature::config, "", ""},
    {Kind::port, "state", Type::text, Nature::config, "", ""},
    reference(Kind::port, "netdev", Kind::netdev, ""),
    family(Kind::port, "raw_", Nature::counter, "", ""),
};
const std::span<const FactSpec> kTables[] = {kRows};

TEST(Catalog, FindsRowsAndFamilies) {
    const Catalog catalog = Catalog::build(kTables).value();
    ASSERT_NE(catalog.find(Kind::netdev, "mtu"), nullptr);
    EXPECT_EQ(catalog.find(Kind::netdev, "mtu")->unit, "bytes");
    EXPECT_EQ(catalog.find(Kind::port, "mtu"), nullptr);
    ASSERT_NE(catalog.find(Kind::port, "raw_foo"), nullptr);
    EXPECT_TRUE(catalog.find(Kind::port, "raw_foo")->family);
    EXPECT_EQ(catalog.similar(Kind::netdev, "mtuu").front(), "mtu");
}

TEST(Catalog, RefusesTwoRowsOfOneName) {
    const std::span<const FactSpec> twice[] = {kRows, kRows};
    const auto built = Catalog::build(twice);
    ASSERT_FALSE(built);
    EXPECT_NE(built.error().what.find("netdev.mtu"), std::string::npos);
}

TEST(Nature, KnowsItsLimits) {
    EXPECT_EQ(counter_max(Nature::saturating4), 15);
    EXPECT_EQ(counter_max(Nature::saturating8), 255);
    EXPECT_EQ(counter_max(Nature::saturating16), 65535);
    EXPECT_EQ(counter_max(Nature::counter32), 4294967295);
    EXPECT_FALSE(is_counter(Nature::percent));
    EXPECT_TRUE(is_saturating(Nature::saturating32));
    EXPECT_FALSE(is_saturating(Nature::counter32));
}

TEST(Value, GapClassesOfErrors) {
    EXPECT_EQ(gap_from({Errc::not_found, "", ""}).kind, GapClass::not_offered);
    EXPECT_EQ(gap_from({Errc::not_supported, "", ""}).kind, GapClass::not_offered);
    EXPECT_EQ(gap_from({Errc::no_privilege, "", ""}).kind, GapClass::no_privilege);
    EXPECT_EQ(gap_from({Errc::timed_out, "", ""}).kind, GapClass::timed_out);
    EXPECT_EQ(gap_from({Errc::not_collected, "", ""}).kind, GapClass::not_collected);
    EXPECT_EQ(gap_from({Errc::bad_input, "", ""}).kind, GapClass::error);
    EXPECT_EQ(gap_from({Errc::limit, "", ""}).kind, GapClass::error);
}

TEST(Value, NamesGoBothWays) {
    for (int i = 0; i < kKindCount; ++i) {
        Kind kind{};
        EXPECT_TRUE(kind_from_name(name_of(static_cast<Kind>(i)), kind));
        EXPECT_EQ(kind, static_cast<Kind>(i));
    }
    Kind kind{};
    EXPECT_FALSE(kind_from_name("qp", kind));
}

TEST(Snapshot, GapsAndValuesAndLabels) {
    Snapshot snapshot(std::make_shared<Layout>(), {});
    const Entity netdev{Kind::netdev, "pci-0000:41:00.0/0"}, port{Kind::port, "pci-0000:41:00.0/1"};
    snapshot.put(netdev, kRows[0], std::int64_t{9000});
    snapshot.put(netdev, kRows[1], std::string("ens1f0"));
    snapshot.put(port, kRows[3], netdev);
    snapshot.gap(port, kRows[2], Gap{GapClass::timed_out, "no answer", ""});
    EXPECT_EQ(snapshot.label(netdev), "ens1f0");
    EXPECT_EQ(snapshot.named("ens1f0"), std::vector<Entity>{netdev});
    EXPECT_EQ(snapshot.reference(port, "netdev"), netdev);
    EXPECT_FALSE(snapshot.integer(port, "state"));
    EXPECT_EQ(snapshot.get(port, "rate").error().kind, GapClass::not_collected);
    EXPECT_EQ(print(snapshot),
              "netdev ens1f0 mtu = 9000 bytes\nnetdev ens1f0 name = ens1f0\nport pci-0000:41:00.0/1 netdev = ens1f0\n"
              "port pci-0000:41:00.0/1 state gap(timed out): no answer\n");
}

TEST(Snapshot, EntitiesAreOrderedAsPeopleCount) {
    Snapshot snapshot(std::make_shared<Layout>(), {});
    for (const char* id : {"10", "2", "1"}) snapshot.present({Kind::numa, id});
    std::string order;
    for (const Entity& entity : snapshot.entities(Kind::numa)) order += entity.id + " ";
    EXPECT_EQ(order, "1 2 10 ");
}

TEST(Parsers, RefuseWhatIsNotAValue) {
    EXPECT_EQ(as_integer("42\n").value(), Value(std::int64_t{42}));
    EXPECT_FALSE(as_integer(""));
    EXPECT_FALSE(as_integer("42 apples"));
    EXPECT_FALSE(as_counter("-1"));
    EXPECT_FALSE(as_counter("18446744073709551615"));  // does not fit: an error, never a wrap
    EXPECT_FALSE(as_text(" \n"));
    EXPECT_EQ(as_text(" a b \n").value(), Value(std::string("a b")));
    EXPECT_FALSE(
        as_text("a\x01"
                "b"));
    EXPECT_EQ(as_switch("on").value(), Value(true));
    EXPECT_FALSE(as_switch("maybe"));
}

TEST(Site, ReadsEveryKey) {
    const auto site = parse_site(R"(
intent = "lossless"
[expect]
devices = 8
rate = "400G"
roce_dscp = 26
[expect.firmware]
MT_0000000838 = "28.39.1002"
)",
                                 "site.toml");
    ASSERT_TRUE(site) << site.error().what;
    EXPECT_EQ(site->intent, "lossless");
    EXPECT_EQ(site->expected_devices, 8);
    EXPECT_EQ(site->expected_rate, 400);
    EXPECT_EQ(site->roce_dscp, 26);
    EXPECT_EQ(site->firmware.at("MT_0000000838"), "28.39.1002");
    EXPECT_FALSE(parse_site("", "empty").value().intent);
}

TEST(Site, LeavesTheTablesOfTheDaemonToIt) {
    const auto site =
        parse_site("intent = \"lossy\"\n[daemon]\nx = 1\n[store]\n[api]\n[alerts.hook]\npath = \"/x\"\n", "site.toml");
    ASSERT_TRUE(site) << site.error().what;
    EXPECT_EQ(site->intent, "lossy");
}

struct BadSite {
    const char* text;
    const char* where;
};
// By the complaint: as bytes, the addresses of its texts would be part of a test's name.
void PrintTo(const BadSite& bad, std::ostream* out) { *out << bad.where; }

class SiteComplaints : public ::testing::TestWithParam<BadSite> {};

TEST_P(SiteComplaints, NameThePlace) {
    const auto site = parse_site(GetParam().text, "site.toml");
    ASSERT_FALSE(site);
    EXPECT_EQ(site.error().code, Errc::bad_input);
    EXPECT_TRUE(site.error().what.starts_with(GetParam().where)) << site.error().what;
}

INSTANTIATE_TEST_SUITE_P(All, SiteComplaints,
                         ::testing::Values(BadSite{"intnet = \"lossy\"", "site.toml:1:1: unknown key 'intnet'"},
                                           BadSite{"intent = \"maybe\"", "site.toml:1:10: intent must be"},
                                           BadSite{"intent = 3", "site.toml:1:10: intent must be"},
                                           BadSite{"[expect]\ndevices = -1", "site.toml:2:11: expect.devices"},
                                           BadSite{"[expect]\ndevices = \"8\"", "site.toml:2:11: expect.devices"},
                                           BadSite{"[expect]\nrate = \"fast\"", "site.toml:2:8: expect.rate"},
                                           BadSite{"[expect]\nroce_dscp = 64", "site.toml:2:13: expect.roce_dscp"},
                                           BadSite{"[expect]\nspeed = 1", "site.toml:2:1: unknown key 'speed'"},
                                           BadSite{"[expect.firmware]\nX = \"v28\"",
                                                   "site.toml:2:5: a firmware version"},
                                           BadSite{"[expect]\ndevcies = 1", "site.toml:2:1: unknown key 'devcies'"},
                                           BadSite{"alerts = 1", "site.toml:1:10: alerts must be a table"},
                                           BadSite{"expect = 1", "site.toml:1:10: expect must be a table"},
                                           BadSite{"intent = \"lossy\"\nintent = \"lossy\"", "site.toml:2:"},
                                           BadSite{"intent = \"lossy", "site.toml:1:"}));

TEST(SiteComplaint, NamesTheNearestKey) {
    const auto remedy = [](std::string_view text) { return parse_site(text, "site.toml").error().remedy; };
    EXPECT_EQ(remedy("intnet = \"lossy\""), "did you mean intent?");
    EXPECT_EQ(remedy("[expected]\ndevices = 1"), "did you mean expect?");
    EXPECT_EQ(remedy("[expect]\ndevcies = 1"), "did you mean devices?");
    EXPECT_EQ(remedy("[expect]\nspeed = 1"), "known here: devices, rate, roce_dscp, firmware");
    EXPECT_EQ(remedy("zone = 1"), "known here: intent, expect, daemon, store, api, alerts");
}

}  // namespace
}  // namespace rd
