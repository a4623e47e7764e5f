// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/qp_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace rd::daemon {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr FactSpec kError{Kind::port, "qps_error", Type::integer, Nature::gauge, "", ""};
constexpr FactSpec kLqpn{Kind::port, "qps_error_lqpn", Type::integer, Nature::gauge, "", ""};
constexpr FactSpec kPid{Kind::port, "qps_error_pid", Type::integer, Nature::gauge, "", ""};
constexpr FactSpec kKern{Kind::port, "qps_error_kern", Type::text, Nature::gauge, "", ""};
constexpr FactSpec kPortName{Kind::port, "name", Type::text, Nature::config, "", ""};
constexpr FactSpec kProcessName{Kind::process, "name", Type::text, Nature::config, "", ""};
const Entity kPort{Kind::port, "pci-0000:41:00.0/1"};
const Entity kProcess{Kind::process, "4242"};

class QpErrorsTest : public testing::Test {
protected:
    // What is told after a sweep that read so many; nullopt: it could not be read.
    std::vector<std::string> read(std::optional<std::int64_t> count, const std::string& maker = "fio") {
        now_.boot_ns += 1'000'000'000;
        Snapshot snapshot(layout_, now_);
        snapshot.put(kPort, kPortName, std::string("mlx5_0/1"));
        if (count) {
            snapshot.put(kPort, kError, *count);
        } else {
            snapshot.gap(kPort, kError, {GapClass::timed_out, "no answer", ""});
        }
        snapshot.put(kPort, kLqpn, std::int64_t{17});
        const Gap other{GapClass::not_offered, "made by another", ""};
        if (maker == "fio") {
            snapshot.put(kPort, kPid, std::int64_t{4242});
            snapshot.put(kProcess, kProcessName, maker);
        } else {
            snapshot.gap(kPort, kPid, other);
        }
        if (maker == "nvme_rdma") {
            snapshot.put(kPort, kKern, maker);
        } else {
            snapshot.gap(kPort, kKern, other);
        }
        history_.append(std::move(snapshot));
        std::vector<std::string> told;
        for (const store::Event& event : errors_.update(history_)) {
            EXPECT_EQ(event.source + " " + event.name + " " + event.subject, "qp ERR mlx5_0/1");
            EXPECT_EQ(event.entity, kPort);
            told.push_back(std::to_string(event.count) + ": " + event.details);
        }
        return told;
    }

    std::shared_ptr<Layout> layout_ = std::make_shared<Layout>();
    History history_{layout_, Windows{}};
    Stamp now_{1'000'000'000, 1'764'547'200'000'000'000};
    QpErrors errors_;
};

TEST_F(QpErrorsTest, TwoReadingsInARowTellAndNameWhoMadeIt) {
    EXPECT_THAT(read(0), IsEmpty());
    EXPECT_THAT(read(3), IsEmpty());
    EXPECT_THAT(read(5), ElementsAre("3: queue_pairs=3 before=0 lqpn=17 pid=4242 process=fio"));
    EXPECT_THAT(read(5), ElementsAre("2: queue_pairs=5 before=3 lqpn=17 pid=4242 process=fio"));
    EXPECT_THAT(read(5), IsEmpty());
}

TEST_F(QpErrorsTest, PassingThroughErrIsNoEvent) {
    EXPECT_THAT(read(0), IsEmpty());
    EXPECT_THAT(read(40), IsEmpty());
    EXPECT_THAT(read(0), IsEmpty());
    EXPECT_THAT(read(40), IsEmpty());
}

TEST_F(QpErrorsTest, WhatWasThereAtTheStartIsNoEventAndWhatComesAgainIs) {
    EXPECT_THAT(read(2, "nvme_rdma"), IsEmpty());
    EXPECT_THAT(read(2, "nvme_rdma"), IsEmpty());
    EXPECT_THAT(read(0, "nvme_rdma"), IsEmpty());
    EXPECT_THAT(read(1, "nvme_rdma"), IsEmpty());
    EXPECT_THAT(read(1, "nvme_rdma"), ElementsAre("1: queue_pairs=1 before=0 lqpn=17 kernel=nvme_rdma"));
}

TEST_F(QpErrorsTest, WhoMadeItMayNotBeKnown) {
    EXPECT_THAT(read(0, "a container"), IsEmpty());
    EXPECT_THAT(read(1, "a container"), IsEmpty());
    EXPECT_THAT(read(1, "a container"), ElementsAre("1: queue_pairs=1 before=0 lqpn=17 owner=not-known"));
}

TEST_F(QpErrorsTest, NotKnownIsNotNone) {
    EXPECT_THAT(read(2), IsEmpty());
    EXPECT_THAT(read(std::nullopt), IsEmpty());
    EXPECT_THAT(read(2), IsEmpty());
    EXPECT_THAT(read(2), IsEmpty());
}

}  // namespace
}  // namespace rd::daemon
