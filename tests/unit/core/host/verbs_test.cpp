// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/verbs.h"

#include <gmock/gmock.h>

#include <cstring>

namespace rd {
namespace {

TEST(VerbsRecords, Device) {
    ibv_device_attr_ex attributes{};
    std::strcpy(attributes.orig_attr.fw_ver, "22.36.1010");
    attributes.orig_attr.max_qp = 131'072;
    attributes.orig_attr.max_cq = 16'777'216;
    attributes.orig_attr.max_mr = -1;
    attributes.orig_attr.max_mr_size = 0xffffffffffffffff;
    attributes.orig_attr.max_qp_wr = 32'768;
    attributes.orig_attr.max_sge = 30;
    attributes.orig_attr.max_qp_rd_atom = 16;
    attributes.orig_attr.atomic_cap = IBV_ATOMIC_HCA;
    attributes.orig_attr.phys_port_cnt = 1;
    attributes.odp_caps.general_caps = IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT;
    EXPECT_EQ(verbs_device_record(attributes).text(),
              "fw=22.36.1010 max_qp=131072 max_cq=16777216 max_mr=0 max_mr_size=18446744073709551615 max_qp_wr=32768 "
              "max_sge=30 max_qp_rd_atom=16 atomic=hca odp=1 phys_port_cnt=1\n");
    std::memset(attributes.orig_attr.fw_ver, 'x', sizeof(attributes.orig_attr.fw_ver));
    EXPECT_EQ(verbs_device_record(attributes).get("fw")->size(), sizeof(attributes.orig_attr.fw_ver));
}

TEST(VerbsRecords, Port) {
    ibv_port_attr attributes{};
    attributes.state = IBV_PORT_ACTIVE;
    attributes.active_mtu = IBV_MTU_1024;
    attributes.max_mtu = IBV_MTU_4096;
    attributes.link_layer = IBV_LINK_LAYER_ETHERNET;
    attributes.active_speed = 64;
    attributes.active_width = 2;
    attributes.gid_tbl_len = 256;
    EXPECT_EQ(verbs_port_record(1, attributes).text(),
              "port=1 state=4 active_mtu=1024 max_mtu=4096 link_layer=Ethernet active_speed=50000 active_width=4 lid=0 "
              "gid_tbl_len=256\n");
}

TEST(VerbsRecords, CodesNobodyKnowsAreAbsentOrNumbers) {
    ibv_port_attr attributes{};
    attributes.active_speed = 3;
    attributes.active_width = 3;
    attributes.active_mtu = static_cast<ibv_mtu>(0);
    attributes.link_layer = 9;
    attributes.gid_tbl_len = -1;
    EXPECT_EQ(verbs_port_record(2, attributes).text(), "port=2 state=0 link_layer=9 lid=0 gid_tbl_len=0\n");
}

TEST(VerbsRecords, Gid) {
    ibv_gid_entry entry{};
    entry.gid.raw[0] = 0xfe;
    entry.gid.raw[1] = 0x80;
    entry.gid.raw[15] = 0x01;
    entry.gid_index = 3;
    entry.port_num = 1;
    entry.gid_type = IBV_GID_TYPE_ROCE_V2;
    entry.ndev_ifindex = 6;
    EXPECT_EQ(verbs_gid_record(entry).text(),
              "port=1 index=3 gid=fe80:0000:0000:0000:0000:0000:0000:0001 type=RoCEv2 ifindex=6\n");
    entry.gid_type = 7;
    entry.ndev_ifindex = 0;
    EXPECT_THAT(verbs_gid_record(entry).text(), testing::EndsWith(" type=7\n"));
}

TEST(ReadVerbs, AMissingDeviceIsACleanError) {
    for (const auto& text : {read_verbs_device("rdtest-none", "verbs.device/rdtest-none"),
                             read_verbs_gids("rdtest-none", "verbs.device/rdtest-none")}) {
        ASSERT_FALSE(text);
        EXPECT_THAT(text.error().code, testing::AnyOf(Errc::not_found, Errc::not_supported));
        EXPECT_THAT(text.error().what, testing::StartsWith("verbs.device/rdtest-none: "));
    }
}

}  // namespace
}  // namespace rd
