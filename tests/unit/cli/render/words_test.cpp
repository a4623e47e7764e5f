// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/words.h"

#include <gtest/gtest.h>

namespace rd::cli {
namespace {

using namespace std::chrono_literals;

TEST(NumberText, KeepsWhatMatters) {
    EXPECT_EQ(number_text(0), "0");
    EXPECT_EQ(number_text(3), "3");
    EXPECT_EQ(number_text(15.754), "15.8");
    EXPECT_EQ(number_text(132.456), "132");
    EXPECT_EQ(number_text(1234567.8), "1234568");
    EXPECT_EQ(number_text(0.0123456), "0.0123");
    EXPECT_EQ(number_text(1e-5), "1e-05");
    EXPECT_EQ(number_text(-2.5), "-2.5");
}

TEST(SecondsText, GrowsWithTheTime) {
    EXPECT_EQ(seconds_text(250ms), "250 ms");
    EXPECT_EQ(seconds_text(2s), "2.0 s");
    EXPECT_EQ(seconds_text(15min), "15 min");
    EXPECT_EQ(seconds_text(30h), "30.0 h");
}

TEST(EvidenceText, SaysWhatWasMadeOfTheFact) {
    const Entity port{Kind::port, "p/1"};
    EXPECT_EQ(evidence_text({port, "f", "", Value(std::int64_t{4096}), "bytes", {}, {}}), "4096 bytes");
    EXPECT_EQ(evidence_text({port, "f", "rate", Value(131.9), "packets", 2s, {}}), "132 packets/s over 2.0 s");
    EXPECT_EQ(evidence_text({port, "f", "rate", Value(131.9), "packets/s", 2s, {}}), "132 packets/s over 2.0 s");
    EXPECT_EQ(evidence_text({port, "f", "increase", Value(5.0), "", 10s, {}}), "+5 over 10.0 s");
    EXPECT_EQ(evidence_text({port, "f", "changed", Value(true), "", 10s, {}}), "changed over 10.0 s");
    EXPECT_EQ(evidence_text({port, "f", "max", Value(7.0), "us", 10s, {}}), "max 7 us over 10.0 s");
    const Gap gap{GapClass::no_privilege, "pci.config/x: not permitted", "run as root"};
    EXPECT_EQ(evidence_text({port, "f", "", Reading(tl::unexpect, gap), "", {}, {}}),
              "no privilege: pci.config/x: not permitted (run as root)");
}

TEST(SomeOf, CountsTheRest) {
    EXPECT_EQ(some_of({"a", "b"}, 2), "a, b");
    EXPECT_EQ(some_of({"a", "b", "c", "d"}, 2), "a, b and 2 more");
    EXPECT_EQ(some_of({}, 2), "");
}

}  // namespace
}  // namespace rd::cli
