// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/state.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/facts/drift.h"

namespace rd::cli {
namespace {

constexpr FactSpec kRows[] = {
    {Kind::host, "name", Type::text, Nature::config, "", ""},
    {Kind::host, "devices", Type::integer, Nature::gauge, "", ""},
    {Kind::device, "name", Type::text, Nature::config, "", ""},
    {Kind::device, "firmware", Type::text, Nature::config, "", ""},
    {Kind::device, "mtu", Type::integer, Nature::config, "bytes", ""},
    {Kind::device, "heat", Type::real, Nature::gauge, "celsius", ""},
    {Kind::device, "soft", Type::boolean, Nature::config, "", ""},
    reference(Kind::device, "pci", Kind::pci, ""),
    family(Kind::device, "raw_", Nature::counter, "", ""),
};
const Entity kHost{Kind::host, ""}, kDevice{Kind::device, "pci-0000:41:00.0"};

const Catalog& catalog() {
    static const std::span<const FactSpec> tables[] = {kRows};
    static const Catalog made = *Catalog::build(tables);
    return made;
}

std::string body_of(
    const std::string& entities,
    const std::string& run = R"({"boot_id": "b1", "from": "2026-11-24T08:00:00Z", "to": "2026-11-24T10:00:00Z"})") {
    return R"({"schema_version": 1, "at": "2026-11-24T10:00:30Z", "run": )" + run + R"(, "entities": [)" + entities +
           "]}";
}
std::string device(const std::string& facts) {
    return R"({"kind": "device", "id": "pci-0000:41:00.0", "name": "mlx5_0", "facts": [)" + facts + "]}";
}

TEST(State, IsASnapshot) {
    const auto state = past_state(body_of(device(R"(
        {"fact": "name", "value": "mlx5_0", "since": "x"}, {"fact": "mtu", "value": 4200}, {"fact": "heat", "value": 41},
        {"fact": "soft", "value": false}, {"fact": "pci", "value": {"kind": "pci", "id": "0000:41:00.0"}},
        {"fact": "raw_x", "value": 7},
        {"fact": "firmware", "gap": {"class": "no_privilege", "reason": "not permitted", "remedy": "run as root"}})")),
                                  catalog());
    ASSERT_TRUE(state) << state.error().what;
    const Snapshot& snapshot = state->snapshot;
    EXPECT_EQ(snapshot.stamp().wall_ns, 1'795'514'400'000'000'000) << "of the last look";
    EXPECT_TRUE(state->watched) << "it has not written down yet how far it has come";
    EXPECT_EQ(state->boot_id, "b1");
    EXPECT_EQ(snapshot.label(kDevice), "mlx5_0");
    EXPECT_EQ(snapshot.integer(kDevice, "mtu"), 4200);
    EXPECT_EQ(snapshot.real(kDevice, "heat"), 41.0);
    EXPECT_EQ(snapshot.boolean(kDevice, "soft"), false);
    EXPECT_EQ(snapshot.reference(kDevice, "pci"), (Entity{Kind::pci, "0000:41:00.0"}));
    EXPECT_EQ(snapshot.integer(kDevice, "raw_x"), 7);
    const Reading& firmware = snapshot.get(kDevice, "firmware");
    ASSERT_FALSE(firmware);
    EXPECT_EQ(firmware.error(), (Gap{GapClass::no_privilege, "not permitted", "run as root"}));
}

TEST(State, WhatIsOfAnotherKindIsLeftOut) {
    const auto state = past_state(body_of(device(R"(
        {"fact": "mtu", "value": "4200"}, {"fact": "soft", "value": 1}, {"fact": "pci", "value": "x"}, {"fact": "newer", "value": 1},
        {"fact": "firmware"}, {"fact": "name", "gap": {"class": "newer"}}, {"fact": "heat", "gap": 3}, 7, null)") +
                                          R"(, {"kind": "tomorrow", "id": "x", "facts": []}, 7, {"kind": "pci"})"),
                                  catalog());
    ASSERT_TRUE(state) << state.error().what;
    EXPECT_TRUE(state->snapshot.has(kDevice));
    EXPECT_EQ(state->snapshot.layout().slot_count(), 0u);
}

TEST(State, WhoDidNotWatchHasTheStateOfBefore) {
    const auto before = past_state(
        body_of(device(""), R"({"boot_id": "b0", "from": "2026-11-20T08:00:00Z", "to": "2026-11-23T10:00:00Z"})"),
        catalog());
    ASSERT_TRUE(before);
    EXPECT_FALSE(before->watched);
    EXPECT_EQ(before->snapshot.stamp().wall_ns, 1'795'428'000'000'000'000);
    for (const std::string& body : {body_of(device(""), "null"), body_of("")}) {
        const auto none = past_state(body, catalog());
        ASSERT_FALSE(none);
        EXPECT_EQ(none.error().code, Errc::not_found);
        EXPECT_EQ(none.error().what, "the daemon has kept nothing of 2026-11-24T10:00:30.000Z");
    }
    for (const char* body :
         {"", "[]", "{}", R"({"at": "2026-11-24T10:00:30Z"})", R"({"at": "x", "run": null, "entities": []})"})
        EXPECT_EQ(past_state(body, catalog()).error().code, Errc::bad_input) << body;
}

TEST(State, DevicesThatCouldNotBeListedAreNotGone) {
    const std::string gap =
        R"({"kind": "host", "id": "", "facts": [{"fact": "devices", "gap": {"class": "timed_out", "reason": "no answer"}}]})";
    const auto blind = past_state(body_of(gap), catalog());
    ASSERT_TRUE(blind);
    ASSERT_NE(blind->snapshot.kind_gap(Kind::device), nullptr);
    EXPECT_EQ(blind->snapshot.kind_gap(Kind::device)->kind, GapClass::timed_out);
    const std::string none = R"({"kind": "host", "id": "", "facts": [{"fact": "devices", "value": 0}]})";
    EXPECT_EQ(past_state(body_of(none), catalog())->snapshot.kind_gap(Kind::device), nullptr);
}

TEST(State, WhatIsNotKeptOfATimeIsSaidAndNotCalledChanged) {
    std::vector<PastState> states;
    states.push_back(*past_state(
        body_of(device(R"({"fact": "mtu", "value": 4200}, {"fact": "firmware", "value": "1"})")), catalog()));
    states.push_back(
        *past_state(body_of(device(R"({"fact": "mtu", "value": 1500}, {"fact": "soft", "value": true})")), catalog()));
    say_what_is_not_kept(states);
    EXPECT_EQ(states[1].snapshot.get(kDevice, "firmware").error().reason, "the daemon has no value of that time");
    EXPECT_EQ(states[0].snapshot.get(kDevice, "soft").error().kind, GapClass::not_collected);
    const Snapshot* both[] = {&states[0].snapshot, &states[1].snapshot};
    const Comparison found = compare(both, Likeness::recordings);
    ASSERT_EQ(found.drift.size(), 1u);
    EXPECT_EQ(found.drift[0].fact, "mtu");
    std::vector<std::string> unknown;
    for (const FactRow& row : found.not_compared) unknown.push_back(row.fact);
    EXPECT_EQ(unknown, (std::vector<std::string>{"firmware", "soft"}));
}

}  // namespace
}  // namespace rd::cli
