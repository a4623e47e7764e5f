// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kDevice = "pci-0000:41:00.0";
const std::string kCommands = "/sys/kernel/debug/mlx5/0000:41:00.0/commands";

std::shared_ptr<FakeHost> host_with_debugfs() {
    const auto host = roce_host();
    host->link("/sys/class/infiniband/mlx5_0/device/driver", "/sys/bus/pci/drivers/mlx5_core")
        .file(kCommands + "/CREATE_MKEY/n", "1200\n")
        .file(kCommands + "/CREATE_MKEY/failed", "1\n")
        .file(kCommands + "/CREATE_MKEY/average", "21000\n")
        .file(kCommands + "/DESTROY_MKEY/n", "900\n")
        .file(kCommands + "/slots_inuse", "2\n");
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"mlx5_commands"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::device, kDevice, fact); }

TEST(Mlx5Commands, OfACard) {
    const Snapshot now = look(host_with_debugfs());
    EXPECT_EQ(of(now, "mkeys_created"), "1200");
    EXPECT_EQ(of(now, "mkeys_refused"), "1");
    EXPECT_EQ(of(now, "mkey_create_time"), "21000");
    EXPECT_EQ(of(now, "mkeys_destroyed"), "900");
    EXPECT_EQ(of(now, "commands_in_flight"), "2");
    expect_complete(now, collector("mlx5_commands"));
}

TEST(Mlx5Commands, NeedRoot) {
    const auto host = host_with_debugfs();
    host->error(kCommands + "/CREATE_MKEY/n", denied(kCommands + "/CREATE_MKEY/n"));
    EXPECT_EQ(of(look(host), "mkeys_created"), "gap(no privilege)");
}

TEST(Mlx5Commands, OtherDriversDoNotCountThem) {
    const auto host = host_with_debugfs();
    host->link("/sys/class/infiniband/mlx5_0/device/driver", "/sys/bus/pci/drivers/bnxt_re");
    EXPECT_EQ(of(look(host), "mkeys_created"), "gap(not offered)");
    const Snapshot soft = look(rxe_host());
    for (const Entity& device : soft.entities(Kind::device)) {
        EXPECT_EQ(value(soft, device, "mkeys_created"), "gap(not offered)");
    }
    expect_complete(soft, collector("mlx5_commands"));
}

TEST(Mlx5Commands, SurviveBadInput) { expect_bad_input_is_survived(host_with_debugfs, "mlx5_commands"); }

}  // namespace
}  // namespace rd::collectors::test
