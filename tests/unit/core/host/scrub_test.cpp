// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/scrub.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "core/base/records.h"

namespace rd {
namespace {

using testing::ElementsAre;

constexpr const char* kNote = "/sys/note";

Bundle bundle_of(std::vector<std::pair<std::string, std::string>> files) {
    Bundle bundle;
    bundle.identity.hostname = "gpu-node-11.cluster.example.com";
    bundle.identity.boot_id = "4b4935be-1d77-4cd7-ac72-55722c3c8b00";
    bundle.moments.resize(1);
    for (auto& [name, text] : files) bundle.moments.front().reads.emplace(name, text);
    return bundle;
}

std::string scrubbed(std::string text, std::vector<std::pair<std::string, std::string>> others = {}) {
    others.emplace_back(kNote, std::move(text));
    return *scrub(bundle_of(std::move(others))).moments.front().reads.at(kNote);
}

struct Case {
    const char* text;
    const char* expected;
};

TEST(Scrub, ReplacesAddressesInTheFormTheyAreWrittenIn) {
    const Case cases[] = {
        {"link 0c:42:a1:fb:12:34\n", "link 00:00:5e:00:53:00\n"},
        {"0C-42-A1-FB-12-34", "00-00-5E-00-53-00"},
        {"mac:0C:42:A1:FB:12:34", "mac:00:00:5E:00:53:00"},
        {"0c:42:a1:fb:12:34:eth0", "00:00:5e:00:53:00:eth0"},
        {"enx0c42a1fb1234: link up", "enx00005e005300: link up"},
        {"guid 0c42:a103:00fb:1234", "guid 0000:5e03:0000:5300"},
        {"0x0c42a10300fb1234", "0x00005e0300005300"},
        {"0e:42:a1:ff:fe:fb:12:34", "02:00:5e:ff:fe:00:53:00"},
        {"1234:5678:9abc:def0", "0000:5e10:0000:0001"},
        {"80:00:00:67:fe:80:00:00:00:00:00:00:0c:42:a1:03:00:fb:12:34",
         "80:00:00:67:fe:80:00:00:00:00:00:00:00:00:5e:03:00:00:53:00"},
        {"fe80:0000:0000:0000:0e42:a1ff:fefb:1234", "fe80:0000:0000:0000:0200:5eff:fe00:5300"},
        {"fe80::e42:a1ff:fefb:1234%ens1f0", "fe80::200:5eff:fe00:5300%ens1f0"},
        {"[fe80::e42:a1ff:fefb:1234]:4420", "[fe80::200:5eff:fe00:5300]:4420"},
        {"fe80::e42:a1ff:fefb:1234:4420", "fe80::200:5eff:fe00:5300:4420"},
        {"fe80:0000:0000:0000:0e42:a1ff:fefb:1234:18515", "fe80:0000:0000:0000:0200:5eff:fe00:5300:18515"},
        {"fe800000000000000e42a1fffefb1234 02 40 20 80 eth0", "fe8000000000000002005efffe005300 02 40 20 80 eth0"},
        {"addr 2a02:1234:0:17::11", "addr 2001:db8:1::11"},
        {"0000:0000:0000:0000:0000:ffff:0a14:1e07", "0000:0000:0000:0000:0000:ffff:c612:1e07"},
        {"::ffff:a14:1e07", "::ffff:c612:1e07"},
        {"::ffff:10.20.30.7", "::ffff:198.18.30.7"},
        {"10.20.30.7:4420", "198.18.30.7:4420"},
        {"traddr=10.20.30.7,trsvcid=4420", "traddr=198.18.30.7,trsvcid=4420"},
        {"10.20.30.7/24 10.20.30.8 10.20.31.7", "198.18.30.7/24 198.18.30.8 198.18.31.7"},
        {"10.20.30.7-10.20.30.9", "198.18.30.7-198.18.30.9"},
        {"ip=10.20.30.7::10.20.30.254:255.255.255.0:", "ip=198.18.30.7::198.18.30.254:255.255.255.0:"},
        {"169.254.77.1", "169.254.1.1"},
        {"9f5c2a1e-77aa-4bcd-9e01-0123456789ab", "00000000-0000-4000-8000-000000000002"},
        {"pod9f5c2a1e_77aa_4bcd_9e01_0123456789ab.slice", "pod00000000_0000_4000_8000_000000000002.slice"},
        {"to nqn.2019-06.io.corp:array7.vol1: failed", "to nqn.2014-08.org.example:nvme-1: failed"},
        {"\"nqn.2019-06.io.corp:array7\", rest", "\"nqn.2014-08.org.example:nvme-1\", rest"},
        {"eui.0025385b71b0d3e1", "eui.0000000000000001"},
        {"nvme.144d-533633454e58-53414d-00000001", "nvme.0000-000000000000-000000-00000001"},
        {"GPU-Node-11.CLUSTER.example.com: up", "host-1.example.net: up"},
        {"ldap.example.com", "ldap.net-2.example.net"},
        {"Serial Number: MT2209X0042, rev 2", "Serial Number: SN000001, rev 2"},
        {"BOOTIF=01-0c-42-a1-fb-12-34 ro", "BOOTIF=01-00-00-5e-00-53-00 ro"},
        {"0c42.a1fb.1234 and 0c42a1fb1234", "0000.5e00.5300 and 00005e005300"},
        {"mac 0c42a1fb1234, base_mac=0C42A1FB1235", "mac 00005e005300, base_mac=00005E005301"},
        {"0c-42-a1-03-00-fb-12-34", "00-00-5e-03-00-00-53-00"},
        {"0c:42:a1:fb:12:34 0c_42_a1_fb_12_34", "00:00:5e:00:53:00 00_00_5e_00_53_00"},
        {"/dev/mapper/gpu--node--11--vg-root", "/dev/mapper/host--1--vg-root"},
        {"gpu\\x2dnode\\x2d11.service gpu_node_11", "host\\x2d1.service host_1"},
        {"ceph\\x2d9f5c2a1e\\x2d77aa\\x2d4bcd\\x2d9e01\\x2d0123456789ab.slice",
         "ceph\\x2d00000000\\x2d0000\\x2d4000\\x2d8000\\x2d000000000002.slice"},
        {"systemd.machine_id=9f5c2a1e77aa4bcd9e010123456789ab", "systemd.machine_id=00000000000040008000000000000002"},
        {"InitiatorName=iqn.1993-08.org.debian:01:abc", "InitiatorName=iqn.2014-08.org.example:disk-1"},
        {"SN: MT2209X0042", "SN: SN000001"},
        {"S/N=MT2209X0042,", "S/N=SN000001,"},
        {"Serial#: MT2209X0042", "Serial#: SN000001"},
        {"Serial No. MT2209X0042", "Serial No. SN000001"},
        {"serial MT2209X0042 lost", "serial SN000001 lost"},
        {"SerialNumber: MT2209X0042", "SerialNumber: SN000001"},
        {"driver 10.20.30.7", "driver 198.18.30.7"},
        {"release 192.168.30.7, rev: 172.16.1.2.", "release 10.169.30.7, rev: 198.18.1.2."},
        {"33:33:ff:fb:12:34 ff02::1:fffb:1234", "33:33:ff:00:00:00 ff02::1:ff00:0"},
    };
    for (const Case& each : cases) EXPECT_EQ(scrubbed(each.text), each.expected) << each.text;
}

TEST(Scrub, LeavesAloneWhatOnlyLooksLikeOne) {
    for (const char* const text : {"0000:41:00.0",
                                   "pci 0000:41:00.0: [15b3:1021]",
                                   "12:34:56",
                                   "ffffffff,00000000",
                                   "28.39.1002",
                                   "MLNX_OFED_LINUX-5.8-1.0.1.1",
                                   "v1.2.3.4",
                                   "firmware version: 20.6.112.0",
                                   "fw 20.6.112.0",
                                   "1.2.3.4.5",
                                   "10.20.30.256",
                                   "CapEff:\t000001ffffffffff",
                                   "00:00:00:00:00:00",
                                   "ff:ff:ff:ff:ff:ff",
                                   "01:00:5e:00:00:01",
                                   "::",
                                   "::1",
                                   "127.0.0.1",
                                   "0.0.0.0",
                                   "255.255.255.0",
                                   "224.0.0.1",
                                   "0000:0000:0000:0000",
                                   "0x0000000000000011",
                                   "0xffffffffffffffff",
                                   "page_size_cap: 0xfffffffffffff000",
                                   "mask 0x7fffffffffffffff",
                                   "0x000000d121361c36",
                                   "0:1:2:3:4:5:6:7",
                                   "nqn.2014-08.org.nvmexpress.discovery",
                                   "foo::bar",
                                   "fe80::",
                                   "ff02::1",
                                   "mlx5_core 0000:41:00.0 ens1f0: Link up",
                                   "rxe_3",
                                   "serial port ttyS0",
                                   "serial8250: ttyS0 at I/O 0x3f8",
                                   "sn 12345678 done",
                                   "1234.5678.9012",
                                   "22-03-10-01-02",
                                   "22_03_10_01_02_03",
                                   "iqn.x",
                                   "0123456789abcdef0123456789abcdef",
                                   "2024-05-06 07:08:09"}) {
        EXPECT_EQ(scrubbed(text), text);
    }
}

TEST(Scrub, FindsDigitsWithoutSeparatorsWhenTheirValueIsKnown) {
    const std::vector<std::pair<std::string, std::string>> known{{"/sys/address", "0c:42:a1:fb:12:34\n"},
                                                                 {"/sys/guid", "1234:5678:9abc:def0\n"}};
    EXPECT_EQ(scrubbed("bridge0c42a1fb1234", known), "bridge00005e005300");
    EXPECT_EQ(scrubbed("rocex123456789ABCDEF0", known), "rocex00005E1000000001");
    EXPECT_EQ(scrubbed("fe80000000000000123456789abcdef0", known), "fe8000000000000000005e1000000001");
    EXPECT_EQ(scrubbed("aabbccddeeff 00112233445566778899aabbccddeeff", known),
              "aabbccddeeff 00112233445566778899aabbccddeeff");
}

TEST(Scrub, ReadsRecordsBeneathTheirEscapes) {
    Bundle bundle = bundle_of({{"kmsg", "seq=1 text=eth0:%200c:42:a1:fb:12:34%20on%20gpu-node-11\n\nseq=2 text=x"},
                               {"ethtool.driver/ens1f0", "driver=bnxt_en firmware=20.6.112.0/pkg version=20.6.112.0\n"},
                               {"rdma.cm_id/mlx5_0", "lqpn=1 src=20.6.112.7:4420\n"},
                               {"pci.config/0000:41:00.0", "no record at all 0c:42:a1:fb:12:34\n"}});
    bundle = scrub(std::move(bundle));
    const auto& reads = bundle.moments.front().reads;
    EXPECT_EQ(*reads.at("kmsg"), "seq=1 text=eth0:%2000:00:5e:00:53:00%20on%20host-1\n\nseq=2 text=x");
    EXPECT_EQ(*reads.at("ethtool.driver/ens1f0"), "driver=bnxt_en firmware=20.6.112.0/pkg version=20.6.112.0\n");
    EXPECT_EQ(*reads.at("rdma.cm_id/mlx5_0"), "lqpn=1 src=198.18.112.7:4420\n");
    EXPECT_EQ(*reads.at("pci.config/0000:41:00.0"), "no record at all 00:00:5e:00:53:00\n");
}

TEST(Scrub, ReplacesNamesListsLinksErrorsAndIdentity) {
    Bundle bundle = bundle_of({{"/sys/class/net/enx0c42a1fb1234/address", "0c:42:a1:fb:12:34\n"},
                               {"dcb.pfc/enx0c42a1fb1234", "cap=8\n"},
                               {"/sys/kernel/config/nvmet/subsystems/nqn.2019.io:a/attr", "1\n"}});
    Moment& moment = bundle.moments.front();
    moment.reads.emplace("/proc/x", fail(Errc::io, "/proc/x: no route to 10.20.30.7", "ask gpu-node-11"));
    moment.links.emplace("/sys/class/net/enx0c42a1fb1234", "/sys/devices/net/enx0c42a1fb1234");
    moment.links.emplace("/sys/y", fail(Errc::io, "10.20.30.7"));
    moment.lists.emplace("/sys/class/net", std::vector<std::string>{"enx0c42a1fb1234", "lo"});
    moment.lists.emplace("/sys/z", fail(Errc::io, "10.20.30.7"));
    bundle = scrub(std::move(bundle));
    const Moment& to = bundle.moments.front();
    EXPECT_TRUE(to.reads.contains("/sys/class/net/enx00005e005300/address"));
    EXPECT_TRUE(to.reads.contains("dcb.pfc/enx00005e005300"));
    EXPECT_TRUE(to.reads.contains("/sys/kernel/config/nvmet/subsystems/nqn.2014-08.org.example:nvme-1/attr"));
    EXPECT_EQ(to.reads.at("/proc/x").error(), (Error{Errc::io, "/proc/x: no route to 198.18.30.7", "ask host-1"}));
    EXPECT_EQ(*to.links.at("/sys/class/net/enx00005e005300"), "/sys/devices/net/enx00005e005300");
    EXPECT_EQ(to.links.at("/sys/y").error().what, "198.18.30.7");
    EXPECT_THAT(*to.lists.at("/sys/class/net"), ElementsAre("enx00005e005300", "lo"));
    EXPECT_EQ(to.lists.at("/sys/z").error().what, "198.18.30.7");
    EXPECT_EQ(bundle.identity.hostname, "host-1.example.net");
    EXPECT_EQ(bundle.identity.boot_id, "00000000-0000-4000-8000-000000000001");
    EXPECT_TRUE(bundle.scrubbed);
}

TEST(Scrub, TakesSerialNumbersFromWhereTheyStandAndFindsThemElsewhere) {
    Bundle bundle = bundle_of({{"/sys/class/nvme/nvme0/serial", "S6XENE0R400123 \n"},
                               {"/sys/class/nvme/nvme1/serial", "1234\n"},
                               {"/sys/class/nvme/nvme2/serial", "Not Specified\n"},
                               {"ethtool.module/ens1f0", "vendor=Mellanox vendor_sn=MT2209VS01234\n"},
                               {kNote, "drive s6xene0r400123, cable MT2209VS01234, 1234 times\n"}});
    bundle = scrub(std::move(bundle));
    const auto& reads = bundle.moments.front().reads;
    EXPECT_EQ(*reads.at("/sys/class/nvme/nvme0/serial"), "SN000002 \n");
    EXPECT_EQ(*reads.at("/sys/class/nvme/nvme1/serial"), "name-1\n");
    EXPECT_EQ(*reads.at("/sys/class/nvme/nvme2/serial"), "Not Specified\n");
    EXPECT_EQ(*reads.at("ethtool.module/ens1f0"), "vendor=Mellanox vendor_sn=SN000001\n");
    EXPECT_EQ(*reads.at(kNote), "drive SN000002, cable SN000001, 1234 times\n");
}

TEST(Scrub, KeepsWordsOfTheKernelThatAreTheNameOfTheHostToo) {
    Bundle bundle = bundle_of({{"/proc/sys/kernel/hostname", "node1\n"},
                               {"/sys/devices/system/node/node1/cpulist", "0-3\n"},
                               {"/sys/class/infiniband/mlx5_0/node_desc", "node1 mlx5_0\n"},
                               {kNote, "node1 of 2\n"}});
    bundle.identity.hostname = "node1";
    bundle = scrub(std::move(bundle));
    const auto& reads = bundle.moments.front().reads;
    EXPECT_EQ(*reads.at("/sys/devices/system/node/node1/cpulist"), "0-3\n");
    EXPECT_EQ(*reads.at("/proc/sys/kernel/hostname"), "name-1\n");
    EXPECT_EQ(*reads.at("/sys/class/infiniband/mlx5_0/node_desc"), "name-1 mlx5_0\n");
    EXPECT_EQ(*reads.at(kNote), "node1 of 2\n");
    EXPECT_EQ(bundle.identity.hostname, "name-1");
    for (const char* const value : {"up", "RoCE"}) {
        bundle = bundle_of({{"/sys/operstate", "up\n"}, {"rdma.link", "protocol=RoCE\n"}});
        bundle.identity.hostname = value;
        bundle = scrub(std::move(bundle));
        EXPECT_EQ(*bundle.moments.front().reads.at("/sys/operstate"), "up\n");
        EXPECT_EQ(*bundle.moments.front().reads.at("rdma.link"), "protocol=RoCE\n");
    }
}

TEST(Scrub, LeavesNamesThatEveryHostMayHave) {
    for (const char* const name : {"localhost", "(none)", ""}) {
        Bundle bundle = bundle_of({{kNote, "localhost (none)\n"}});
        bundle.identity.hostname = name;
        bundle = scrub(std::move(bundle));
        EXPECT_EQ(bundle.identity.hostname, name);
        EXPECT_EQ(*bundle.moments.front().reads.at(kNote), "localhost (none)\n");
    }
}

TEST(Scrub, NeverPutsAnOriginalInThePlaceOfAnother) {
    EXPECT_EQ(scrubbed("00:00:5e:00:53:00 00:00:5e:00:53:01"), "00:00:5e:00:53:02 00:00:5e:00:53:03");
    EXPECT_EQ(scrubbed("198.18.0.1 10.0.0.1"), "10.19.0.1 198.19.0.1");
    EXPECT_EQ(scrubbed("2001:db8:1::1 2001:db8:2::1"), "2001:db8:3::1 2001:db8:4::1");
    EXPECT_EQ(scrubbed("nqn.2014-08.org.example:nvme-1 nqn.b"),
              "nqn.2014-08.org.example:nvme-2 nqn.2014-08.org.example:nvme-3");
    Bundle bundle = bundle_of({{kNote, "host-1"}});
    bundle.identity.hostname = "host-1";
    EXPECT_EQ(scrub(std::move(bundle)).identity.hostname, "host-2");
}

std::uint32_t address_in(const std::string& text) {
    in_addr address{};
    EXPECT_EQ(::inet_pton(AF_INET, text.c_str(), &address), 1) << text;
    return ntohl(address.s_addr);
}

// As many leading bits as two addresses have in common.
int shared_bits(std::uint32_t a, std::uint32_t b) { return std::countl_zero(a ^ b); }

TEST(Scrub, KeepsWhetherAddressesAreOfOneNetworkWhateverItsPrefix) {
    const std::vector<std::string> sets[] = {
        // One network of 16 bits a port.
        {"10.1.0.5", "10.2.0.5", "10.3.0.5", "10.4.0.5", "10.5.0.5", "10.6.0.5", "10.7.0.5", "10.8.0.5"},
        // Of 22 bits, of 12 and of 8.
        {"10.20.28.5", "10.20.31.7", "10.20.32.7", "10.21.28.5", "10.200.1.1"},
        {"172.16.0.1", "172.31.0.1", "172.20.7.1", "198.18.0.1", "198.19.0.1", "10.18.0.1"},
        {"11.1.0.1", "12.1.0.1", "192.168.4.1", "192.168.5.1"}};
    for (const std::vector<std::string>& set : sets) {
        Bundle bundle = bundle_of({});
        for (std::size_t i = 0; i < set.size(); ++i) {
            bundle.moments.front().reads.emplace("/sys/" + std::to_string(i), set[i]);
        }
        const Bundle to = scrub(std::move(bundle));
        std::vector<std::uint32_t> were, are;
        for (std::size_t i = 0; i < set.size(); ++i) {
            were.push_back(address_in(set[i]));
            are.push_back(address_in(*to.moments.front().reads.at("/sys/" + std::to_string(i))));
        }
        for (std::size_t i = 0; i < set.size(); ++i) {
            for (std::size_t j = 0; j < set.size(); ++j) {
                EXPECT_NE(are[i] >> 16, were[j] >> 16) << set[i] << " as " << set[j];
                const int before = shared_bits(were[i], were[j]), after = shared_bits(are[i], are[j]);
                EXPECT_TRUE(before < 8 ? after < 8 : after == before) << set[i] << " and " << set[j];
            }
        }
    }
}

TEST(Scrub, LeavesNamesOfSubjectsWhateverTheHostIsCalled) {
    for (const char* const name : {"rdma", "RDMA", "ethtool", "dcb", "pfc", "kmsg", "devices"}) {
        Bundle bundle = bundle_of({{"rdma.devices", "index=0 name=mlx5_0\n"},
                                   {"dcb.pfc/ens1f0", "cap=8\n"},
                                   {"ethtool.link/ens1f0", "speed=400000\n"},
                                   {"kmsg", "seq=1 text=rdma_rxe:%20loaded\n"}});
        const Moment before = bundle.moments.front();
        bundle.identity.hostname = name;
        bundle = scrub(std::move(bundle));
        EXPECT_EQ(bundle.moments.front().reads, before.reads) << name;
        EXPECT_EQ(bundle.identity.hostname, "name-1");
    }
    Bundle bundle = bundle_of({{"dcb.pfc/dcb-pfc0", "cap=8\n"}});
    bundle.identity.hostname = "dcb-pfc0";
    EXPECT_TRUE(scrub(std::move(bundle)).moments.front().reads.contains("dcb.pfc/host-1"));
}

TEST(Scrub, TakesIdsFromTheCommandLineAndTheNameOfTheHostFromTheKernel) {
    Bundle bundle = bundle_of({{"/proc/cmdline", "BOOT_IMAGE=/9f5c2a1e77aa4bcd9e010123456789ab/linux ro\n"}});
    bundle.identity.kernel = "6.8.0.12-gpu-node-11";
    bundle = scrub(std::move(bundle));
    EXPECT_EQ(*bundle.moments.front().reads.at("/proc/cmdline"),
              "BOOT_IMAGE=/00000000000040008000000000000002/linux ro\n");
    EXPECT_EQ(bundle.identity.kernel, "6.8.0.12-host-1");
}

TEST(Scrub, KeepsTheNamesThatItGaveBefore) {
    Bundle bundle =
        bundle_of({{"/sys/serial", "MT2209X0042\n"}, {"/sys/y/serial", "1234\n"}, {kNote, "gpu-node-11 up\n"}});
    const Bundle once = scrub(std::move(bundle));
    const Bundle twice = scrub(once);
    EXPECT_EQ(once.identity.hostname, "host-1.example.net");
    EXPECT_EQ(twice.identity.hostname, once.identity.hostname);
    EXPECT_EQ(twice.moments.front().reads, once.moments.front().reads);
}

TEST(Scrub, LeavesNumbersAndMasksInTheirPlaces) {
    Bundle bundle =
        bundle_of({{"/sys/bus/pci/devices/0000:41:00.0/resource", "0x0000382000000000 0x0000382001ffffff\n"},
                   {"/proc/7/status", "CapEff:\t1234567812345678\n"},
                   {"/sys/guid", "1234:5678:1234:5678\n"},
                   {"/sys/class/infiniband/bnxt_re0/fw_ver", "20.6.112.0\n"}});
    const Bundle to = scrub(bundle);
    for (const char* const name :
         {"/sys/bus/pci/devices/0000:41:00.0/resource", "/proc/7/status", "/sys/class/infiniband/bnxt_re0/fw_ver"}) {
        EXPECT_EQ(to.moments.front().reads.at(name), bundle.moments.front().reads.at(name));
    }
}

TEST(Scrub, SaysWhenAnAnswerBecameTooLarge) {
    std::string text;
    while (text.size() + 8 < kMaxAnswer) text += "nqn.2.a ";
    const Bundle to = scrub(bundle_of({{kNote, text}}));
    ASSERT_FALSE(to.moments.front().reads.at(kNote).has_value());
    EXPECT_EQ(to.moments.front().reads.at(kNote).error().code, Errc::limit);
}

}  // namespace
}  // namespace rd
