// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

std::shared_ptr<FakeHost> host_with(std::string_view extra) {
    auto host = std::make_shared<FakeHost>();
    host->file("/etc/security/limits.conf", "# memlock unlimited\n@audio - rtprio 95   # comment\nroot -\n")
        .directory("/etc/security/limits.d", {"90-rdma.conf", "README"})
        .file("/etc/security/limits.d/90-rdma.conf", extra);
    return host;
}

std::string unlimited(const std::shared_ptr<FakeHost>& host) {
    return value(sweep(host, {"login_limits"}), Kind::host, "", "declared_memlock_unlimited");
}

TEST(LoginLimits, Memlock) {
    EXPECT_EQ(unlimited(host_with("* soft memlock unlimited\n* hard memlock unlimited\n")), "true");
    EXPECT_EQ(unlimited(host_with("@hpc - memlock -1\n")), "true");
    EXPECT_EQ(unlimited(host_with("* - memlock 65536\n* - nofile unlimited\n")), "false");
    EXPECT_EQ(unlimited(host_with("")), "false");
    EXPECT_EQ(unlimited(host_with("* soft\n")), "gap(error)");
    const auto host = host_with("");
    host->gone("/etc/security/limits.d");
    EXPECT_EQ(unlimited(host), "false") << "no such folder";
}

TEST(LoginLimits, SurvivesBadInput) {
    expect_bad_input_is_survived([] { return host_with("* - memlock unlimited\n"); }, "login_limits");
}

}  // namespace
}  // namespace rd::collectors::test
