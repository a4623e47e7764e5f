// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

std::string of_priority(const Snapshot& now, int number, std::string_view fact) {
    return value(now, Kind::priority, "pci-0000:41:00.0/0/" + std::to_string(number), fact);
}

std::shared_ptr<FakeHost> host_with_buffers() {
    const auto host = roce_host();
    host->file("dcb.buffer/ens1f0",
               "prio_buffer_0=0 prio_buffer_1=0 prio_buffer_2=0 prio_buffer_3=1 prio_buffer_4=0 prio_buffer_5=0 "
               "prio_buffer_6=0 prio_buffer_7=0 size_0=20016 size_1=156096 size_2=0 total=524160\n");
    return host;
}

TEST(Buffers, EachPriorityHasTheSizeOfItsBuffer) {
    const Snapshot now = sweep(host_with_buffers(), {"buffers"});
    EXPECT_EQ(of_priority(now, 3, "rx_buffer"), "1");
    EXPECT_EQ(of_priority(now, 3, "rx_buffer_size"), "156096");
    EXPECT_EQ(of_priority(now, 7, "rx_buffer_size"), "20016");
    expect_complete(now, collector("buffers"));
}

TEST(Buffers, ABufferWithoutSizeIsNotOffered) {
    const auto host = host_with_buffers();
    host->file("dcb.buffer/ens1f0", "prio_buffer_3=5 size_0=20016\n");
    const Snapshot now = sweep(host, {"buffers"});
    EXPECT_EQ(of_priority(now, 3, "rx_buffer"), "5");
    EXPECT_EQ(of_priority(now, 3, "rx_buffer_size"), "gap(not offered)");
    EXPECT_EQ(of_priority(now, 0, "rx_buffer"), "gap(not offered)");
}

TEST(Buffers, MostDriversHaveNone) {
    const auto host = roce_host();
    host->error("dcb.buffer/ens1f0", {Errc::not_supported, "dcb.buffer/ens1f0: Operation not supported", {}});
    const Snapshot now = sweep(host, {"buffers"});
    EXPECT_EQ(of_priority(now, 3, "rx_buffer_size"), "gap(not offered)");
}

TEST(Buffers, SurvivesBadInput) { expect_bad_input_is_survived(host_with_buffers, "buffers", {{"dcb.pfc/ens1f0"}}); }

}  // namespace
}  // namespace rd::collectors::test
