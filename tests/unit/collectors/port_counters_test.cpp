// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kPort = "pci-0000:41:00.0/1";
const std::string kCounters = "/sys/class/infiniband/mlx5_0/ports/1/counters/";

// As on an InfiniBand port of ConnectX-7.
std::shared_ptr<FakeHost> ib_tree() {
    const auto host = roce_tree();
    const auto put = [&](const std::string& name, const std::string& text) {
        host->file(kCounters + name, text + "\n");
    };
    for (const std::string name : {"port_rcv_remote_physical_errors", "port_rcv_switch_relay_errors",
                                   "port_xmit_discards", "port_xmit_constraint_errors", "port_rcv_constraint_errors",
                                   "local_link_integrity_errors", "multicast_xmit_packets", "multicast_rcv_packets"}) {
        put(name, "0");
    }
    put("symbol_error", "65535");
    put("link_error_recovery", "7");
    put("link_downed", "2");
    put("port_rcv_errors", "14");
    put("excessive_buffer_overrun_errors", "15");
    put("VL15_dropped", "3");
    put("port_xmit_wait", "2489603687");
    put("port_xmit_data", "230442669431839");
    put("port_rcv_data", "230539874932483");
    put("port_xmit_packets", "315487941081");
    put("port_rcv_packets", "317548853677");
    put("unicast_xmit_packets", "315487941081");
    put("unicast_rcv_packets", "317548853677");
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"port_counters"}); }
std::string of_port(const Snapshot& now, std::string_view fact) { return value(now, Kind::port, kPort, fact); }

Nature nature_of(std::string_view fact) { return catalog().value().find(Kind::port, fact)->nature; }

TEST(PortCounters, OfAnInfiniBandPort) {
    const Snapshot now = look(ib_tree());
    EXPECT_EQ(of_port(now, "link_error_recovery"), "7");
    EXPECT_EQ(of_port(now, "link_downed"), "2");
    EXPECT_EQ(of_port(now, "port_rcv_errors"), "14");
    EXPECT_EQ(of_port(now, "vl15_dropped"), "3");
    EXPECT_EQ(of_port(now, "port_xmit_wait"), "2489603687");
    EXPECT_EQ(of_port(now, "port_rcv_packets"), "317548853677");
    expect_complete(now, collector("port_counters"));
}

TEST(PortCounters, DataIsCountedInWordsOfFourBytes) {
    const Snapshot now = look(ib_tree());
    EXPECT_EQ(of_port(now, "port_xmit_bytes"), "921770677727356");
    EXPECT_EQ(of_port(now, "port_rcv_bytes"), "922159499729932");
}

// A value at its maximum stays: history says that its rate is unknown.
TEST(PortCounters, NarrowOnesSaturate) {
    EXPECT_EQ(of_port(look(ib_tree()), "symbol_error"), "65535");
    EXPECT_EQ(nature_of("symbol_error"), Nature::saturating16);
    EXPECT_EQ(nature_of("link_error_recovery"), Nature::saturating8);
    EXPECT_EQ(nature_of("excessive_buffer_overrun_errors"), Nature::saturating4);
    EXPECT_EQ(nature_of("port_xmit_wait"), Nature::saturating32);
    EXPECT_EQ(nature_of("port_xmit_packets"), Nature::counter);
}

TEST(PortCounters, WithoutExtendedCountersAFullOneTellsNothing) {
    const auto host = ib_tree();
    host->file(kCounters + "port_xmit_data", "4294967295\n").file(kCounters + "port_rcv_packets", "4294967295\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "port_xmit_bytes"), "gap(error)");
    EXPECT_EQ(of_port(now, "port_rcv_packets"), "gap(error)");
    host->file(kCounters + "port_xmit_data", "4294967294\n");
    EXPECT_EQ(of_port(look(host), "port_xmit_bytes"), "17179869176");
}

TEST(PortCounters, MoreThanCanBeCountedIsAnError) {
    const auto host = ib_tree();
    host->file(kCounters + "port_xmit_data", "9223372036854775807\n");
    EXPECT_EQ(of_port(look(host), "port_xmit_bytes"), "gap(error)");
}

TEST(PortCounters, ADriverWithoutAgentOffersNone) {
    const auto host = roce_tree();
    const std::string directory = kCounters.substr(0, kCounters.size() - 1);
    host->error(directory, absent(directory));
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "symbol_error"), "gap(not offered)");
    EXPECT_THAT(reason(now, Kind::port, kPort, "symbol_error"), ::testing::HasSubstr("performance agent"));
    expect_complete(now, collector("port_counters"));
}

TEST(PortCounters, OldKernelsSayItInWords) {
    const auto host = ib_tree();
    host->file(kCounters + "link_downed", "N/A (no PMA)\n").file(kCounters + "port_rcv_data", "N/A (no PMA)\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "link_downed"), "gap(not offered)");
    EXPECT_EQ(of_port(now, "port_rcv_bytes"), "gap(not offered)");
    EXPECT_EQ(of_port(now, "port_xmit_bytes"), "921770677727356");
}

// ConnectX-7 in a GPU system: the file is there, its read fails.
TEST(PortCounters, OneUnreadableFileHidesNoOther) {
    const auto host = ib_tree();
    host->error(kCounters + "VL15_dropped", {Errc::io, kCounters + "VL15_dropped: Invalid argument", {}});
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "vl15_dropped"), "gap(error)");
    EXPECT_EQ(of_port(now, "link_downed"), "2");
}

TEST(PortCounters, AFileThatIsMissingIsNotOffered) {
    const auto host = ib_tree();
    host->gone(kCounters + "unicast_rcv_packets");
    EXPECT_EQ(of_port(look(host), "unicast_rcv_packets"), "gap(not offered)");
}

TEST(PortCounters, AreReadTwiceAMinute) { EXPECT_EQ(collector("port_counters").every, Seconds(30)); }

TEST(PortCounters, SurvivesBadInput) { expect_bad_input_is_survived(ib_tree, "port_counters"); }

}  // namespace
}  // namespace rd::collectors::test
