// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "core/base/records.h"
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

std::string kernel_line(std::string_view text, int level = 6, std::string_view more = "us=1500000") {
    Record record;
    record.set("level", static_cast<std::uint64_t>(level));
    record.set("facility", "0");
    record.set("text", text);
    std::string line = record.text();
    line.insert(line.size() - 1, " " + std::string(more));
    return line;
}

std::string other_line(std::string_view source, std::string_view text, std::string_view count = {}) {
    Record record;
    if (!source.empty()) record.set("source", source);
    record.set("text", text);
    if (!count.empty()) record.set("count", count);
    return record.text();
}

std::shared_ptr<FakeHost> host_with(std::string_view kmsg, std::string_view logs) {
    auto host = roce_host();
    host->file("kmsg", kmsg);
    host->file("logs", logs);
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"logs"}, {"log_line_age"}); }

std::vector<std::string> texts(const Snapshot& now, std::string_view fact = "line") {
    std::vector<std::string> out;
    for (const Entity& entity : now.entities(Kind::log)) out.push_back(value(now, entity, fact));
    return out;
}
std::string host_fact(const Snapshot& now, std::string_view fact) { return value(now, Kind::host, "", fact); }

TEST(Logs, OneEntityAShapeWithItsLastLine) {
    const Snapshot now =
        look(host_with(kernel_line("nvme nvme3: Failed reconnect attempt 7", 4, "us=100000") +
                           kernel_line("nvme nvme3: Failed reconnect attempt 8", 4, "us=250000"),
                       other_line("ceph", "osd.3 RDMA: status 12", "5") + other_line("", "got status 12")));
    EXPECT_THAT(texts(now), ::testing::UnorderedElementsAre("nvme nvme3: Failed reconnect attempt 8",
                                                            "osd.3 RDMA: status 12", "got status 12"));
    EXPECT_THAT(texts(now, "source"), ::testing::UnorderedElementsAre("kernel", "ceph", "application"));
    EXPECT_THAT(texts(now, "count"), ::testing::UnorderedElementsAre("2", "5", "1"));
    EXPECT_THAT(texts(now, "at"), ::testing::UnorderedElementsAre("0.25", "gap(not offered)", "gap(not offered)"));
    EXPECT_THAT(texts(now, "age"), ::testing::UnorderedElementsAre("0.75", "gap(not offered)", "gap(not offered)"));
    EXPECT_EQ(host_fact(now, "kernel_log_shapes"), "1");
    EXPECT_EQ(host_fact(now, "application_log_shapes"), "2");
    expect_complete(now, collector("logs"));
}

TEST(Logs, CountWhatIsTheSameWordForWord) {
    const auto down = [](std::string_view netdev, std::string_view us) {
        return kernel_line(fmt::format("mlx5_core 0000:41:00.0 {}: Link down", netdev), 4, us);
    };
    const Snapshot now = look(host_with(
        down("ens1f0np0", "us=100000") + down("ens1f0np0", "us=200000") + down("ens1f1np1", "us=300000"), ""));
    EXPECT_THAT(texts(now, "count"), ::testing::UnorderedElementsAre("2", "1"));
    EXPECT_THAT(texts(now, "repeats"), ::testing::UnorderedElementsAre("2", "1"));
}

TEST(Logs, OfTheKernelWhatMayConcernRdmaOrIsAWarning) {
    Record user;
    user.set("facility", "1");
    user.set("text", "mlx5_core: not the kernel");
    Record bare;
    bare.set("text", "mlx5_core: copied without its head");
    const Snapshot now =
        look(host_with(kernel_line("mlx5_core: info") + kernel_line("usb: info") + kernel_line("usb: warning", 4) +
                           kernel_line("scsi: Timed out") + user.text() + bare.text() + "level=3\n",
                       ""));
    EXPECT_THAT(texts(now), ::testing::UnorderedElementsAre("mlx5_core: info", "usb: warning", "scsi: Timed out",
                                                            "mlx5_core: copied without its head"));
}

TEST(Logs, AreBoundedTroubleFirstAndNewBeforeOld) {
    std::string kmsg = kernel_line("mlx5_core: the oldest, and a warning", 4);
    for (int i = 0; i < 400; ++i) {
        const std::string word{static_cast<char>('a' + i / 26), static_cast<char>('a' + i % 26)};
        kmsg += kernel_line("mlx5_core: " + word) + kernel_line("mlx5_core: " + word);
    }
    const Snapshot now = look(host_with(kmsg, ""));
    EXPECT_EQ(host_fact(now, "kernel_log_shapes"), "352");
    EXPECT_EQ(host_fact(now, "kernel_log_left_out"), "98");
    EXPECT_THAT(texts(now), ::testing::Contains("mlx5_core: the oldest, and a warning"));
    EXPECT_THAT(texts(now), ::testing::Contains("mlx5_core: pj"));
    EXPECT_THAT(texts(now), ::testing::Not(::testing::Contains("mlx5_core: aa")));
}

TEST(Logs, WhatCouldNotBeReadIsAGap) {
    auto host = roce_host();
    host->error("kmsg", denied("kmsg"));
    const Snapshot now = look(host);
    EXPECT_EQ(host_fact(now, "kernel_log_shapes"), "gap(no privilege)");
    EXPECT_EQ(host_fact(now, "application_log_left_out").substr(0, 4), "gap(");
    EXPECT_TRUE(now.entities(Kind::log).empty());
    expect_complete(now, collector("logs"));
}

// The lines of a log that cannot be read are gone, and the host says why; those of the other stay.
TEST(Logs, SurviveBadInput) {
    for (const std::string& bad : {std::string("level=6 facility"), std::string("\xff\xfe\n%zz=%"),
                                   std::string(70000, '\n'), "text=" + std::string(1 << 20, 'a') + "\n"}) {
        const Snapshot kernel = look(host_with(bad, other_line("ceph", "y")));
        EXPECT_THAT(texts(kernel), ::testing::Contains("y"));
        EXPECT_EQ(host_fact(kernel, "application_log_shapes"), "1");
        expect_complete(kernel, collector("logs"));
        const Snapshot others = look(host_with(kernel_line("mlx5_core: x"), bad));
        EXPECT_THAT(texts(others), ::testing::Contains("mlx5_core: x"));
        expect_complete(others, collector("logs"));
    }
    const Snapshot garbage = look(host_with("level=6 facility\n", ""));
    EXPECT_EQ(host_fact(garbage, "kernel_log_shapes"), "gap(error)");
    EXPECT_THAT(reason(garbage, Kind::host, "", "kernel_log_shapes"), ::testing::StartsWith("kmsg: "));
    const Snapshot empty = look(host_with("", ""));
    EXPECT_EQ(host_fact(empty, "kernel_log_shapes"), "0");
}

}  // namespace
}  // namespace rd::collectors::test
