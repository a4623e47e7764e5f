// SPDX-License-Identifier: GPL-2.0-or-later
// Congestion control of RoCE (DCQCN): on which priorities it is on, how congestion notifications are marked, and the parameters of the
// reaction point, which is our sender.
//
// Three places, never two at once: /sys/class/net/IF/ecn of the vendor's driver package (the only one that can say on which priorities
// it is on), debugfs cc_params of mlx5, debugfs cc_config of bnxt_re (Linux 6.14). Each debugfs file costs a firmware command, hence
// minutes between them; they are root's.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "collectors/common/identity.h"
#include "collectors/common/priorities.h"
#include "collectors/common/table.h"

namespace rd::collectors {
namespace {

constexpr FactSpec parameter(std::string_view name, std::string_view unit, std::string_view doc) {
    return {Kind::port, name, Type::integer, Nature::config, unit, doc};
}

constexpr FactSpec kFacts[] = {
    {Kind::priority, "ecn_np_enabled", Type::boolean, Nature::config, "",
     "Our receiver answers marked packets of this priority with notifications: file ecn/roce_np/enable/N of the "
     "vendor's driver package"},
    {Kind::priority, "ecn_rp_enabled", Type::boolean, Nature::config, "",
     "Our sender slows down for notifications on this priority: file ecn/roce_rp/enable/N of the vendor's driver "
     "package"},
    {Kind::port, "cc_enabled", Type::boolean, Nature::config, "",
     "Congestion control is on: debugfs bnxt_re cc_config/enable_cc; other drivers do not say it for the whole port"},
    parameter("cnp_dscp", "", "DSCP of our congestion notifications: ecn/roce_np/cnp_dscp, else cc_params/np_cnp_dscp"),
    parameter("cnp_priority", "",
              "Priority of our congestion notifications: ecn/roce_np/cnp_802p_prio, else cc_params/np_cnp_prio"),
    parameter("cnp_interval", "microseconds",
              "Shortest time between two notifications to one sender: min_time_between_cnps"),
    parameter("cc_ai_rate", "Mbit/s", "Step of additive increase: rpg_ai_rate, rp_ai_rate"),
    parameter("cc_hai_rate", "Mbit/s", "Step of hyper increase: rpg_hai_rate, rp_hai_rate"),
    parameter("cc_min_rate", "Mbit/s", "Lowest rate of a queue pair: rpg_min_rate, rp_min_rate"),
    parameter("cc_max_rate", "Mbit/s", "Highest rate of a queue pair, 0 for the port's: rpg_max_rate, rp_max_rate"),
    parameter("cc_threshold", "", "Steps of recovery before additive increase: rpg_threshold, rp_threshold"),
    parameter("cc_time_reset", "microseconds", "Time between two increases: rpg_time_reset, rp_time_reset"),
    parameter("cc_byte_reset", "bytes", "Bytes between two increases: rpg_byte_reset, rp_byte_reset"),
    parameter("cc_gd", "", "Rate is cut by alpha / 2^gd: rpg_gd, rp_gd"),
    parameter("cc_min_dec_fac", "%", "The least that is left after a cut: rpg_min_dec_fac, rp_min_dec_fac"),
    parameter("cc_first_cnp_rate", "Mbit/s", "Rate after the first notification: rate_to_set_on_first_cnp"),
    parameter("cc_reduce_period", "microseconds", "Shortest time between two cuts: rate_reduce_monitor_period"),
    parameter("cc_initial_alpha", "", "First value of alpha: initial_alpha_value"),
    parameter("cc_dce_tcp_g", "", "Weight of the past in alpha: dce_tcp_g"),
    parameter("cc_dce_tcp_rtt", "microseconds", "Time between two updates of alpha: dce_tcp_rtt"),
    parameter("cc_clamp_target", "", "The target rate follows each cut: clamp_tgt_rate"),
};
constexpr std::size_t kFirstOfPort = 2;
static_assert(kFacts[kFirstOfPort].kind == Kind::port && kFacts[kFirstOfPort - 1].kind == Kind::priority);

constexpr const FactSpec& kNotify = row(kFacts, Kind::priority, "ecn_np_enabled");
constexpr const FactSpec& kReact = row(kFacts, Kind::priority, "ecn_rp_enabled");

// The files of one place, below its directory. A row that none of them gives is not offered there.
constexpr Source kVendor[] = {
    {"roce_np/cnp_dscp", row(kFacts, Kind::port, "cnp_dscp"), as_counter},
    {"roce_np/cnp_802p_prio", row(kFacts, Kind::port, "cnp_priority"), as_counter},
    {"roce_np/min_time_between_cnps", row(kFacts, Kind::port, "cnp_interval"), as_counter},
    {"roce_rp/rpg_ai_rate", row(kFacts, Kind::port, "cc_ai_rate"), as_counter},
    {"roce_rp/rpg_hai_rate", row(kFacts, Kind::port, "cc_hai_rate"), as_counter},
    {"roce_rp/rpg_min_rate", row(kFacts, Kind::port, "cc_min_rate"), as_counter},
    {"roce_rp/rpg_max_rate", row(kFacts, Kind::port, "cc_max_rate"), as_counter},
    {"roce_rp/rpg_threshold", row(kFacts, Kind::port, "cc_threshold"), as_counter},
    {"roce_rp/rpg_time_reset", row(kFacts, Kind::port, "cc_time_reset"), as_counter},
    {"roce_rp/rpg_byte_reset", row(kFacts, Kind::port, "cc_byte_reset"), as_counter},
    {"roce_rp/rpg_gd", row(kFacts, Kind::port, "cc_gd"), as_counter},
    {"roce_rp/rpg_min_dec_fac", row(kFacts, Kind::port, "cc_min_dec_fac"), as_counter},
    {"roce_rp/rate_to_set_on_first_cnp", row(kFacts, Kind::port, "cc_first_cnp_rate"), as_counter},
    {"roce_rp/rate_reduce_monitor_period", row(kFacts, Kind::port, "cc_reduce_period"), as_counter},
    {"roce_rp/initial_alpha_value", row(kFacts, Kind::port, "cc_initial_alpha"), as_counter},
    {"roce_rp/dce_tcp_g", row(kFacts, Kind::port, "cc_dce_tcp_g"), as_counter},
    {"roce_rp/dce_tcp_rtt", row(kFacts, Kind::port, "cc_dce_tcp_rtt"), as_counter},
    {"roce_rp/clamp_tgt_rate", row(kFacts, Kind::port, "cc_clamp_target"), as_counter},
};
constexpr Source kMlx5[] = {
    {"np_cnp_dscp", row(kFacts, Kind::port, "cnp_dscp"), as_counter},
    {"np_cnp_prio", row(kFacts, Kind::port, "cnp_priority"), as_counter},
    {"np_min_time_between_cnps", row(kFacts, Kind::port, "cnp_interval"), as_counter},
    {"rp_ai_rate", row(kFacts, Kind::port, "cc_ai_rate"), as_counter},
    {"rp_hai_rate", row(kFacts, Kind::port, "cc_hai_rate"), as_counter},
    {"rp_min_rate", row(kFacts, Kind::port, "cc_min_rate"), as_counter},
    {"rp_max_rate", row(kFacts, Kind::port, "cc_max_rate"), as_counter},
    {"rp_threshold", row(kFacts, Kind::port, "cc_threshold"), as_counter},
    {"rp_time_reset", row(kFacts, Kind::port, "cc_time_reset"), as_counter},
    {"rp_byte_reset", row(kFacts, Kind::port, "cc_byte_reset"), as_counter},
    {"rp_gd", row(kFacts, Kind::port, "cc_gd"), as_counter},
    {"rp_min_dec_fac", row(kFacts, Kind::port, "cc_min_dec_fac"), as_counter},
    {"rp_rate_to_set_on_first_cnp", row(kFacts, Kind::port, "cc_first_cnp_rate"), as_counter},
    {"rp_rate_reduce_monitor_period", row(kFacts, Kind::port, "cc_reduce_period"), as_counter},
    {"rp_initial_alpha_value", row(kFacts, Kind::port, "cc_initial_alpha"), as_counter},
    {"rp_dce_tcp_g", row(kFacts, Kind::port, "cc_dce_tcp_g"), as_counter},
    {"rp_dce_tcp_rtt", row(kFacts, Kind::port, "cc_dce_tcp_rtt"), as_counter},
    {"rp_clamp_tgt_rate", row(kFacts, Kind::port, "cc_clamp_target"), as_counter},
};
constexpr Source kBnxt[] = {{"enable_cc", row(kFacts, Kind::port, "cc_enabled"), as_switch}};

struct Place {
    std::string directory;
    std::span<const Source> files;
};

void gap_port(const Entity& port, const Gap& gap, Plan& plan) {
    for (std::size_t i = kFirstOfPort; i < std::size(kFacts); ++i) plan.gap(port, kFacts[i], gap);
}

void plan_place(const Place& place, const Entity& port, Plan& plan) {
    for (std::size_t i = kFirstOfPort; i < std::size(kFacts); ++i) {
        const auto file = std::find_if(place.files.begin(), place.files.end(),
                                       [&](const Source& source) { return &source.spec == &kFacts[i]; });
        if (file == place.files.end()) {
            plan.gap(port, kFacts[i], not_offered(fmt::format("{}: does not say {}", place.directory, kFacts[i].name)));
        } else {
            plan.read(fmt::format("{}/{}", place.directory, file->name), port, file->spec, file->parser);
        }
    }
}

// Where the driver of the device puts its parameters; nothing where it has none.
std::optional<Place> debug_place(const Host& host, const RdmaDevice& device) {
    if (!device.pci || device.soft.value_or(true)) return std::nullopt;
    const auto link = host.link(device.path + "/device/driver");
    const std::string driver = link ? link->substr(link->rfind('/') + 1) : std::string();
    if (driver == "bnxt_en") return Place{fmt::format("/sys/kernel/debug/bnxt_re/{}/cc_config", *device.pci), kBnxt};
    // A copied tree may hold no link to the driver. Only mlx5 has that directory.
    if (driver == "mlx5_core" || driver.empty()) {
        return Place{fmt::format("/sys/kernel/debug/mlx5/{}/cc_params", *device.pci), kMlx5};
    }
    return std::nullopt;
}

void plan_port(const Host& host, const RdmaDevice& device, const Entity& port, const Netdev* netdev, Plan& plan) {
    plan.lane(device.lane);
    if (netdev != nullptr && host.list(netdev->path + "/ecn")) {
        plan.every(Seconds(60));
        return plan_place({netdev->path + "/ecn", kVendor}, port, plan);
    }
    const auto place = debug_place(host, device);
    if (!place) {
        return gap_port(
            port, not_offered(device.path + ": only mlx5 and bnxt_re show their congestion control to the host"), plan);
    }
    if (const auto listing = host.list(place->directory); !listing) {
        if (listing.error().code != Errc::not_found) return gap_port(port, gap_from(listing.error()), plan);
        return gap_port(port,
                        not_offered(place->directory + ": not there: the kernel or firmware does not offer it, or "
                                                       "debugfs is not mounted"),
                        plan);
    }
    plan.every(Seconds(300));
    plan_place(*place, port, plan);
}

void plan_priorities(const Host& host, const Netdev& netdev, Plan& plan) {
    const std::string directory = netdev.path + "/ecn";
    const std::vector<Entity> priorities = priorities_of(host, netdev);
    const auto listing = host.list(directory);
    plan.lane(netdev.lane);
    plan.every(Seconds(60));
    for (std::size_t i = 0; i < priorities.size(); ++i) {
        if (listing) {
            plan.read(fmt::format("{}/roce_np/enable/{}", directory, i), priorities[i], kNotify, as_switch);
            plan.read(fmt::format("{}/roce_rp/enable/{}", directory, i), priorities[i], kReact, as_switch);
            continue;
        }
        const Gap gap = listing.error().code == Errc::not_found
                            ? not_offered(directory +
                                              ": only the driver package of the vendor says on which "
                                              "priorities congestion control is on",
                                          "query the firmware: mlxconfig -d PCI q | grep ROCE_CC_PRIO_MASK")
                            : gap_from(listing.error());
        plan.gap(priorities[i], kNotify, gap);
        plan.gap(priorities[i], kReact, gap);
    }
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    plan.watch(std::string(kNet));
    const auto kept = rdma_netdevs(host);
    if (!kept) plan.kind_gap(Kind::priority, gap_from(kept.error()));
    const std::vector<Netdev> known = kept.value_or(std::vector<Netdev>{});
    const NetdevIndex index(known);
    for (const Netdev& netdev : known) plan_priorities(host, netdev, plan);

    const auto devices = rdma_devices(host);
    if (!devices) return plan.kind_gap(Kind::port, gap_from(devices.error()));
    for (const RdmaDevice& device : *devices) {
        const auto numbers = port_numbers(host, device);
        if (!numbers) plan.kind_gap(Kind::port, gap_from(numbers.error()));
        for (const int number : numbers.value_or(std::vector<int>{})) {
            const auto below = netdev_of_port(host, device, number, index);
            plan_port(host, device, port_entity(device, number), below ? index.with_id(below->id) : nullptr, plan);
        }
    }
}

}  // namespace

extern const Collector roce_cc;
constinit const Collector roce_cc{"roce_cc", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
