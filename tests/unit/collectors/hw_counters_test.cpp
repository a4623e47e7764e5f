// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kPort = "pci-0000:41:00.0/1";
constexpr std::string_view kSoftPort = "guid-0200:00ff:fe00:0001/1";
const std::string kDirectory = "/sys/class/infiniband/mlx5_0/ports/1/hw_counters";

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"hw_counters"}); }
std::string of_port(const Snapshot& now, std::string_view fact) { return value(now, Kind::port, kPort, fact); }

TEST(HwCounters, OfMlx5) {
    const Snapshot now = look(roce_host());
    EXPECT_EQ(of_port(now, "out_of_sequence"), "6140236");
    EXPECT_EQ(of_port(now, "local_ack_timeout_err"), "91316");
    EXPECT_EQ(of_port(now, "np_ecn_marked"), "11293938");
    EXPECT_EQ(of_port(now, "np_cnp_sent"), "17269947");
    EXPECT_EQ(of_port(now, "adp_retrans"), "5");
    EXPECT_EQ(of_port(now, "retry_exceeded"), "2");
    EXPECT_EQ(of_port(now, "icrc_errors"), "0");
    EXPECT_EQ(of_port(now, "raw_rx_dct_connect"), "7");
    EXPECT_EQ(of_port(now, "rnr_nak_sent"), "gap(not offered)");
    EXPECT_THAT(reason(now, Kind::port, kPort, "rnr_nak_sent"), ::testing::HasSubstr("rdma.stat/mlx5_0/1"));
    expect_complete(now, collector("hw_counters"));
}

TEST(HwCounters, OfSoftRoce) {
    const Snapshot now = look(rxe_host());
    const auto is = [&](std::string_view fact) { return value(now, Kind::port, kSoftPort, fact); };
    EXPECT_EQ(is("tx_packets"), "100");
    EXPECT_EQ(is("rx_packets"), "200");
    EXPECT_EQ(is("duplicate_request"), "1");
    EXPECT_EQ(is("out_of_sequence"), "2");
    EXPECT_EQ(is("rnr_nak_retry_err"), "3");
    EXPECT_EQ(is("rnr_nak_sent"), "4");
    EXPECT_EQ(is("packet_seq_err"), "5");
    EXPECT_EQ(is("retry_exceeded"), "7");
    EXPECT_EQ(is("rnr_retry_exceeded"), "8");
    EXPECT_EQ(is("completer_retries"), "9");
    EXPECT_EQ(is("link_downed"), "11");
    EXPECT_EQ(is("raw_ack_deferred"), "6");
}

TEST(HwCounters, OfOtherDrivers) {
    const auto host = roce_host();
    host->file("rdma.stat/mlx5_0/1", "to_retransmits=1 seq_err_naks_rcvd=2 max_retry_exceeded=3 rx_pkts=4\n");
    const Snapshot bnxt = look(host);
    EXPECT_EQ(of_port(bnxt, "local_ack_timeout_err"), "1");
    EXPECT_EQ(of_port(bnxt, "packet_seq_err"), "2");
    EXPECT_EQ(of_port(bnxt, "retry_exceeded"), "3");
    EXPECT_EQ(of_port(bnxt, "rx_packets"), "4");
    host->file("rdma.stat/mlx5_0/1", "cnpHandled=1 ip4InDiscards=2 SwLinkUp,32=3\n");
    const Snapshot irdma = look(host);
    EXPECT_EQ(of_port(irdma, "rp_cnp_handled"), "1");
    EXPECT_EQ(of_port(irdma, "raw_ip4indiscards"), "2");
    EXPECT_EQ(of_port(irdma, "raw_swlinkup_32"), "3");
}

TEST(HwCounters, FromFilesWhereNetlinkIsSilent) {
    const auto host = roce_tree();
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "out_of_sequence"), "6140236");
    EXPECT_EQ(of_port(now, "np_ecn_marked"), "11293938");
    EXPECT_EQ(of_port(now, "raw_rx_dct_connect"), "7");
    EXPECT_EQ(of_port(now, "out_of_buffer"), "gap(not offered)");
    EXPECT_EQ(of_port(now, "raw_lifespan"), "gap(not collected)") << "lifespan is no counter";
    expect_complete(now, collector("hw_counters"));
}

// On mlx5 with optional counters only this one marks the driver's cache as fresh for the others.
TEST(HwCounters, TheFileThatRefreshesIsReadFirst) {
    Sweep one(roce_tree(), std::vector{&collector("hw_counters")}, {}, {});
    (void)one.run(Due::all);
    EXPECT_EQ(one.read_names().front(), kDirectory + "/rx_write_requests");
    EXPECT_EQ(one.read_count(), 7u);
}

TEST(HwCounters, ADriverWithoutPortCountersHasGaps) {
    const auto host = roce_tree();
    host->gone(kDirectory).error(kDirectory, absent(kDirectory));
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "out_of_sequence"), "gap(not offered)");
    EXPECT_THAT(reason(now, Kind::port, kPort, "out_of_sequence"), ::testing::HasSubstr("hw_counters"));
}

TEST(HwCounters, OneUnreadableFileHidesNoOther) {
    const auto host = roce_tree();
    host->error(kDirectory + "/out_of_sequence", {Errc::io, kDirectory + "/out_of_sequence: Invalid argument", {}})
        .file(kDirectory + "/np_cnp_sent", "N/A (no PMA)\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "out_of_sequence"), "gap(error)");
    EXPECT_EQ(of_port(now, "np_cnp_sent"), "gap(error)");
    EXPECT_EQ(of_port(now, "local_ack_timeout_err"), "91316");
}

TEST(HwCounters, SurvivesBadInput) {
    expect_bad_input_is_survived(roce_tree, "hw_counters");
    expect_bad_input_is_survived(rxe_host, "hw_counters",
                                 {{"rdma.stat/rxe0/1", "/sys/class/infiniband/rxe0/node_guid"}});
}

TEST(HwCounters, GarbageFromNetlinkIsAnError) {
    const auto host = roce_host();
    host->file("rdma.stat/mlx5_0/1", "out_of_sequence=many np_cnp_sent=4\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "out_of_sequence"), "gap(error)");
    EXPECT_EQ(of_port(now, "np_cnp_sent"), "4");
    host->file("rdma.stat/mlx5_0/1", "no record\n");
    EXPECT_EQ(of_port(look(host), "np_cnp_sent"), "gap(error)");
}

}  // namespace
}  // namespace rd::collectors::test
