// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kCard = "pci-0000:41:00.0";
const std::string kFolder = "/usr/lib/x86_64-linux-gnu/libibverbs";

std::shared_ptr<FakeHost> host_with(std::vector<std::string> files) {
    auto host = roce_host();
    for (const std::string other :
         {"/usr/lib64/libibverbs", "/usr/lib/aarch64-linux-gnu/libibverbs", "/usr/lib/libibverbs"})
        host->error(other, absent(other));
    host->directory(kFolder, std::move(files))
        .link("/sys/class/infiniband/mlx5_0/device/driver", "/sys/bus/pci/drivers/mlx5_core");
    return host;
}
Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"providers"}); }

TEST(Providers, Installed) {
    const Snapshot now = look(host_with({"libmlx5-rdmav34.so", "librxe-rdmav34.so", "README"}));
    EXPECT_EQ(value(now, Kind::host, "", "providers"), "mlx5 rxe");
    EXPECT_EQ(value(now, Kind::device, kCard, "provider_installed"), "true");
    expect_complete(now, collector("providers"));
}

TEST(Providers, Missing) {
    const Snapshot now = look(host_with({"librxe-rdmav34.so"}));
    EXPECT_EQ(value(now, Kind::device, kCard, "provider_installed"), "false");
    EXPECT_EQ(value(look(host_with({})), Kind::host, "", "providers"), "none");
}

TEST(Providers, WithoutALibraryNothingIsMissing) {
    const auto host = host_with({});
    host->gone(kFolder).error(kFolder, absent(kFolder));
    const Snapshot now = look(host);
    EXPECT_EQ(value(now, Kind::host, "", "providers"), "gap(not offered)");
    EXPECT_EQ(value(now, Kind::device, kCard, "provider_installed"), "gap(not offered)");
    host->error(kFolder, denied(kFolder));
    EXPECT_EQ(value(look(host), Kind::device, kCard, "provider_installed"), "gap(no privilege)");
}

TEST(Providers, ADriverThatIsNotKnown) {
    const auto host = host_with({"libmlx5-rdmav34.so"});
    host->link("/sys/class/infiniband/mlx5_0/device/driver", "/sys/bus/pci/drivers/newdrv");
    EXPECT_EQ(value(look(host), Kind::device, kCard, "provider_installed"), "gap(not offered)");
}

}  // namespace
}  // namespace rd::collectors::test
