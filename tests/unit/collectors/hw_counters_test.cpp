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
    EXPECT_EQ(is("raw_link_downed"), "11");
    EXPECT_EQ(is("raw_ack_deferred"), "6");
}

// One driver's statistics, and what they are called here.
struct Driver {
    std::string name;
    std::string statistics;
    std::vector<std::pair<std::string, std::string>> facts;
};

const std::vector<Driver> kDrivers{
    {"bnxt_re",
     "active_qps=12 watermark_qps=40 rx_pkts=1 to_retransmits=2 seq_err_naks_rcvd=3 max_retry_exceeded=4 "
     "rnr_naks_rcvd=5 "
     "missing_resp=6 local_protection_err=7 remote_invalid_req_err=8 remote_access_err=9 dup_req=10 res_exceeds_wqe=11 "
     "oos_drop_count=12 rx_out_of_buffer=13 tx_cnp_pkts=14 rx_cnp_pkts=15 rx_ecn_marked_pkts=16 rx_roce_discards=17 "
     "recoverable_errors=18 pacing_alerts=19",
     {{"level_active_qps", "12"},
      {"level_watermark_qps", "40"},
      {"rx_packets", "1"},
      {"local_ack_timeout_err", "2"},
      {"packet_seq_err", "3"},
      {"retry_exceeded", "4"},
      {"rnr_nak_retry_err", "5"},
      {"implied_nak_seq_err", "6"},
      {"req_local_protection_errors", "7"},
      {"req_remote_invalid_request", "8"},
      {"req_remote_access_errors", "9"},
      {"duplicate_request", "10"},
      {"resp_local_length_error", "11"},
      {"out_of_sequence", "12"},
      {"out_of_buffer", "13"},
      {"np_cnp_sent", "14"},
      {"rp_cnp_handled", "15"},
      {"np_ecn_marked", "16"},
      {"rx_drops", "17"},
      {"raw_recoverable_errors", "18"},
      {"pacing_alerts", "19"}}},
    {"a later bnxt_re",
     "max_retry_exceeded=1 resp_local_length_error=2 res_exceeds_wqe=3 np_cnp_pkts=4",
     {{"retry_exceeded", "1"}, {"resp_local_length_error", "2"}, {"raw_res_exceeds_wqe", "3"}, {"np_cnp_sent", "4"}}},
    {"mlx4",
     "sq_num_tree=1 sq_num_rree=2 rq_num_rnr=3 sq_num_rnr=4 rq_num_oos=5 sq_num_oos=6 rq_num_dup=7 sq_num_to=8 "
     "rq_num_lle=9 sq_num_lpe=10 sq_num_bre=11",
     {{"retry_exceeded", "1"},
      {"rnr_retry_exceeded", "2"},
      {"rnr_nak_sent", "3"},
      {"rnr_nak_retry_err", "4"},
      {"out_of_sequence", "5"},
      {"packet_seq_err", "6"},
      {"duplicate_request", "7"},
      {"local_ack_timeout_err", "8"},
      {"resp_local_length_error", "9"},
      {"req_local_protection_errors", "10"},
      {"raw_sq_num_bre", "11"}}},
    {"irdma",
     "cnpHandled=1 ip4InDiscards=2 tcpRetransSegs=3 RxECNMrkd=4 RxUDP=5 iwInRdmaWrites=6 RNR%20sent=7 SwLinkUp,32=8 "
     "ip4OutNoRoutes=9 ip6OutNoRoutes=10",
     {{"rp_cnp_handled", "1"},
      {"raw_ip4indiscards", "2"},
      {"retransmits", "3"},
      {"np_ecn_marked", "4"},
      {"rx_packets", "5"},
      {"rx_write_requests", "6"},
      {"rnr_nak_sent", "7"},
      {"raw_swlinkup_32", "8"},
      {"ipv4_no_route", "9"},
      {"ipv6_no_route", "10"},
      {"packet_seq_err", "gap(not offered)"}}},
    {"hns_roce",
     "rx_pkt=1 tx_pkt=2 rx_cnp_pkt=3 tx_cnp_pkt=4 trp_get_mpt_err_pkt=5",
     {{"rx_packets", "1"},
      {"tx_packets", "2"},
      {"rp_cnp_handled", "3"},
      {"np_cnp_sent", "4"},
      {"raw_trp_get_mpt_err_pkt", "5"}}},
    {"efa",
     "tx_bytes=1 rx_pkts=2 rx_drops=3 retrans_pkts=4 retrans_timeout_events=5 rdma_read_wr_err=6 rdma_write_wr_err=7",
     {{"tx_bytes", "1"},
      {"rx_packets", "2"},
      {"rx_drops", "3"},
      {"retransmits", "4"},
      {"local_ack_timeout_err", "5"},
      {"rdma_read_errors", "6"},
      {"rdma_write_errors", "7"}}},
    {"erdma",
     "tx_packets_cnt=1 rx_bytes_cnt=2 rx_bps_limit_drop_cnt=3 tx_bps_limit_drop_cnt=4 rx_pps_limit_drop_cnt=5 "
     "tx_pps_limit_drop_cnt=6",
     {{"tx_packets", "1"},
      {"rx_bytes", "2"},
      {"rx_byte_limit_drops", "3"},
      {"tx_byte_limit_drops", "4"},
      {"rx_packet_limit_drops", "5"},
      {"tx_packet_limit_drops", "6"}}},
    {"mana",
     "requester_timeout=1 responder_oos=2 requester_retries_exceeded=3 received_cnps=4 current_rate=5 tx_packets=6",
     {{"local_ack_timeout_err", "1"},
      {"out_of_sequence", "2"},
      {"retry_exceeded", "3"},
      {"rp_cnp_handled", "4"},
      {"level_current_rate", "5"},
      {"tx_packets", "6"}}},
};

TEST(HwCounters, OfOtherDrivers) {
    for (const Driver& driver : kDrivers) {
        SCOPED_TRACE(driver.name);
        const auto host = roce_host();
        host->file("rdma.stat/mlx5_0/1", driver.statistics + "\n");
        const Snapshot now = look(host);
        for (const auto& [fact, expected] : driver.facts) EXPECT_EQ(of_port(now, fact), expected) << fact;
        expect_complete(now, collector("hw_counters"));
    }
}

constexpr std::string_view kDevice = "pci-0000:41:00.0";
const std::string kOfDevice = "/sys/class/infiniband/mlx5_0/hw_counters/";

std::shared_ptr<FakeHost> mana_like(std::shared_ptr<FakeHost> host) {
    host->file(kOfDevice + "lifespan", "10\n")
        .file(kOfDevice + "sent_cnps", "31\n")
        .file(kOfDevice + "out_of_sequence", "32\n")
        .file(kOfDevice + "cmds_err", "33\n")
        .file(kOfDevice + "active_qps", "34\n");
    return host;
}

TEST(HwCounters, WhatOnlyTheDeviceCountsIsThatOfItsOnePort) {
    const auto host = mana_like(roce_host());
    host->file("rdma.stat/mlx5_0/1", "out_of_sequence=2\n");
    const Snapshot now = look(host);
    const auto of_device = [&](std::string_view fact) { return value(now, Kind::device, kDevice, fact); };
    EXPECT_EQ(of_port(now, "np_cnp_sent"), "31");
    EXPECT_EQ(of_port(now, "out_of_sequence"), "2") << "the port counts it itself";
    EXPECT_EQ(of_device("raw_out_of_sequence"), "32");
    EXPECT_EQ(of_device("raw_cmds_err"), "33");
    EXPECT_EQ(of_device("level_active_qps"), "34");
    EXPECT_EQ(of_device("raw_lifespan"), "gap(not collected)");
    expect_complete(now, collector("hw_counters"));
}

TEST(HwCounters, TwoPortsDoNotShareWhatTheDeviceCounts) {
    const auto host = mana_like(roce_host());
    host->file("rdma.stat/mlx5_0/1", "out_of_sequence=2\n").file("rdma.stat/mlx5_0/2", "out_of_sequence=3\n");
    host->file("/sys/class/infiniband/mlx5_0/ports/2/state", "4: ACTIVE\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "np_cnp_sent"), "gap(not offered)");
    EXPECT_EQ(value(now, Kind::port, "pci-0000:41:00.0/2", "out_of_sequence"), "3");
    EXPECT_EQ(value(now, Kind::device, kDevice, "raw_sent_cnps"), "31");
    expect_complete(now, collector("hw_counters"));
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
    expect_bad_input_is_survived([] { return mana_like(roce_tree()); }, "hw_counters");
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
