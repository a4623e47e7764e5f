// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/subjects.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <thread>

#include "core/base/records.h"

namespace rd {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

Result<std::string> read(std::string_view name) {
    const auto handle = open_subject(name);
    Buffer buffer;
    // Twice: a handle stays usable whatever the first read gave.
    const auto first = handle->read(buffer);
    const auto second = handle->read(buffer);
    EXPECT_EQ(first.has_value(), second.has_value()) << name;
    if (!second) return tl::unexpected(second.error());
    return std::string(buffer.text());
}

TEST(IsSubject, EverythingThatIsNoPath) {
    EXPECT_TRUE(is_subject("rtnl.link"));
    EXPECT_TRUE(is_subject("no.such/thing"));
    EXPECT_FALSE(is_subject("/sys/class"));
    EXPECT_FALSE(is_subject(""));
}

TEST(OpenSubject, UnknownNamesAreNotSupported) {
    for (const char* name :
         {"", "x", "rdma", "rdma.", "rtnl.links", "RTNL.LINK", "ethtool.", "dcb.pfcx/lo", "\x01\xff"}) {
        const auto text = read(name);
        ASSERT_FALSE(text) << name;
        EXPECT_EQ(text.error().code, Errc::not_supported) << name;
    }
}

TEST(OpenSubject, BadArgumentsAreBadInput) {
    using namespace std::string_view_literals;
    for (const std::string_view name : {"rtnl.link/x"sv,
                                        "kmsg/x"sv,
                                        "dcb.pfc"sv,
                                        "dcb.pfc/"sv,
                                        "dcb.pfc/a/b"sv,
                                        "ethtool.stats/."sv,
                                        "ethtool.stats/.."sv,
                                        "ethtool.link/sixteen-letters1"sv,
                                        "ethtool.link/a\0b"sv,
                                        "ethtool.link/a b"sv,
                                        "ethtool.link/a\nb"sv,
                                        "rdma.device"sv,
                                        "rdma.device/"sv,
                                        "rdma.devices/x"sv,
                                        "rdma.port/mlx5_0"sv,
                                        "rdma.port/mlx5_0/"sv,
                                        "rdma.port/mlx5_0/0"sv,
                                        "rdma.port/mlx5_0/256"sv,
                                        "rdma.port/mlx5_0/one"sv,
                                        "rdma.port/mlx5_0/-1"sv,
                                        "rdma.stat//1"sv,
                                        "rdma.port/mlx5_0/1/1"sv,
                                        "pci.config/"sv,
                                        "pci.config/41:00.0"sv,
                                        "pci.config/0000:41:00.x"sv,
                                        "verbs.device/../../etc"sv,
                                        "rdma.device/../x"sv}) {
        const auto text = read(name);
        ASSERT_FALSE(text) << name;
        EXPECT_EQ(text.error().code, Errc::bad_input) << name << ": " << text.error().what;
    }
    EXPECT_EQ(read("verbs.device/" + std::string(64, 'm')).error().code, Errc::bad_input);
}

TEST(OpenSubject, EveryErrorNamesItsSubject) {
    for (const char* name :
         {"dcb.pfc/rdtest-none",          "dcb.ets/rdtest-none",          "dcb.app/rdtest-none",
          "dcb.buffer/rdtest-none",       "dcb.maxrate/rdtest-none",      "dcb.dcbx/rdtest-none",
          "ethtool.driver/rdtest-none",   "ethtool.stats/rdtest-none",    "ethtool.link/rdtest-none",
          "ethtool.pause/rdtest-none",    "ethtool.coalesce/rdtest-none", "ethtool.rings/rdtest-none",
          "ethtool.channels/rdtest-none", "ethtool.features/rdtest-none", "ethtool.fec/rdtest-none",
          "ethtool.module/rdtest-none",   "rdma.device/rdtest-none",      "rdma.port/rdtest-none/1",
          "rdma.resources/rdtest-none",   "rdma.qp/rdtest-none",          "rdma.cm_id/rdtest-none",
          "rdma.ctx/rdtest-none",         "rdma.cq/rdtest-none",          "rdma.mr/rdtest-none",
          "rdma.mr_stat/rdtest-none",     "rdma.stat/rdtest-none/1",      "pci.config/ffff:ff:1f.7",
          "verbs.device/rdtest-none",     "verbs.gids/rdtest-none"}) {
        const auto text = read(name);
        ASSERT_FALSE(text) << name;
        EXPECT_THAT(text.error().what, StartsWith(std::string(name) + ": "));
        EXPECT_THAT(text.error().code, AnyOf(Errc::not_found, Errc::not_supported)) << name;
    }
}

TEST(OpenSubject, RdmaGivesRecordsOrSaysThatTheCoreIsMissing) {
    const bool core = ::access("/sys/class/infiniband", F_OK) == 0;
    for (const char* name : {"rdma.devices", "rdma.system"}) {
        const auto text = read(name);
        if (text) {
            EXPECT_TRUE(parse_records(*text)) << *text;
            EXPECT_TRUE(core);
            continue;
        }
        EXPECT_EQ(text.error().code, Errc::not_supported);
        if (core) continue;
        EXPECT_THAT(text.error().what, HasSubstr("RDMA netlink: ib_core is not loaded"));
        EXPECT_THAT(text.error().remedy, HasSubstr("modprobe"));
    }
}

TEST(OpenSubject, AddressesAreRecords) {
    const auto text = read("rtnl.addr");
    ASSERT_TRUE(text) << text.error().what;
    const auto records = parse_records(*text);
    ASSERT_TRUE(records) << *text;
    for (const Record& record : *records) {
        for (const char* field : {"ifindex", "address", "prefix", "scope"}) EXPECT_TRUE(record.get(field)) << field;
    }
}

TEST(OpenSubject, SeveralHandlesInSeveralThreads) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([] {
            const auto links = open_subject("rtnl.link");
            const auto features = open_subject("ethtool.features/lo");
            Buffer buffer;
            for (int round = 0; round < 20; ++round) {
                ASSERT_TRUE(links->read(buffer));
                EXPECT_THAT(std::string(buffer.text()), HasSubstr("ifname=lo"));
                ASSERT_TRUE(features->read(buffer));
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
}

TEST(OpenSubject, AHandleMayMoveToAnotherThread) {
    const auto links = open_subject("rtnl.link");
    Buffer buffer;
    ASSERT_TRUE(links->read(buffer));
    std::thread([&] { EXPECT_TRUE(links->read(buffer)); }).join();
    EXPECT_TRUE(links->read(buffer));
}

}  // namespace
}  // namespace rd
