// SPDX-License-Identifier: GPL-2.0-or-later
// What daos_server.yml declares of each engine. The engine that runs got it in its environment, which only root may read.
#include <fmt/format.h>

#include <cstdlib>
#include <map>

#include "collectors/common/files.h"
#include "collectors/common/services.h"
#include "collectors/common/settings.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    setting("declared_provider", Type::text, "", "Fabric provider (ofi+verbs, ucx+dc_x): daos_server.yml provider"),
    setting("declared_fabric_iface", Type::text, "", "Interface of the engine: daos_server.yml engines[].fabric_iface"),
    setting("declared_fabric_iface_port", Type::integer, "",
            "First port of the engine: daos_server.yml engines[].fabric_iface_port"),
    setting("declared_pinned_numa_node", Type::integer, "",
            "NUMA node of the engine: daos_server.yml engines[].pinned_numa_node"),
    setting("declared_targets", Type::integer, "", "Targets of the engine: daos_server.yml engines[].targets"),
    setting("declared_allow_thp", Type::boolean, "", "Transparent huge pages may be on: daos_server.yml allow_thp"),
    setting("declared_disable_hugepages", Type::boolean, "", "No huge pages: daos_server.yml disable_hugepages"),
    setting("declared_provider_family", Type::text, "",
            "Kind of the provider: verbs, ucx, tcp (of either library), or other"),
    setting("daos_rdma_declared", Type::boolean, "",
            "The provider needs RDMA: verbs, or ucx with a transport that is not TCP"),
    setting(
        "daos_port_distance", Type::integer, "",
        "Least distance of its port from that of another engine on the same interface; it uses the next three as well"),
    setting(
        "daos_ssds_elsewhere", Type::integer, "",
        "SSDs of bdev_list whose NUMA node is known and not pinned_numa_node: daos_server.yml, /sys/bus/pci/devices"),
    setting("daos_environment_old", Type::integer, "",
            "Variables of its environment under their names before 2.6 (OFI_INTERFACE …): /proc/PID/environ"),
    setting(
        "daos_environment_overridden", Type::integer, "",
        "FI_MR_CACHE_MAX_COUNT and UCX_RCACHE_ENABLE in its environment without CRT_MRC_ENABLE=1: /proc/PID/environ"),
    setting("daos_universe_size", Type::integer, "", "FI_UNIVERSE_SIZE of its environment: /proc/PID/environ"),
    {Kind::host, "max_map_count", Type::integer, Nature::config, "",
     "Most mappings of a process: /proc/sys/vm/max_map_count"},
    {Kind::host, "accept_local", Type::integer, Nature::config, "",
     "1: packets from an address of this host are taken: /proc/sys/net/ipv4/conf/all/accept_local"},
};

consteval const FactSpec& fact(std::string_view name) { return row(kFacts, Kind::service, name); }

constexpr std::string_view kFile = "/etc/daos/daos_server.yml";
std::string subject_of(std::string_view name) { return fmt::format("config.yaml/{}{}", name, kFile); }

// Of each engine, or of all.
constexpr Declared kOfEngine[] = {
    {"engines.fabric_iface", fact("declared_fabric_iface"), as_label},
    {"engines.fabric_iface_port", fact("declared_fabric_iface_port"), as_count},
    {"engines.pinned_numa_node", fact("declared_pinned_numa_node"), as_count},
    {"engines.targets", fact("declared_targets"), as_count},
};
constexpr Declared kOfServer[] = {
    {"provider", fact("declared_provider"), as_label},
    {"allow_thp", fact("declared_allow_thp"), as_declared_switch},
    {"disable_hugepages", fact("declared_disable_hugepages"), as_declared_switch},
};
constexpr std::string_view kDisks = "bdev_list";

using Settings = Result<std::vector<Setting>>;
using Text = Result<std::optional<std::string>>;

Text of_engine(const Settings& settings, const std::string& engine) {
    if (!settings) return tl::unexpected<Error>(settings.error());
    for (const Setting& each : *settings) {
        if (index_of(each.at) == engine) return std::optional(each.value);
    }
    return std::optional<std::string>();
}

Text of_server(const Settings& settings, std::string_view name) {
    if (!settings) return tl::unexpected<Error>(settings.error());
    for (const Setting& each : *settings) {
        if (each.at == name) return std::optional(each.value);
    }
    return std::optional<std::string>();
}

struct File {
    std::map<std::string_view, Settings> all;

    explicit File(const Host& host) {
        for (const Declared& each : kOfEngine) all.emplace(each.name, read_settings(host, subject_of(each.name)));
        for (const Declared& each : kOfServer) all.emplace(each.name, read_settings(host, subject_of(each.name)));
        all.emplace(kDisks, read_settings(host, subject_of(kDisks)));
    }
    [[nodiscard]] const Settings& of(std::string_view name) const { return all.find(name)->second; }
};

Result<std::string> family_of(const Text& provider) {
    if (!provider) return tl::unexpected<Error>(provider.error());
    if (!*provider) return fail(Errc::not_supported, subject_of("provider") + ": not set there");
    const std::string& name = **provider;
    if (name.find("verbs") != std::string::npos) return std::string("verbs");
    if (name.find("tcp") != std::string::npos || name.find("sockets") != std::string::npos) return std::string("tcp");
    return std::string(name.starts_with("ucx+") ? "ucx" : "other");
}

// From the other engines with the same interface.
Result<Value> port_distance(const File& file, const std::string& engine) {
    const auto interface = of_engine(file.of("engines.fabric_iface"), engine);
    const auto port = of_engine(file.of("engines.fabric_iface_port"), engine);
    if (!interface) return tl::unexpected<Error>(interface.error());
    if (!port) return tl::unexpected<Error>(port.error());
    const auto number = *port ? parse_counter(**port) : Result<std::int64_t>(-1);
    if (!*interface || !*port) return fail(Errc::not_supported, fmt::format("{}: no interface or port", kFile));
    if (!number) return fail(Errc::bad_input, fmt::format("{}: {}", kFile, number.error().what));
    std::optional<std::int64_t> least;
    for (const Setting& other : *file.of("engines.fabric_iface")) {
        const auto index = index_of(other.at);
        if (!index || *index == engine || other.value != **interface) continue;
        const auto text = of_engine(file.of("engines.fabric_iface_port"), *index);
        const auto their = text && *text ? parse_counter(**text) : Result<std::int64_t>(-1);
        if (!their || *their < 0) continue;
        const std::int64_t distance = std::abs(*their - *number);
        if (!least || distance < *least) least = distance;
    }
    if (!least) return fail(Errc::not_supported, fmt::format("{}: no other engine on this interface", kFile));
    return Value(*least);
}

Result<Value> disks_elsewhere(const Host& host, const File& file, const std::string& engine) {
    const Settings& disks = file.of(kDisks);
    if (!disks) return tl::unexpected<Error>(disks.error());
    const auto pinned = of_engine(file.of("engines.pinned_numa_node"), engine);
    if (!pinned) return tl::unexpected<Error>(pinned.error());
    if (!*pinned) return fail(Errc::not_supported, subject_of("engines.pinned_numa_node") + ": not set there");
    const auto node = parse_counter(**pinned);
    if (!node) return fail(Errc::bad_input, fmt::format("{}: {}", kFile, node.error().what));
    std::int64_t count = 0;
    for (const Setting& disk : *disks) {
        if (index_of(disk.at) != engine || !is_pci_address(disk.value)) continue;
        const auto own = read_number(host, fmt::format("/sys/bus/pci/devices/{}/numa_node", disk.value));
        if (!own && own.error().code != Errc::not_found) return tl::unexpected<Error>(own.error());
        count += own && *own >= 0 && *own != *node ? 1 : 0;
    }
    return Value(count);
}

void plan_environment(const Host& host, const Service& service, Plan& plan) {
    const FactSpec &old = fact("daos_environment_old"), &overridden = fact("daos_environment_overridden"),
                   &universe = fact("daos_universe_size");
    const auto all = [&](const Gap& gap) {
        for (const FactSpec* spec : {&old, &overridden, &universe}) plan.gap(service.entity, *spec, gap);
    };
    if (service.pid == 0) return all(not_offered("it does not run, as far as was looked"));
    const std::string subject = fmt::format("proc.env/{}", service.pid);
    const auto text = host.read(subject);
    if (!text) return all(gap_from(text.error()));
    const auto record = parse_record(*text);
    if (!record) return all(gap_from(named(subject, record.error())));
    std::int64_t names = 0;
    for (const std::string_view name : {"CRT_PHY_ADDR_STR", "OFI_INTERFACE", "OFI_DOMAIN", "OFI_PORT"}) {
        names += record->get(name) ? 1 : 0;
    }
    plan.put(service.entity, old, names);
    const bool cached = record->get("CRT_MRC_ENABLE") == "1";
    std::int64_t lost = 0;
    for (const std::string_view name : {"FI_MR_CACHE_MAX_COUNT", "UCX_RCACHE_ENABLE"})
        lost += record->get(name) ? 1 : 0;
    plan.put(service.entity, overridden, cached ? std::int64_t{0} : lost);
    if (const auto size = record->get("FI_UNIVERSE_SIZE")) {
        plan.set(service.entity, universe, as_count(*size));
    } else {
        plan.gap(service.entity, universe, not_offered(subject + ": FI_UNIVERSE_SIZE is not set"));
    }
}

void plan_engine(const Host& host, const File& file, const Service& service, Plan& plan) {
    const Entity& entity = service.entity;
    const bool engine = service.program == "daos_engine" && !service.instance.empty();
    for (const Declared& each : kOfEngine) {
        if (engine) {
            put_declared(entity, each, subject_of(each.name), of_engine(file.of(each.name), service.instance), plan);
        } else {
            plan.gap(entity, each.spec, not_offered("which engine it is, if any, is not known"));
        }
    }
    const FactSpec &distance = fact("daos_port_distance"), &disks = fact("daos_ssds_elsewhere");
    if (engine) {
        plan.set(entity, distance, port_distance(file, service.instance));
        return plan.set(entity, disks, disks_elsewhere(host, file, service.instance));
    }
    for (const FactSpec* spec : {&distance, &disks}) {
        plan.gap(entity, *spec, not_offered("which engine it is, if any, is not known"));
    }
}

void discover(const Host& host, Plan& plan) {
    plan.read("/proc/sys/vm/max_map_count", {Kind::host, ""}, row(kFacts, Kind::host, "max_map_count"), as_count);
    plan.read("/proc/sys/net/ipv4/conf/all/accept_local", {Kind::host, ""}, row(kFacts, Kind::host, "accept_local"),
              as_count);
    const auto found = services_of(host, "daos");
    if (found.empty()) return;
    const File file(host);
    for (const Service& service : found) {
        for (const Declared& each : kOfServer) {
            put_declared(service.entity, each, subject_of(each.name), of_server(file.of(each.name), each.name), plan);
        }
        const auto family = family_of(of_server(file.of("provider"), "provider"));
        plan.set(service.entity, fact("declared_provider_family"),
                 family.map([](const auto& name) { return Value(name); }));
        plan.set(service.entity, fact("daos_rdma_declared"),
                 family.map([](const auto& name) { return Value(name == "verbs" || name == "ucx"); }));
        plan_engine(host, file, service, plan);
        plan_environment(host, service, plan);
    }
}

}  // namespace

extern const Collector daos;
constinit const Collector daos{"daos", kFacts, {}, Seconds(60), Rediscover::always, discover};

}  // namespace rd::collectors
