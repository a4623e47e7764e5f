// SPDX-License-Identifier: GPL-2.0-or-later
// What the running kernel was built with, as far as RDMA lacks something without it: from the file that distributions install beside it.
#include <fmt/format.h>

#include "collectors/common/files.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec flag(std::string_view name, std::string_view doc) {
    return {Kind::host, name, Type::boolean, Nature::config, "", doc};
}

constexpr FactSpec kFacts[] = {
    flag("config_dcb", "mlx5_core can set priorities, PFC and trust: CONFIG_MLX5_CORE_EN_DCB in /boot/config-RELEASE"),
    flag("config_odp", "Registered memory may be paged in on demand: CONFIG_INFINIBAND_ON_DEMAND_PAGING"),
    flag("config_p2pdma", "Devices may address the memory of others, as dma-buf of GPUs needs it: CONFIG_PCI_P2PDMA"),
    flag("config_rdma_cgroup", "RDMA objects of control groups can be limited: CONFIG_CGROUP_RDMA"),
};

struct Option {
    std::string_view name;
    const FactSpec& spec;
};
constexpr Option kOptions[] = {
    {"CONFIG_MLX5_CORE_EN_DCB", row(kFacts, Kind::host, "config_dcb")},
    {"CONFIG_INFINIBAND_ON_DEMAND_PAGING", row(kFacts, Kind::host, "config_odp")},
    {"CONFIG_PCI_P2PDMA", row(kFacts, Kind::host, "config_p2pdma")},
    {"CONFIG_CGROUP_RDMA", row(kFacts, Kind::host, "config_rdma_cgroup")},
};

const Entity kHost{Kind::host, ""};

// "CONFIG_PCI_P2PDMA=y"; what is not set is a comment.
bool is_set(std::string_view text, std::string_view option) {
    for (const std::string_view line : lines(text)) {
        if (line.size() > option.size() + 1 && line.starts_with(option) && line[option.size()] == '=')
            return line[option.size() + 1] == 'y' || line[option.size() + 1] == 'm';
    }
    return false;
}

void discover(const Host& host, Plan& plan) {
    const std::string path = fmt::format("/boot/config-{}", host.identity().kernel);
    auto text = host.read(path);
    if (text && text->find("CONFIG_") == std::string::npos) text = fail(Errc::bad_input, path + ": no configuration");
    for (const Option& option : kOptions) {
        plan.set(kHost, option.spec, text.map([&](const std::string& all) { return Value(is_set(all, option.name)); }));
    }
}

}  // namespace

extern const Collector kernel_config;
constinit const Collector kernel_config{"kernel_config", kFacts, {}, Seconds(3600), Rediscover::on_change, discover};

}  // namespace rd::collectors
