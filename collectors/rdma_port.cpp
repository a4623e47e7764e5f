// SPDX-License-Identifier: GPL-2.0-or-later
// Ports of RDMA devices: state, rate, addresses, the netdev they send through, the traffic class RoCE is marked with, and queue
// pairs that have gone into the error state.
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
    {Kind::port, "active_mtu", Type::integer, Nature::config, "bytes",
     "RDMA MTU in use: ibv_query_port; on RoCE the largest IB MTU that fits the netdev's MTU less 96"},
    {Kind::port, "max_mtu", Type::integer, Nature::config, "bytes", "Largest RDMA MTU of the port: ibv_query_port"},
    reference(Kind::port, "netdev", Kind::netdev,
              "The netdev of the port: netlink PORT_GET, else gid_attrs/ndevs, else the same PCI function and port"),
    {Kind::port, "default_tos", Type::integer, Nature::config, "",
     "ToS byte of rdma_cm connections that set none: configfs rdma_cm/DEV/ports/N/default_roce_tos; 0 is the default"},
    {Kind::port, "traffic_class", Type::integer, Nature::config, "",
     "Traffic class forced on all connections: file DEV/tc/N/traffic_class of the vendor's driver package"},
    {Kind::port, "qps_error", Type::integer, Nature::gauge, "",
     "Queue pairs in state ERR: netlink RES_QP_GET, where the device has at most 4,096"},
    {Kind::port, "qps_error_lqpn", Type::integer, Nature::gauge, "", "Number of the first queue pair in state ERR"},
    {Kind::port, "qps_error_pid", Type::integer, Nature::gauge, "",
     "Process that made the first queue pair in state ERR"},
};

// Above that a dump of the queue pairs costs the firmware too much (one command each).
constexpr std::int64_t kMostQueuePairs = 4096;

constexpr const FactSpec& kState = row(kFacts, Kind::port, "state");
constexpr const FactSpec& kRate = row(kFacts, Kind::port, "rate");
constexpr const FactSpec& kTrafficClass = row(kFacts, Kind::port, "traffic_class");
constexpr const FactSpec& kQpsError = row(kFacts, Kind::port, "qps_error");
constexpr const FactSpec& kQpsErrorLqpn = row(kFacts, Kind::port, "qps_error_lqpn");
constexpr const FactSpec& kQpsErrorPid = row(kFacts, Kind::port, "qps_error_pid");

constexpr Source kFiles[] = {
    {"phys_state", row(kFacts, Kind::port, "phys_state"), as_state_name},
    {"lid", row(kFacts, Kind::port, "lid"), as_hex},
    {"sm_lid", row(kFacts, Kind::port, "sm_lid"), as_hex},
};
constexpr Source kVerbs[] = {
    {"active_mtu", row(kFacts, Kind::port, "active_mtu"), as_counter},
    {"max_mtu", row(kFacts, Kind::port, "max_mtu"), as_counter},
};

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

Result<Value> as_byte(std::string_view text) {
    auto value = as_counter(text);
    if (value && std::get<std::int64_t>(*value) > 255) {
        return fail(Errc::bad_input, fmt::format("not a byte: {}", std::get<std::int64_t>(*value)));
    }
    return value;
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

void plan_verbs(const RdmaDevice& device, const std::vector<Port>& ports, Plan& plan) {
    const std::string subject = "verbs.device/" + device.name;
    std::vector<Cover> covers;
    for (const Port& port : ports) {
        for (const Cover& cover : covers_of(port.entity, kVerbs)) covers.push_back(cover);
    }
    plan.decode(subject, covers, [=](std::string_view text, Facts& out) {
        const auto records = parse_records(text);
        if (!records) {
            return gap_all(covers, gap_from({records.error().code, subject + ": " + records.error().what, {}}), out);
        }
        for (const Port& port : ports) {
            Record own;
            for (const Record& record : *records) {
                if (record.get("port") == std::to_string(port.number)) own = record;
            }
            Answer(subject, std::move(own)).put(port.entity, kVerbs, out, "the port is not in the answer");
        }
    });
}

struct Errors {
    std::int64_t count = 0;
    Record first;
};

void put_errors(const Port& port, const Errors& errors, const std::string& subject, Facts& out) {
    out.put(port.entity, kQpsError, errors.count);
    const auto put = [&](const FactSpec& spec, std::string_view key, std::string_view absent) {
        const auto text = errors.first.get(key);
        if (!text) return out.gap(port.entity, spec, not_offered(fmt::format("{}: {}", subject, absent)));
        out.set(port.entity, spec, as_counter(*text));
    };
    const bool none = errors.count == 0;
    put(kQpsErrorLqpn, "lqpn", none ? "no queue pair is in state ERR" : "the queue pair has no number");
    put(kQpsErrorPid, "pid",
        none ? "no queue pair is in state ERR" : "made by the kernel or outside this pid namespace");
}

void decode_queue_pairs(const std::string& subject, const std::vector<Port>& ports, const std::vector<Cover>& covers,
                        std::string_view text, Facts& out) {
    const auto records = parse_records(text);
    if (!records) {
        return gap_all(covers, gap_from({records.error().code, subject + ": " + records.error().what, {}}), out);
    }
    if (!records->empty() && records->back().get("truncated")) {
        const std::string why = records->back().get("error").value_or("more queue pairs than are looked at");
        return gap_all(covers, not_collected(fmt::format("{}: {}: only a part of the table was read", subject, why)),
                       out);
    }
    std::vector<Errors> errors(ports.size());
    for (const Record& record : *records) {
        if (record.get("state") != "ERR") continue;
        const auto number = record.get("port");
        for (std::size_t i = 0; i < ports.size(); ++i) {
            // A queue pair that was never bound names no port: with one port there is no doubt.
            const bool here = number ? *number == std::to_string(ports[i].number) : ports.size() == 1;
            if (here && errors[i].count++ == 0) errors[i].first = record;
        }
    }
    for (std::size_t i = 0; i < ports.size(); ++i) put_errors(ports[i], errors[i], subject, out);
}

void plan_queue_pairs(const Host& host, const RdmaDevice& device, const std::vector<Port>& ports, Plan& plan) {
    const std::string subject = "rdma.qp/" + device.name;
    std::vector<Cover> covers;
    for (const Port& port : ports) {
        for (const FactSpec* spec : {&kQpsError, &kQpsErrorLqpn, &kQpsErrorPid}) covers.push_back({port.entity, spec});
    }
    if (const auto text = host.read("rdma.resources/" + device.name)) {
        const auto record = parse_record(*text);
        const auto count = record ? record->get("qp") : std::nullopt;
        const auto number = count ? parse_counter(*count) : Result<std::int64_t>(0);
        if (number && *number > kMostQueuePairs) {
            const Gap gap = not_collected(
                fmt::format("{}: {} queue pairs: asking for each would cost the firmware too much", subject, *number));
            for (const Cover& cover : covers) plan.gap(cover.entity, *cover.spec, gap);
            return;
        }
    }
    plan.decode(subject, covers,
                [=](std::string_view text, Facts& out) { decode_queue_pairs(subject, ports, covers, text, out); });
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

void plan_default_tos(const Host& host, const RdmaDevice& device, const Port& port, Plan& plan) {
    constexpr std::string_view kDevices = "/sys/kernel/config/rdma_cm";
    const std::string path = fmt::format("{}/{}/ports/{}/default_roce_tos", kDevices, device.name, port.number);
    const FactSpec& fact = row(kFacts, Kind::port, "default_tos");
    const auto listing = host.list(kDevices);
    const bool set_up = listing && std::find(listing->begin(), listing->end(), device.name) != listing->end();
    if (!set_up && (listing || listing.error().code == Errc::not_found)) {
        return plan.gap(
            port.entity, fact,
            not_offered(path + ": nobody has set a default for this device, so it is 0 where rdma_cm sets none",
                        fmt::format("to set one: mkdir {}/{}", kDevices, device.name)));
    }
    plan.read(path, port.entity, fact, as_byte);
}

void plan_port(const Host& host, const RdmaDevice& device, const Port& port, const std::vector<Netdev>& netdevs,
               Plan& plan) {
    plan.put(port.entity, row(kFacts, Kind::port, "name"), fmt::format("{}/{}", device.name, port.number));
    plan.put(port.entity, row(kFacts, Kind::port, "device"), device.entity);
    plan.put(port.entity, row(kFacts, Kind::port, "number"), std::int64_t{port.number});
    plan.set(
        port.entity, row(kFacts, Kind::port, "netdev"),
        netdev_of_port(host, device, port.number, netdevs).map([](const Entity& netdev) { return Value(netdev); }));

    const std::string path = fmt::format("{}/ports/{}", device.path, port.number);
    plan.lane(device.lane);
    plan.every(Seconds(5));
    plan_state_and_rate(path, port.entity, plan);
    for (const Source& file : kFiles) {
        plan.read(fmt::format("{}/{}", path, file.name), port.entity, file.spec, file.parser);
    }
    plan.every(Seconds(60));
    plan_traffic_class(host, device, port, plan);
    // The kernel knows these without the driver: a lane of their own keeps them visible when that hangs.
    plan.lane("rdma_port");
    plan.read(path + "/link_layer", port.entity, row(kFacts, Kind::port, "link_layer"), as_label);
    plan_default_tos(host, device, port, plan);
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    plan.watch(std::string(kNet));
    const auto devices = rdma_devices(host);
    if (!devices) return plan.kind_gap(Kind::port, gap_from(devices.error()));
    const auto known = netdevs(host).value_or(std::vector<Netdev>{});
    for (const RdmaDevice& device : *devices) {
        const auto numbers = port_numbers(host, device);
        if (!numbers) {
            plan.kind_gap(Kind::port, gap_from(numbers.error()));
            continue;
        }
        std::vector<Port> ports;
        for (const int number : *numbers) ports.push_back({number, port_entity(device, number)});
        for (const Port& port : ports) plan_port(host, device, port, known, plan);
        plan.lane(device.lane);
        plan.every(Seconds(60));
        plan_verbs(device, ports, plan);
        plan.every(Seconds(30));
        plan_queue_pairs(host, device, ports, plan);
    }
}

}  // namespace

extern const Collector rdma_port;
constinit const Collector rdma_port{"rdma_port", kFacts, {}, Seconds(5), Rediscover::on_change, discover};

}  // namespace rd::collectors
