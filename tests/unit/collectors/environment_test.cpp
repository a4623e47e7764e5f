// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kSubject = "proc.env/4242";

// The process 4242 holds a context.
std::shared_ptr<FakeHost> host_with(std::string_view variables) {
    auto host = roce_host();
    host->file(kSubject, variables).file("config.ini/NCCL_IB_DISABLE/etc/nccl.conf", "at=\"\" value=1\n");
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"environment"}); }
std::string of(const Snapshot& now, std::string_view fact, std::string_view id = "4242") {
    return value(now, Kind::process, id, fact);
}
std::string of(std::string_view variables, std::string_view fact) { return of(look(host_with(variables)), fact); }

TEST(Environment, OfAProcess) {
    const Snapshot now = look(host_with(
        "UCX_TLS=rc_x,sm UCX_NET_DEVICES=mlx5_0:1 UCX_IB_GID_INDEX=3 UCX_IB_TRAFFIC_CLASS=106 UCX_IB_FORK_INIT=n "
        "UCX_RC_TIMEOUT=50ms UCX_RC_RETRY_COUNT=3 NCCL_IB_DISABLE=1 NCCL_IB_GID_INDEX=0x3 NCCL_IB_HCA=mlx5_1 "
        "NCCL_IB_TC=106 NCCL_IB_PKEY=32769 NCCL_IB_TIMEOUT=14 NCCL_DMABUF_ENABLE=0 NCCL_NET_GDR_LEVEL=LOC "
        "NCCL_IB_QPS_PER_CONNECTION=4 MC_GID_INDEX=1 MC_IB_TC=96 FI_MR_CACHE_MONITOR=memhooks FI_UNIVERSE_SIZE=256 "
        "OMPI_MCA_btl=openib,self OMPI_MCA_btl_openib_gid_index=3 UCX_IB_GID_IDX=3\n"));
    EXPECT_EQ(of(now, "env_ucx_tls"), "rc_x,sm");
    EXPECT_EQ(of(now, "env_ucx_gid_index"), "3");
    EXPECT_EQ(of(now, "env_ucx_traffic_class"), "106");
    EXPECT_EQ(of(now, "env_ucx_fork_init"), "n");
    EXPECT_EQ(of(now, "env_ucx_rc_timeout"), "0.05");
    EXPECT_EQ(of(now, "env_ucx_rc_retries"), "3");
    EXPECT_EQ(of(now, "env_nccl"), "true");
    EXPECT_EQ(of(now, "env_nccl_ib_disable"), "true");
    EXPECT_EQ(of(now, "env_nccl_gid_index"), "3");
    EXPECT_EQ(of(now, "env_nccl_pkey"), "32769");
    EXPECT_EQ(of(now, "env_nccl_dmabuf"), "false");
    EXPECT_EQ(of(now, "env_mooncake"), "true");
    EXPECT_EQ(of(now, "env_mc_tc"), "96");
    EXPECT_EQ(of(now, "env_fi_universe_size"), "256");
    EXPECT_EQ(of(now, "env_ompi_openib"), "OMPI_MCA_btl_openib_gid_index");
    EXPECT_EQ(of(now, "env_mistyped"), "UCX_IB_GID_IDX");
    expect_complete(now, collector("environment"));
}

TEST(Environment, WhatIsNotSetIsNotOffered) {
    const Snapshot now = look(host_with(""));
    EXPECT_EQ(of(now, "env_ucx_tls"), "gap(not offered)");
    EXPECT_EQ(of(now, "env_nccl"), "false");
    EXPECT_EQ(of(now, "env_mistyped"), "none");
    EXPECT_EQ(of("NCCL_IB_GID_INDEX=-1\n", "env_nccl_gid_index"), "gap(not offered)") << "left to NCCL";
    EXPECT_EQ(of("UCX_IB_GID_INDEX=auto\n", "env_ucx_gid_index"), "gap(not offered)");
}

TEST(Environment, OldTransportOfOpenMpi) {
    EXPECT_EQ(of("OMPI_MCA_btl=openib,self\n", "env_ompi_openib_gid0"), "true");
    EXPECT_EQ(of("OMPI_MCA_btl=openib,self OMPI_MCA_btl_openib_gid_index=0\n", "env_ompi_openib_gid0"), "true");
    EXPECT_EQ(of("OMPI_MCA_btl=openib,self OMPI_MCA_btl_openib_gid_index=3\n", "env_ompi_openib_gid0"), "false");
    EXPECT_EQ(of("OMPI_MCA_btl=^openib\n", "env_ompi_openib_gid0"), "false");
    EXPECT_EQ(of("OMPI_MCA_btl=tcp,self\n", "env_ompi_openib_gid0"), "false");
}

TEST(Environment, Times) {
    EXPECT_EQ(of("UCX_RC_TIMEOUT=1.0s\n", "env_ucx_rc_timeout"), "1");
    EXPECT_EQ(of("UCX_RC_TIMEOUT=2m\n", "env_ucx_rc_timeout"), "120");
    EXPECT_EQ(of("UCX_RC_TIMEOUT=soon\n", "env_ucx_rc_timeout"), "gap(error)");
    EXPECT_EQ(of("UCX_RC_TIMEOUT=1h\n", "env_ucx_rc_timeout"), "gap(error)");
}

TEST(Environment, OfOthersItIsRoots) {
    const auto host = host_with("");
    host->error(kSubject, denied(kSubject));
    EXPECT_EQ(of(look(host), "env_nccl_ib_disable"), "gap(no privilege)");
}

TEST(Environment, Pasted) {
    const auto host = std::make_shared<FakeHost>();
    host->file(
        "logs",
        "source=environment text=NCCL_IB_DISABLE%3D1\nsource=nccl text=UCX_TLS%3Dtcp\nsource=environment text=x\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "env_nccl_ib_disable", "environment"), "true");
    EXPECT_EQ(of(now, "env_ucx_tls", "environment"), "gap(not offered)") << "a line of a log";
    host->file("logs", "source=nccl text=UCX_TLS%3Dtcp\n");
    EXPECT_TRUE(look(host).entities(Kind::process).empty());
    host->file("logs", "garbage \xff\n= =");
    EXPECT_TRUE(look(host).entities(Kind::process).empty());
}

TEST(Environment, Declared) {
    EXPECT_EQ(value(look(host_with("")), Kind::host, "", "declared_nccl_ib_disable"), "true");
    const auto host = host_with("");
    host->file("config.ini/NCCL_IB_DISABLE/etc/nccl.conf", "");
    EXPECT_EQ(value(look(host), Kind::host, "", "declared_nccl_ib_disable"), "gap(not offered)");
}

TEST(Environment, SurvivesBadInput) {
    expect_bad_input_is_survived([] { return host_with("UCX_TLS=rc_x NCCL_IB_DISABLE=1\n"); }, "environment",
                                 {{"rdma.ctx/mlx5_0", "/proc/4242/status"}});
}

}  // namespace
}  // namespace rd::collectors::test
