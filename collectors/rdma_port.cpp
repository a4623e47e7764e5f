// SPDX-License-Identifier: GPL-2.0-or-later
// Ports of RDMA devices: state, rate, addresses, partitions, the netdev they send through, and the traffic class RoCE is marked with.
//
// Each read of state, phys_state, rate and lid makes the driver ask its firmware (ib_query_port), hence seconds between them.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::port, "name", Type::text, Nature::config, "", "Device and number (mlx5_0/1)"},
    reference(Kind::port, "device", Kind::device, "The RDMA device the port belongs to"),
    {Kind::port, "number", Type::integer, Nature::config, "", "Number of the port, from 1"},
    {Kind::port, "state", Type::text, Nature::gauge, "",
     "DOWN, INIT, ARMED, ACTIVE: file ports/N/state; RoCE knows DOWN and ACTIVE only"},
    {Kind::port, "phys_state", Type::text, Nature::gauge, "", "LinkUp, Polling, Disabled …: file ports/N/phys_state"},
    {Kind::port, "rate", Type::real, Nature::gauge, "Gbit/s",
     "File ports/N/rate, while the port is ACTIVE: otherwise drivers show a default"},
    {Kind::port, "link_layer", Type::text, Nature::config, "",
     "Ethernet (RoCE or iWARP) or InfiniBand: file ports/N/link_layer"},
    {Kind::port, "lid", Type::integer, Nature::config, "", "Local identifier, 0 on Ethernet: file ports/N/lid"},
    {Kind::port, "sm_lid", Type::integer, Nature::config, "",
     "LID of the subnet manager, 0 on Ethernet: file ports/N/sm_lid"},
    {Kind::port, "pkey", Type::integer, Nature::config, "",
     "Partition key at index 0, bit 15 for full membership, 0 for no partition: file ports/N/pkeys/0; one entry only, "
     "each costs a firmware command"},
    reference(Kind::port, "netdev", Kind::netdev,
              "The netdev of the port: netlink PORT_GET, else gid_attrs/ndevs, else the same PCI function and port"),
    {Kind::port, "traffic_class", Type::integer, Nature::config, "",
     "Traffic class forced on all connections: file DEV/tc/N/traffic_class of the vendor's driver package"},
};

constexpr const FactSpec& kState = row(kFacts, Kind::port, "state");
constexpr const FactSpec& kRate = row(kFacts, Kind::port, "rate");
constexpr const FactSpec& kTrafficClass = row(kFacts, Kind::port, "traffic_class");

constexpr Source kFiles[] = {
    {"phys_state", row(kFacts, Kind::port, "phys_state"), as_state_name},
    {"lid", row(kFacts, Kind::port, "lid"), as_hex},
    {"sm_lid", row(kFacts, Kind::port, "sm_lid"), as_hex},
};
constexpr const FactSpec& kPkey = row(kFacts, Kind::port, "pkey");
struct Port {
    int number;
    Entity entity;
};

Result<Value> as_traffic_class(std::string_view text) {
    constexpr std::string_view kKey = "tclass=";
    const std::size_t at = text.find(kKey);
    if (at == std::string_view::npos) {
        if (trim(text).empty()) return fail(Errc::not_supported, "no traffic class is forced");
        return fail(Errc::bad_input, "not a traffic class: '" + printable(trim(text)) + "'");
    }
    const std::string_view rest = text.substr(at + kKey.size());
    const auto number = parse_integer(rest.substr(0, rest.find_first_of(" \t\n,")));
    if (!number) return tl::unexpected<Error>(number.error());
    if (*number < 0) return fail(Errc::not_supported, "no traffic class is forced");
    if (*number > 255) return fail(Errc::bad_input, fmt::format("a traffic class is one byte, not {}", *number));
    return Value(*number);
}

// The rate means something only while the port is ACTIVE. Both are read by one lane, the state first, so the second answer can see
// the first; it is taken out on use, because a failed read of the state leaves nothing.
void plan_state_and_rate(const std::string& path, const Entity& port, Plan& plan) {
    const auto state = std::make_shared<std::optional<std::string>>();
    const std::string state_path = path + "/state";
    plan.decode(state_path, {{port, &kState}}, [=](std::string_view text, Facts& out) {
        auto value = as_state_name(text);
        if (value) {
            *state = std::get<std::string>(*value);
        } else {
            value.error().what = state_path + ": " + value.error().what;
        }
        out.set(port, kState, std::move(value));
    });
    const std::string rate_path = path + "/rate";
    plan.decode(rate_path, {{port, &kRate}}, [=](std::string_view text, Facts& out) {
        const auto now = std::exchange(*state, std::nullopt);
        if (!now) {
            out.gap(port, kRate,
                    not_collected(state_path + " could not be read, and the rate is only true while ACTIVE"));
        } else if (*now != "ACTIVE") {
            out.gap(port, kRate,
                    not_offered(fmt::format("{}: the port is {}: drivers show a default then", rate_path, *now)));
        } else {
            auto value = as_leading_number(text);
            if (!value) value.error().what = rate_path + ": " + value.error().what;
            out.set(port, kRate, std::move(value));
        }
    });
}

void plan_traffic_class(const Host& host, const RdmaDevice& device, const Port& port, Plan& plan) {
    const std::string path = fmt::format("{}/tc/{}/traffic_class", device.path, port.number);
    const auto listing = host.list(device.path);
    if (listing && std::find(listing->begin(), listing->end(), "tc") == listing->end()) {
        return plan.gap(port.entity, kTrafficClass,
                        not_offered(path + ": only the driver package of the vendor has this file"));
    }
    plan.read(path, port.entity, kTrafficClass, as_traffic_class);
}

// Rules ask for these words: another one is no answer, and must not read as "not Ethernet".
Result<Value> as_link_layer(std::string_view text) {
    const std::string_view word = trim(text);
    if (word == "Ethernet" || word == "InfiniBand") return Value(std::string(word));
    if (word == "Unknown") return fail(Errc::not_supported, "the driver does not say: 'Unknown'");
    return fail(Errc::bad_input, "not a link layer: '" + printable(text) + "'");
}

// What is looked at once for all ports.
struct Surroundings {
    explicit Surroundings(const Host& host) : netdevs(collectors::netdevs(host)), index(netdevs ? *netdevs : none) {}
    Surroundings(const Surroundings&) = delete;
    Surroundings& operator=(const Surroundings&) = delete;

    const std::vector<Netdev> none;
    Result<std::vector<Netdev>> netdevs;
    NetdevIndex index;
};

Result<Value> netdev_of(const Host& host, const RdmaDevice& device, const Port& port, const Surroundings& around) {
    if (!around.netdevs) return tl::unexpected<Error>(around.netdevs.error());
    return netdev_of_port(host, device, port.number, around.index).map([](const Entity& netdev) {
        return Value(netdev);
    });
}

void plan_port(const Host& host, const RdmaDevice& device, const Port& port, const Surroundings& around, Plan& plan) {
    plan.put(port.entity, row(kFacts, Kind::port, "name"), fmt::format("{}/{}", device.name, port.number));
    plan.put(port.entity, row(kFacts, Kind::port, "device"), device.entity);
    plan.put(port.entity, row(kFacts, Kind::port, "number"), std::int64_t{port.number});
    plan.set(port.entity, row(kFacts, Kind::port, "netdev"), netdev_of(host, device, port, around));

    const std::string path = fmt::format("{}/ports/{}", device.path, port.number);
    plan.lane(device.lane);
    plan.every(Seconds(5));
    plan_state_and_rate(path, port.entity, plan);
    for (const Source& file : kFiles) {
        plan.read(fmt::format("{}/{}", path, file.name), port.entity, file.spec, file.parser);
    }
    plan.every(Seconds(60));
    plan_traffic_class(host, device, port, plan);
    plan.read(path + "/pkeys/0", port.entity, kPkey, as_hex);
    // The kernel knows these without the driver: a lane of their own keeps them visible when that hangs.
    plan.lane("rdma_port");
    plan.read(path + "/link_layer", port.entity, row(kFacts, Kind::port, "link_layer"), as_link_layer);
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    plan.watch(std::string(kNet));
    const auto devices = rdma_devices(host);
    if (!devices) return plan.kind_gap(Kind::port, gap_from(devices.error()));
    const Surroundings around(host);
    for (const RdmaDevice& device : *devices) {
        const auto numbers = port_numbers(host, device);
        if (!numbers) {
            plan.kind_gap(Kind::port, gap_from(numbers.error()));
            continue;
        }
        for (const int number : *numbers) plan_port(host, device, {number, port_entity(device, number)}, around, plan);
    }
}

}  // namespace

extern const Collector rdma_port;
constinit const Collector rdma_port{"rdma_port", kFacts, {}, Seconds(5), Rediscover::on_change, discover};

}  // namespace rd::collectors
