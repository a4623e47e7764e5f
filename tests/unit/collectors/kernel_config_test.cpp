// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

const std::string kFile = "/boot/config-6.1.0-test";

std::shared_ptr<FakeHost> configured_host(std::string_view text) {
    auto host = roce_host();
    HostIdentity identity = host->identity();
    identity.kernel = "6.1.0-test";
    host->identity(identity).file(kFile, text);
    return host;
}
Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"kernel_config"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::host, "", fact); }

TEST(KernelConfig, OfAHost) {
    const Snapshot now =
        look(configured_host("# CONFIG_PCI_P2PDMA is not "
                             "set\nCONFIG_MLX5_CORE_EN_DCB=y\nCONFIG_CGROUP_RDMA=n\nCONFIG_CGROUP_RDMA_OTHER=y\n"));
    EXPECT_EQ(of(now, "config_dcb"), "true");
    EXPECT_EQ(of(now, "config_p2pdma"), "false");
    EXPECT_EQ(of(now, "config_rdma_cgroup"), "false");
    EXPECT_EQ(of(now, "config_odp"), "false");
    expect_complete(now, collector("kernel_config"));
}

TEST(KernelConfig, AFileWithoutAnyIsNone) {
    EXPECT_EQ(of(look(configured_host("")), "config_dcb"), "gap(error)");
    const auto host = configured_host("CONFIG_CGROUP_RDMA=m\n");
    EXPECT_EQ(of(look(host), "config_rdma_cgroup"), "true");
    host->error(kFile, absent(kFile));
    EXPECT_EQ(of(look(host), "config_dcb"), "gap(not offered)") << "other kernels keep it elsewhere";
}

}  // namespace
}  // namespace rd::collectors::test
