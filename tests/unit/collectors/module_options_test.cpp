// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

const std::string kFile = "/etc/modprobe.d/rdma.conf";
const std::string kProfile = "/sys/module/mlx5_core/parameters/prof_sel";

std::shared_ptr<FakeHost> with_options(std::string_view text, std::string_view profile = "2\n") {
    auto host = roce_host();
    host->directory("/etc/modprobe.d", {"rdma.conf", "rdma.conf.bak"})
        .file(kFile, text)
        .directory("/sys/module/mlx5_core", {"parameters"})
        .file(kProfile, profile)
        .error("/sys/module/mlx5_core/parameters/num_vfs", absent("/sys/module/mlx5_core/parameters/num_vfs"))
        .error("/sys/module/siw", absent("/sys/module/siw"))
        .file("/proc/cmdline", "root=/dev/sda1 quiet\n");
    return host;
}
std::string of(std::shared_ptr<FakeHost> host) {
    return value(sweep(std::move(host), {"module_options"}), Kind::host, "", "module_options_ignored");
}

TEST(ModuleOptions, InForce) {
    EXPECT_EQ(of(with_options("# a comment\noptions mlx5_core prof_sel=2\n")), "none");
    EXPECT_EQ(of(with_options("options mlx5-core prof_sel=0x2\n")), "none");
    EXPECT_EQ(of(with_options("options mlx5_core prof_sel=1\n", "Y\n")), "none");
    EXPECT_EQ(of(with_options("options mlx5_core prof_sel=off\n", "N\n")), "none");
    EXPECT_EQ(of(with_options("options mlx5_core prof_sel=\"2\"\n")), "none");
    EXPECT_EQ(of(with_options("options mlx5_core prof_sel=3\noptions mlx5_core prof_sel=2\n")), "none")
        << "the last counts";
    expect_complete(sweep(with_options(""), {"module_options"}), collector("module_options"));
}

TEST(ModuleOptions, NotInForce) {
    EXPECT_EQ(of(with_options("options mlx5_core prof_sel=3\n")), "mlx5_core.prof_sel=3, is 2");
    EXPECT_EQ(of(with_options("options mlx5_core num_vfs=8\n")), "mlx5_core.num_vfs=8, no such parameter");
    EXPECT_EQ(of(with_options("options mlx5_core num_vfs=8 prof_sel=3\n")),
              "mlx5_core.num_vfs=8, no such parameter; mlx5_core.prof_sel=3, is 2");
}

TEST(ModuleOptions, OfNoConcern) {
    EXPECT_EQ(of(with_options("options nvidia NVreg_Foo=1\n")), "none") << "shows not all of its parameters";
    EXPECT_EQ(of(with_options("options siw mpa_crc_required=1\n")), "none") << "not loaded";
    EXPECT_EQ(of(with_options("blacklist mlx5_core\n")), "none");
    const auto host = with_options("options mlx5_core prof_sel=3\n");
    host->file("/proc/cmdline", "quiet mlx5_core.prof_sel=2\n");
    EXPECT_EQ(of(host), "none") << "said otherwise at boot";
}

TEST(ModuleOptions, WithoutTheFolder) {
    const auto host = with_options("");
    host->gone("/etc/modprobe.d").error("/etc/modprobe.d", absent("/etc/modprobe.d"));
    EXPECT_EQ(of(host), "none");
    host->error("/etc/modprobe.d", denied("/etc/modprobe.d"));
    EXPECT_EQ(of(host), "gap(no privilege)");
    EXPECT_EQ(of(roce_tree()), "gap(not collected)");
}

}  // namespace
}  // namespace rd::collectors::test
