// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

void add_session(FakeHost& host, int number, std::string_view driver, std::string_view target) {
    const std::string name = fmt::format("session{}", number);
    const std::string folder = "/sys/class/iscsi_session/" + name;
    host.link(folder, fmt::format("/sys/devices/platform/host{}/{}/iscsi_session/{}", number, name, name))
        .file(fmt::format("/sys/class/scsi_host/host{}/proc_name", number), fmt::format("{}\n", driver))
        .file(folder + "/targetname", fmt::format("{}\n", target))
        .file(folder + "/recovery_tmo", "120\n");
}

void add_port(FakeHost& host, std::string_view name, std::string_view fast, std::string_view loss) {
    const std::string folder = fmt::format("/sys/class/srp_remote_ports/{}", name);
    host.file(folder + "/fast_io_fail_tmo", fmt::format("{}\n", fast))
        .file(folder + "/dev_loss_tmo", fmt::format("{}\n", loss));
}

std::shared_ptr<FakeHost> initiator() {
    auto host = std::make_shared<FakeHost>();
    host->directory("/sys/class/iscsi_session", {"session1", "session2"});
    add_session(*host, 1, "iscsi_iser", "iqn.a");
    add_session(*host, 2, "iscsi_tcp", "iqn.b");
    add_port(*host, "port-3:1", "15", "600");
    add_port(*host, "port-4:1", "off", "600");
    host->file("/sys/module/ib_iser/parameters/max_sectors", "1024\n")
        .directory("/etc/iscsi/nodes", {"iqn.a", "iqn.b"})
        .directory("/etc/iscsi/nodes/iqn.a", {"10.0.0.1,3260,1"})
        .directory("/etc/iscsi/nodes/iqn.a/10.0.0.1,3260,1", {"iser"})
        .directory("/etc/iscsi/nodes/iqn.b", {"10.0.0.2,3260,1"})
        .directory("/etc/iscsi/nodes/iqn.b/10.0.0.2,3260,1", {"default", "iser"})
        .directory("/sys/block", {"dm-0", "dm-1", "sda"})
        .file("/sys/block/dm-0/dm/uuid", "mpath-1\n")
        .file("/sys/block/dm-1/dm/uuid", "LVM-1\n");
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"scsi_rdma"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::host, "", fact); }

TEST(ScsiRdma, OfAnInitiator) {
    const Snapshot now = look(initiator());
    EXPECT_EQ(of(now, "iser_sessions"), "1");
    EXPECT_EQ(of(now, "iser_recovery"), "120");
    EXPECT_EQ(of(now, "iser_on_tcp"), "iqn.b");
    EXPECT_EQ(of(now, "iser_max_sectors"), "1024");
    EXPECT_EQ(of(now, "multipath_maps"), "1");
    EXPECT_EQ(of(now, "srp_ports"), "2");
    EXPECT_EQ(of(now, "srp_slow_ports"), "port-4:1");
    expect_complete(now, collector("scsi_rdma"));
}

TEST(ScsiRdma, TheRecordsAreRootsAndOftenNotNeeded) {
    const auto host = initiator();
    host->gone("/etc/iscsi/nodes").error("/etc/iscsi/nodes", denied("/etc/iscsi/nodes"));
    EXPECT_EQ(of(look(host), "iser_on_tcp"), "gap(no privilege)");
    add_session(*host, 2, "iscsi_iser", "iqn.b");
    EXPECT_EQ(of(look(host), "iser_on_tcp"), "none");
    EXPECT_EQ(of(look(host), "iser_sessions"), "2");
}

TEST(ScsiRdma, Timeouts) {
    const auto slow = [](std::string_view fast, std::string_view loss) {
        const auto host = initiator();
        add_port(*host, "port-4:1", fast, loss);
        return of(look(host), "srp_slow_ports");
    };
    EXPECT_EQ(slow("599", "600"), "none");
    EXPECT_EQ(slow("600", "600"), "port-4:1");
    EXPECT_EQ(slow("15", "off"), "none");
    EXPECT_EQ(slow("off", "off"), "port-4:1");
}

TEST(ScsiRdma, AHostWithout) {
    const auto host = std::make_shared<FakeHost>();
    EXPECT_EQ(of(look(host), "iser_sessions"), "gap(not collected)");
    host->directory("/sys/class", {"net"});
    for (const std::string path : {"/sys/class/iscsi_session", "/sys/class/srp_remote_ports"}) {
        host->error(path, absent(path));
    }
    EXPECT_EQ(of(look(host), "iser_sessions"), "0");
    EXPECT_EQ(of(look(host), "iser_recovery"), "gap(not offered)");
    EXPECT_EQ(of(look(host), "srp_slow_ports"), "none");
}

TEST(ScsiRdma, SurvivesBadInput) {
    Exceptions names;  // texts of which any is right: which target, whose map
    for (const int number : {1, 2}) {
        names.names.insert(fmt::format("/sys/class/iscsi_session/session{}/targetname", number));
        names.names.insert(fmt::format("/sys/class/scsi_host/host{}/proc_name", number));
        names.names.insert(fmt::format("/sys/block/dm-{}/dm/uuid", number - 1));
    }
    for (const std::string_view port : {"port-3:1", "port-4:1"}) {  // a target's port has none
        names.names.insert(fmt::format("/sys/class/srp_remote_ports/{}/fast_io_fail_tmo", port));
    }
    expect_bad_input_is_survived(initiator, "scsi_rdma", names);
}

}  // namespace
}  // namespace rd::collectors::test
