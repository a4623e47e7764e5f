// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/nvme_states.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace rd::daemon {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr FactSpec kState{Kind::nvme, "state", Type::text, Nature::gauge, "", ""};
constexpr FactSpec kName{Kind::nvme, "name", Type::text, Nature::config, "", ""};
const Entity kController{Kind::nvme, "nqn.2026-01.example:disks 1"};

class NvmeStatesTest : public testing::Test {
protected:
    // What is told after a sweep that saw this; nullopt: it could not be read. "": the controller is not there.
    std::vector<std::string> see(std::optional<std::string> state) {
        now_.boot_ns += 1'000'000'000;
        Snapshot snapshot(layout_, now_);
        if (state != "") snapshot.put(kController, kName, std::string("nvme3"));
        if (!state) {
            snapshot.gap(kController, kState, {GapClass::timed_out, "no answer", ""});
        } else if (!state->empty()) {
            snapshot.put(kController, kState, *state);
        }
        history_.append(std::move(snapshot));
        std::vector<std::string> told;
        for (const store::Event& event : states_.update(history_)) {
            EXPECT_EQ(event.source + " " + event.name + " " + event.subject, "nvme state nvme3");
            EXPECT_EQ(event.entity, kController);
            EXPECT_EQ(event.at, now_);
            told.push_back(event.details);
        }
        return told;
    }

    std::shared_ptr<Layout> layout_ = std::make_shared<Layout>();
    History history_{layout_, Windows{}};
    Stamp now_{1'000'000'000, 1'764'547'200'000'000'000};
    NvmeStates states_;
};

TEST_F(NvmeStatesTest, EachChangeIsTold) {
    EXPECT_THAT(see("live"), IsEmpty());
    EXPECT_THAT(see("live"), IsEmpty());
    EXPECT_THAT(see("resetting"), ElementsAre("from=live to=resetting"));
    EXPECT_THAT(see("connecting"), ElementsAre("from=resetting to=connecting"));
    EXPECT_THAT(see("live"), ElementsAre("from=connecting to=live"));
}

TEST_F(NvmeStatesTest, WhatCannotBeReadIsNoChangeAndHidesNone) {
    EXPECT_THAT(see("live"), IsEmpty());
    EXPECT_THAT(see(std::nullopt), IsEmpty());
    EXPECT_THAT(see("connecting"), ElementsAre("from=live to=connecting"));
}

TEST_F(NvmeStatesTest, OneThatComesBackIsANewOne) {
    EXPECT_THAT(see("live"), IsEmpty());
    EXPECT_THAT(see(""), IsEmpty());
    EXPECT_THAT(see("connecting"), IsEmpty());
}

}  // namespace
}  // namespace rd::daemon
