// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kPort = "pci-0000:41:00.0/1";
const std::string kEcn = "/sys/class/net/ens1f0/ecn/";
const std::string kDebug = "/sys/kernel/debug/mlx5/0000:41:00.0/cc_params";
const std::string kBnxt = "/sys/kernel/debug/bnxt_re/0000:41:00.0/cc_config";

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"roce_cc"}); }
std::string of_port(const Snapshot& now, std::string_view fact) { return value(now, Kind::port, kPort, fact); }
std::string of_priority(const Snapshot& now, int number, std::string_view fact) {
    return value(now, Kind::priority, fmt::format("pci-0000:41:00.0/0/{}", number), fact);
}

std::shared_ptr<FakeHost> with_driver(std::shared_ptr<FakeHost> host, const std::string& driver) {
    host->link("/sys/class/infiniband/mlx5_0/device/driver", "/sys/bus/pci/drivers/" + driver);
    return host;
}

// The vendor's driver package, with the notification point of priority 3 switched off.
std::shared_ptr<FakeHost> vendor_tree() {
    const auto host = with_driver(roce_tree(), "mlx5_core");
    for (int i = 0; i < 8; ++i) {
        host->file(fmt::format("{}roce_np/enable/{}", kEcn, i), i == 3 ? "0\n" : "1\n");
        host->file(fmt::format("{}roce_rp/enable/{}", kEcn, i), "1\n");
    }
    for (const std::string name :
         {"roce_np/cnp_802p_prio", "roce_rp/rpg_ai_rate", "roce_rp/rpg_hai_rate", "roce_rp/rpg_min_rate",
          "roce_rp/rpg_max_rate", "roce_rp/rpg_threshold", "roce_rp/rpg_time_reset", "roce_rp/rpg_byte_reset",
          "roce_rp/rpg_gd", "roce_rp/rpg_min_dec_fac", "roce_rp/rate_to_set_on_first_cnp",
          "roce_rp/rate_reduce_monitor_period", "roce_rp/initial_alpha_value", "roce_rp/dce_tcp_g",
          "roce_rp/dce_tcp_rtt", "roce_rp/clamp_tgt_rate"}) {
        host->file(kEcn + name, "6\n");
    }
    host->file(kEcn + "roce_np/cnp_dscp", "48\n").file(kEcn + "roce_np/min_time_between_cnps", "4\n");
    return host;
}

std::shared_ptr<FakeHost> inbox_tree() {
    const auto host = with_driver(roce_host(), "mlx5_core");
    host->error("/sys/class/net/ens1f0/ecn", absent("/sys/class/net/ens1f0/ecn"));
    for (const std::string name :
         {"rp_ai_rate", "rp_hai_rate", "rp_min_rate", "rp_max_rate", "rp_threshold", "rp_time_reset", "rp_byte_reset",
          "rp_gd", "rp_min_dec_fac", "rp_rate_to_set_on_first_cnp", "rp_rate_reduce_monitor_period",
          "rp_initial_alpha_value", "rp_dce_tcp_g", "rp_dce_tcp_rtt", "rp_clamp_tgt_rate", "rp_clamp_tgt_rate_ati",
          "np_min_time_between_cnps", "np_cnp_prio_mode", "np_cnp_prio"}) {
        host->file(kDebug + "/" + name, "5\n");
    }
    host->file(kDebug + "/np_cnp_dscp", "48\n");
    return host;
}

TEST(RoceCc, OfTheVendorsPackage) {
    const Snapshot now = look(vendor_tree());
    EXPECT_EQ(of_priority(now, 3, "ecn_np_enabled"), "false");
    EXPECT_EQ(of_priority(now, 3, "ecn_rp_enabled"), "true");
    EXPECT_EQ(of_priority(now, 0, "ecn_np_enabled"), "true");
    EXPECT_EQ(of_port(now, "cnp_dscp"), "48");
    EXPECT_EQ(of_port(now, "cnp_interval"), "4");
    EXPECT_EQ(of_port(now, "cc_ai_rate"), "6");
    EXPECT_EQ(of_port(now, "cc_enabled"), "gap(not offered)");
    expect_complete(now, collector("roce_cc"));
}

TEST(RoceCc, OfMlx5InDebugfs) {
    const Snapshot now = look(inbox_tree());
    EXPECT_EQ(of_port(now, "cnp_dscp"), "48");
    EXPECT_EQ(of_port(now, "cc_first_cnp_rate"), "5");
    EXPECT_EQ(of_priority(now, 3, "ecn_np_enabled"), "gap(not offered)")
        << "without the vendor's package nobody says it for a priority";
    expect_complete(now, collector("roce_cc"));
}

TEST(RoceCc, OfBnxt) {
    const auto host = with_driver(roce_host(), "bnxt_en");
    host->file(kBnxt + "/enable_cc", "1\n").file(kBnxt + "/cc_mode", "1\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "cc_enabled"), "true");
    EXPECT_EQ(of_port(now, "cnp_dscp"), "gap(not offered)");
    expect_complete(now, collector("roce_cc"));
}

TEST(RoceCc, DebugfsIsRoots) {
    const auto host = inbox_tree();
    host->gone(kDebug).error(kDebug, denied(kDebug));
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "cnp_dscp"), "gap(no privilege)");
    EXPECT_THAT(reason(now, Kind::port, kPort, "cnp_dscp"), ::testing::HasSubstr("cc_params"));
}

TEST(RoceCc, OtherDriversShowNothingToRootEither) {
    const Snapshot irdma = look(with_driver(roce_host(), "ice"));
    EXPECT_EQ(of_port(irdma, "cnp_dscp"), "gap(not offered)");
    const Snapshot soft = look(rxe_host());
    EXPECT_EQ(value(soft, Kind::port, "guid-0200:00ff:fe00:0001/1", "cnp_dscp"), "gap(not offered)");
    expect_complete(soft, collector("roce_cc"));
}

TEST(RoceCc, AParameterTheFirmwareRefusesHidesNoOther) {
    const auto host = inbox_tree();
    host->error(kDebug + "/rp_gd", {Errc::io, kDebug + "/rp_gd: Input/output error", {}});
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "cc_gd"), "gap(error)");
    EXPECT_EQ(of_port(now, "cc_threshold"), "5");
}

TEST(RoceCc, SurvivesBadInput) {
    expect_bad_input_is_survived(vendor_tree, "roce_cc");
    expect_bad_input_is_survived(inbox_tree, "roce_cc", {{"dcb.pfc/ens1f0"}});
}

}  // namespace
}  // namespace rd::collectors::test
