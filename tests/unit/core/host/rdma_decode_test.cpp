// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/rdma_decode.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "socket_bytes.h"

namespace rd {
namespace {

using namespace nldev;
using test::attribute;
using test::ByteVector;
using test::operator+;
using test::raw;

std::string line(const Result<Record>& record) { return record ? record->text() : "error: " + record.error().what; }

TEST(DecodeRdma, Device) {
    const ByteVector answer =
        attribute(kDevIndex, std::uint32_t{2}) + attribute(kDevName, "mlx5_0") +
        attribute(kPortIndex, std::uint32_t{1}) + attribute(kCapFlags, std::uint64_t{1}) +
        attribute(kFwVersion, "28.39.1002") + attribute(0) + attribute(kNodeGuid, std::uint64_t{0x0002c90300345678}) +
        attribute(kSysImageGuid, std::uint64_t{0xffffffffffffffff}) + attribute(kDevNodeType, std::uint8_t{1}) +
        attribute(kDevDim, std::uint8_t{1}) + attribute(kDevProtocol, "roce") + attribute(4000, std::uint8_t{1});
    EXPECT_EQ(
        line(decode_rdma_device(answer)),
        "index=2 name=mlx5_0 ports=1 fw=28.39.1002 node_guid=0002:c903:0034:5678 sys_image_guid=ffff:ffff:ffff:ffff "
        "node_type=ca dim=1 protocol=roce\n");
    EXPECT_EQ(line(decode_rdma_device(attribute(kDevNodeType, std::uint8_t{77}))), "node_type=77\n");
    const auto identity = decode_rdma_identity(answer);
    ASSERT_TRUE(identity);
    EXPECT_EQ(identity->name, "mlx5_0");
    EXPECT_EQ(identity->index, 2u);
    EXPECT_EQ(identity->ports, 1u);
}

TEST(DecodeRdma, Port) {
    EXPECT_EQ(
        line(decode_rdma_port(attribute(kDevIndex, std::uint32_t{0}) + attribute(kDevName, "mlx5_0") +
                              attribute(kPortIndex, std::uint32_t{1}) +
                              attribute(kCapFlags, std::uint64_t{0x2651e848}) + attribute(kLid, std::uint32_t{17}) +
                              attribute(kSmLid, std::uint32_t{1}) + attribute(kLmc, std::uint8_t{0}) +
                              attribute(kPortState, std::uint8_t{4}) + attribute(kPortPhysState, std::uint8_t{5}) +
                              attribute(kNdevIndex, std::uint32_t{6}) + attribute(kNdevName, "ens1f0"))),
        "cap_flags=0x2651e848 lid=17 sm_lid=1 lmc=0 state=4 phys_state=5 ifindex=6 netdev=ens1f0\n");
}

TEST(DecodeRdma, ResourcesAndStatistics) {
    const auto summary = [](std::string_view name, std::uint64_t count) {
        return attribute(kResSummaryEntry,
                         attribute(kResSummaryEntryName, name) + attribute(kResSummaryEntryCurr, count));
    };
    EXPECT_EQ(
        line(decode_rdma_resources(attribute(kResSummary, summary("pd", 3) + summary("qp", 131'072) + attribute(1)))),
        "pd=3 qp=131072\n");
    const auto counter = [](std::string_view name, std::uint64_t value) {
        return attribute(kStatHwcounterEntry,
                         attribute(kStatHwcounterEntryName, name) + attribute(kStatHwcounterEntryValue, value));
    };
    EXPECT_EQ(line(decode_rdma_statistics(
                  attribute(kStatHwcounters, counter("out_of_sequence", 5) + counter("rx write", 0xffffffffffffffff)))),
              "out_of_sequence=5 rx%20write=18446744073709551615\n");
    const auto broken = decode_rdma_statistics(attribute(
        kStatHwcounters, attribute(kStatHwcounterEntry, attribute(kStatHwcounterEntryName, "x") +
                                                            attribute(kStatHwcounterEntryValue, ByteVector(4)))));
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().code, Errc::bad_input);
}

TEST(DecodeRdma, System) {
    EXPECT_EQ(line(decode_rdma_system(
                  attribute(kSysNetnsMode, std::uint8_t{1}) + attribute(kSysCopyOnFork, std::uint8_t{1}) +
                  attribute(kSysPrivilegedQkey, std::uint8_t{0}) + attribute(kSysMonitorMode, std::uint8_t{1}))),
              "netns=shared copy_on_fork=1 qkey=0 monitor=1\n");
    EXPECT_EQ(line(decode_rdma_system(attribute(kSysNetnsMode, std::uint8_t{0}))), "netns=exclusive\n");
}

ByteVector queue_pair(std::uint32_t port, std::uint32_t number, const ByteVector& more = {}) {
    return attribute(kResQpEntry, attribute(kPortIndex, port) + attribute(kResLqpn, number) + more);
}
ByteVector queue_pairs(const ByteVector& entries) {
    return attribute(kDevIndex, std::uint32_t{0}) + attribute(kDevName, "mlx5_0") + attribute(kResQp, entries);
}

TEST(RdmaTableText, QueuePairs) {
    RdmaTableText table(RdmaTable::qp, 10);
    ASSERT_TRUE(table.add(
        queue_pairs(queue_pair(1, 1,
                               attribute(kResType, std::uint8_t{1}) + attribute(kResState, std::uint8_t{3}) +
                                   attribute(kResKernName, "ib_core")) +
                    queue_pair(1, 17,
                               attribute(kResRqpn, std::uint32_t{18}) + attribute(kResSqPsn, std::uint32_t{99}) +
                                   attribute(kResPathMigState, std::uint8_t{0}) + attribute(kResType, std::uint8_t{2}) +
                                   attribute(kResState, std::uint8_t{6}) + attribute(kResPdn, std::uint32_t{4}) +
                                   attribute(kResPid, std::uint32_t{4242})))));
    ASSERT_TRUE(table.add(
        queue_pairs(queue_pair(1, 30, attribute(kResType, std::uint8_t{0xff}) + attribute(kResSubtype, "DCI")))));
    EXPECT_EQ(table.text(),
              "port=1 lqpn=1 type=GSI state=RTS kern=ib_core\n"
              "port=1 lqpn=17 rqpn=18 sq_psn=99 path_mig=MIGRATED type=RC state=ERR pdn=4 pid=4242\n"
              "port=1 lqpn=30 type=DRIVER subtype=DCI\n");
    EXPECT_FALSE(table.full());
}

TEST(RdmaTableText, AnEntryThatComesTwiceCountsOnce) {
    RdmaTableText table(RdmaTable::qp, 10);
    ASSERT_TRUE(table.add(queue_pairs(queue_pair(1, 17) + queue_pair(1, 18))));
    ASSERT_TRUE(table.add(queue_pairs(queue_pair(1, 17) + queue_pair(2, 17))));
    EXPECT_EQ(table.text(), "port=1 lqpn=17\nport=1 lqpn=18\nport=2 lqpn=17\n");
}

TEST(RdmaTableText, IsCutAtTheLimitAndSaysSo) {
    RdmaTableText table(RdmaTable::qp, 2);
    ASSERT_TRUE(table.add(queue_pairs(queue_pair(1, 17) + queue_pair(1, 18))));
    EXPECT_FALSE(table.full());
    EXPECT_EQ(table.text(), "port=1 lqpn=17\nport=1 lqpn=18\n");
    ASSERT_TRUE(table.add(queue_pairs(queue_pair(1, 19) + queue_pair(1, 20))));
    EXPECT_TRUE(table.full());
    EXPECT_EQ(table.text(), "port=1 lqpn=17\nport=1 lqpn=18\ntruncated=1 seen=4\n");
}

TEST(RdmaTableText, AnErrorKeepsWhatCameBeforeIt) {
    RdmaTableText table(RdmaTable::qp, 2);
    EXPECT_TRUE(table.empty());
    ASSERT_TRUE(table.add(queue_pairs(queue_pair(1, 17))));
    EXPECT_EQ(table.text("device gone"), "port=1 lqpn=17\ntruncated=1 seen=1 error=device%20gone\n");
}

TEST(RdmaTableText, ConnectionsAndContexts) {
    sockaddr_in source{};
    source.sin_family = AF_INET;
    source.sin_port = htons(4420);
    source.sin_addr.s_addr = htonl(0x0a090001);
    sockaddr_storage storage{};
    std::memcpy(&storage, &source, sizeof(source));
    RdmaTableText connections(RdmaTable::cm_id, 10);
    ASSERT_TRUE(connections.add(attribute(
        kResCmId,
        attribute(kResCmIdEntry, attribute(kPortIndex, std::uint32_t{1}) + attribute(kResLqpn, std::uint32_t{17}) +
                                     attribute(kResType, std::uint8_t{2}) + attribute(kResPs, std::uint32_t{0x0106}) +
                                     attribute(kResState, std::uint8_t{5}) + attribute(kResSrcAddr, raw(storage)) +
                                     attribute(kResDstAddr, ByteVector(128)) + attribute(kResCmIdn, std::uint32_t{3}) +
                                     attribute(kResKernName, "nvme_rdma")))));
    EXPECT_EQ(connections.text(),
              "port=1 lqpn=17 type=RC ps=TCP state=CONNECT src=10.9.0.1:4420 cm_idn=3 kern=nvme_rdma\n");

    RdmaTableText contexts(RdmaTable::ctx, 10);
    ASSERT_TRUE(contexts.add(attribute(kResCtx, attribute(kResCtxEntry, attribute(kResCtxn, std::uint32_t{0}) +
                                                                            attribute(kResPid, std::uint32_t{7}))) +
                             attribute(kResQp, queue_pair(1, 1))));
    EXPECT_EQ(contexts.text(), "ctxn=0 pid=7\n");
}

TEST(RdmaTableText, CompletionQueuesAndRegions) {
    RdmaTableText queues(RdmaTable::cq, 10);
    const ByteVector queue =
        attribute(kResCqEntry, attribute(kResCqe, std::uint32_t{127}) + attribute(kResUseCount, std::uint64_t{2}) +
                                   attribute(kResCqn, std::uint32_t{1}) + attribute(kResKernName, "ib_core"));
    ASSERT_TRUE(queues.add(attribute(kResCq, queue + queue)));
    EXPECT_EQ(queues.text(), "cqe=127 users=2 cqn=1 kern=ib_core\n");

    RdmaTableText regions(RdmaTable::mr, 10);
    const auto region = [](std::uint32_t number) {
        return attribute(kResMrEntry, attribute(kResMrLength, std::uint64_t{1u << 20}) + attribute(kResMrn, number) +
                                          attribute(kResPid, std::uint32_t{7}));
    };
    ASSERT_TRUE(regions.add(attribute(kResMr, region(1) + region(2))));
    EXPECT_EQ(regions.text(), "length=1048576 mrn=1 pid=7\nlength=1048576 mrn=2 pid=7\n");
}

TEST(RdmaTableText, StatisticsOfRegions) {
    const auto counter = [](std::string_view name, std::uint64_t value) {
        return attribute(kStatHwcounterEntry,
                         attribute(kStatHwcounterEntryName, name) + attribute(kStatHwcounterEntryValue, value));
    };
    RdmaTableText regions(RdmaTable::mr_stat, 10);
    const auto paged = attribute(
        kResMrEntry, attribute(kResMrn, std::uint32_t{7}) +
                         attribute(kStatHwcounters, counter("page_faults", 12) + counter("page_prefetch", 3)));
    const auto pinned = attribute(kResMrEntry, attribute(kResMrn, std::uint32_t{8}));
    ASSERT_TRUE(regions.add(attribute(kResMr, paged + pinned)));
    ASSERT_TRUE(regions.add(attribute(kResMr, paged)));
    EXPECT_EQ(regions.text(), "mrn=7 page_faults=12 page_prefetch=3\nmrn=8\n");
}

TEST(RdmaTableText, UnknownNumbersStayNumbers) {
    RdmaTableText table(RdmaTable::qp, 10);
    ASSERT_TRUE(
        table.add(queue_pairs(queue_pair(1, 5,
                                         attribute(kResType, std::uint8_t{7}) + attribute(kResState, std::uint8_t{9}) +
                                             attribute(kResPathMigState, std::uint8_t{3})))));
    EXPECT_EQ(table.text(), "port=1 lqpn=5 type=7 state=9 path_mig=3\n");
}

TEST(SocketAddressText, FamiliesAndShortAddresses) {
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(9999);
    ASSERT_EQ(::inet_pton(AF_INET6, "fe80::1", &six.sin6_addr), 1);
    EXPECT_EQ(socket_address_text(raw(six)), "[fe80::1]:9999");
    ByteVector ib(48);
    const sa_family_t family = AF_IB;
    std::memcpy(ib.data(), &family, sizeof(family));
    std::memcpy(ib.data() + 8, &six.sin6_addr, sizeof(six.sin6_addr));
    EXPECT_EQ(socket_address_text(ib), "[fe80::1]");
    EXPECT_EQ(socket_address_text(ByteVector(128)), "");
    EXPECT_EQ(socket_address_text({}), "");
    ByteVector cut = raw(six);
    cut.resize(20);
    EXPECT_EQ(socket_address_text(cut), "");
}

TEST(DecodeRdma, SurvivesAnyDamage) {
    const ByteVector answer =
        queue_pairs(queue_pair(1, 17, attribute(kResType, std::uint8_t{2}))) + attribute(kNodeGuid, std::uint64_t{1}) +
        attribute(kResSummary, attribute(kResSummaryEntry, attribute(kResSummaryEntryName, "qp"))) +
        attribute(kStatHwcounters, attribute(kStatHwcounterEntry, attribute(kStatHwcounterEntryName, "x"))) +
        attribute(kResCmId, attribute(kResCmIdEntry, attribute(kResSrcAddr, ByteVector(128))));
    test::for_each_damage(answer, [](Bytes bytes) {
        (void)decode_rdma_identity(bytes);
        (void)decode_rdma_device(bytes);
        (void)decode_rdma_port(bytes);
        (void)decode_rdma_resources(bytes);
        (void)decode_rdma_statistics(bytes);
        (void)decode_rdma_system(bytes);
        for (const RdmaTable each : {RdmaTable::qp, RdmaTable::cm_id, RdmaTable::ctx}) {
            RdmaTableText table(each, 4);
            (void)table.add(bytes);
            (void)table.text();
        }
    });
}

}  // namespace
}  // namespace rd
