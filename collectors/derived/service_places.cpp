// SPDX-License-Identifier: GPL-2.0-or-later
// What the names in configurations of storage systems lead to on this host: devices, ports and interfaces, and the priority on which what they
// mark travels. A name that leads nowhere is a fact too.
#include <fmt/format.h>

#include <array>
#include <map>
#include <set>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::service, "declared_names_unknown", Type::integer, Nature::config, "",
     "Names of RDMA devices in its configuration that lead to none; 3FS takes interfaces as well"},
    {Kind::service, "declared_devices_inactive", Type::integer, Nature::config, "",
     "RDMA devices named in its configuration of which no port is ACTIVE"},
    {Kind::service, "devices_to_open", Type::integer, Nature::config, "",
     "RDMA devices that 3FS opens: those of device_filter, else all"},
    reference(Kind::service, "port", Kind::port,
              "Port it uses: that of its configuration, else the first of the first device it has open"),
    reference(Kind::service, "netdev", Kind::netdev, "Interface that its configuration names"),
    {Kind::service, "iface_ports", Type::integer, Nature::config, "",
     "Ports of RDMA devices that send through the interface its configuration names; 0 where there is no such "
     "interface"},
    {Kind::service, "iface_link_layer", Type::text, Nature::config, "",
     "Link layer of these ports: InfiniBand or Ethernet"},
    reference(Kind::service, "pinned_numa", Kind::numa, "NUMA node that its configuration pins it to"),
    {Kind::service, "dscp", Type::integer, Nature::config, "",
     "DSCP that its configuration asks for, a quarter of the traffic class; the default where it asks for none"},
    {Kind::service, "lossless_missed", Type::boolean, Nature::config, "",
     "PFC is on for some priority of its port, and not for the one of its DSCP"},
};

constexpr const FactSpec& kUnknown = row(kFacts, Kind::service, "declared_names_unknown");
constexpr const FactSpec& kInactive = row(kFacts, Kind::service, "declared_devices_inactive");
constexpr const FactSpec& kOpens = row(kFacts, Kind::service, "devices_to_open");
constexpr const FactSpec& kPort = row(kFacts, Kind::service, "port");
constexpr const FactSpec& kNetdev = row(kFacts, Kind::service, "netdev");
constexpr const FactSpec& kIfacePorts = row(kFacts, Kind::service, "iface_ports");
constexpr const FactSpec& kIfaceLayer = row(kFacts, Kind::service, "iface_link_layer");
constexpr const FactSpec& kPinned = row(kFacts, Kind::service, "pinned_numa");
constexpr const FactSpec& kDscp = row(kFacts, Kind::service, "dscp");
constexpr const FactSpec& kMissed = row(kFacts, Kind::service, "lossless_missed");

constexpr std::array<std::string_view, 22> kReads{"service.system",
                                                  "service.device",
                                                  "service.declared_ms_async_rdma_device_name",
                                                  "service.declared_ms_async_rdma_port_num",
                                                  "service.declared_ms_async_rdma_dscp",
                                                  "service.declared_device_filter",
                                                  "service.declared_default_traffic_class",
                                                  "service.declared_ibsocket_traffic_class",
                                                  "service.declared_transport_tos",
                                                  "service.declared_fabric_iface",
                                                  "service.declared_pinned_numa_node",
                                                  "service.ceph_rdma_declared",
                                                  "device.name",
                                                  "port.device",
                                                  "port.number",
                                                  "port.state",
                                                  "port.netdev",
                                                  "port.link_layer",
                                                  "netdev.name",
                                                  "netdev.trust",
                                                  "netdev.pfc_mask",
                                                  "priority.dscp_list"};

constexpr std::string_view kCephName = "declared_ms_async_rdma_device_name", kFilter = "declared_device_filter";
constexpr std::int64_t kCephClass = 96;
constexpr std::int64_t kEcnBits = 4;
constexpr int kPriorities = 8;

Gap nothing(std::string reason) { return not_offered(std::move(reason)); }

class Places {
public:
    explicit Places(Snapshot& snapshot) : snapshot_(snapshot), ports_(snapshot), wires_(snapshot) {
        for (const Entity& device : snapshot.entities(Kind::device)) {
            if (const auto name = snapshot.text(device, "name")) devices_.emplace(*name, device);
            for (const Entity& port : ports_.of(device)) {
                const auto netdev = snapshot.reference(port, "netdev");
                const auto name = netdev ? snapshot.text(*netdev, "name") : std::nullopt;
                if (name) by_netdev_.emplace(*name, device);
                if (netdev) ports_over_.emplace(*netdev, port);
            }
        }
        for (const Entity& netdev : snapshot.entities(Kind::netdev)) {
            if (const auto name = snapshot.text(netdev, "name")) netdevs_.emplace(*name, netdev);
        }
    }

    void put(const Entity& service) {
        const std::string system = snapshot_.text(service, "system").value_or("");
        names(service, system);
        port(service, system);
        interface(service);
        node(service);
        marking(service, system);
    }

private:
    [[nodiscard]] const Entity* device(std::string_view name, bool interfaces) const {
        const auto found = devices_.find(name);
        if (found != devices_.end()) return &found->second;
        const auto other = by_netdev_.find(name);
        return interfaces && other != by_netdev_.end() ? &other->second : nullptr;
    }

    [[nodiscard]] bool active(const Entity& device) const {
        for (const Entity& port : ports_.of(device)) {
            if (snapshot_.text(port, "state").value_or("ACTIVE") == "ACTIVE") return true;
        }
        return ports_.of(device).empty();
    }

    void names(const Entity& service, const std::string& system) {
        const std::string_view fact = system == "ceph" ? kCephName : kFilter;
        const auto all = [&](const Gap& gap) {
            for (const FactSpec* spec : {&kUnknown, &kInactive, &kOpens}) snapshot_.gap(service, *spec, gap);
        };
        if (const Gap* gap = snapshot_.kind_gap(Kind::device)) return all(*gap);
        const Reading& reading = snapshot_.get(service, fact);
        const bool filters = system == "3fs";
        if (!reading) {
            all(reading.error());
            if (filters && reading.error().kind == GapClass::not_offered) {
                snapshot_.put(service, kOpens, static_cast<std::int64_t>(devices_.size()));
            }
            return;
        }
        const std::string text = std::get<std::string>(*reading);
        std::set<Entity> named;
        std::int64_t unknown = 0, inactive = 0;
        for (const std::string_view name : words(text)) {
            const Entity* const found = device(name, filters);
            if (found == nullptr) {
                ++unknown;
            } else if (named.insert(*found).second) {
                inactive += active(*found) ? 0 : 1;
            }
        }
        snapshot_.put(service, kUnknown, unknown);
        snapshot_.put(service, kInactive, inactive);
        if (filters) return snapshot_.put(service, kOpens, static_cast<std::int64_t>(named.size()));
        snapshot_.gap(service, kOpens, nothing("only 3FS opens several"));
    }

    void port(const Entity& service, const std::string& system) {
        std::optional<Entity> on = snapshot_.reference(service, "device");
        std::int64_t number = 0;  // the first
        if (system == "ceph") {
            if (const auto name = snapshot_.text(service, kCephName)) {
                const Entity* const named = device(*name, false);
                on = named != nullptr ? std::optional(*named) : std::nullopt;
            }
            number = snapshot_.integer(service, "declared_ms_async_rdma_port_num").value_or(1);
        }
        if (!on) return snapshot_.gap(service, kPort, nothing("which RDMA device it uses is not known"));
        for (const Entity& each : ports_.of(*on)) {
            if (number == 0 || snapshot_.integer(each, "number") == number) return snapshot_.put(service, kPort, each);
        }
        snapshot_.gap(service, kPort, nothing(fmt::format("{} has no port {}", snapshot_.label(*on), number)));
    }

    void interface(const Entity& service) {
        const Reading& name = snapshot_.get(service, "declared_fabric_iface");
        const auto rest = [&](const Gap& gap) {
            snapshot_.gap(service, kIfacePorts, gap);
            snapshot_.gap(service, kIfaceLayer, gap);
        };
        if (!name) {
            snapshot_.gap(service, kNetdev, name.error());
            return rest(name.error());
        }
        const std::string& text = std::get<std::string>(*name);
        const Gap absent = nothing(fmt::format("no interface {}", text));
        const auto found = netdevs_.find(text);
        if (found == netdevs_.end()) {
            snapshot_.gap(service, kNetdev, absent);
        } else {
            snapshot_.put(service, kNetdev, found->second);
        }
        for (const Kind kind : {Kind::netdev, Kind::device, Kind::port}) {
            if (const Gap* gap = snapshot_.kind_gap(kind)) return rest(*gap);
        }
        if (found == netdevs_.end()) {
            snapshot_.put(service, kIfacePorts, std::int64_t{0});
            return snapshot_.gap(service, kIfaceLayer, absent);
        }
        const auto [from, to] = ports_over_.equal_range(found->second);
        snapshot_.put(service, kIfacePorts, static_cast<std::int64_t>(std::distance(from, to)));
        const auto layer = from == to ? std::nullopt : snapshot_.text(from->second, "link_layer");
        if (layer) return snapshot_.put(service, kIfaceLayer, *layer);
        snapshot_.gap(service, kIfaceLayer,
                      from == to ? nothing(fmt::format("{} carries no RDMA", text))
                                 : needs(snapshot_, from->second, "link_layer"));
    }

    void node(const Entity& service) {
        const Reading& pinned = snapshot_.get(service, "declared_pinned_numa_node");
        if (!pinned) return snapshot_.gap(service, kPinned, pinned.error());
        snapshot_.put(service, kPinned, Entity{Kind::numa, std::to_string(std::get<std::int64_t>(*pinned))});
    }

    // What each system marks with; nullopt with a gap: not known.
    [[nodiscard]] Known<std::int64_t> traffic_class(const Entity& service, const std::string& system) const {
        const auto of = [&](std::string_view fact) -> Known<std::int64_t> {
            const Reading& reading = snapshot_.get(service, fact);
            if (!reading) return tl::unexpected<Gap>(reading.error());
            return std::get<std::int64_t>(*reading);
        };
        if (system == "ceph") {
            auto own = of("declared_ms_async_rdma_dscp");
            const bool unset = !own && own.error().kind == GapClass::not_offered;
            return unset && snapshot_.boolean(service, "ceph_rdma_declared") == true ? Known<std::int64_t>(kCephClass)
                                                                                     : own;
        }
        if (system == "3fs") {
            auto own = of("declared_ibsocket_traffic_class");
            return own ? own : of("declared_default_traffic_class");
        }
        if (system == "spdk") return of("declared_transport_tos");
        return tl::unexpected<Gap>(nothing("its configuration marks nothing"));
    }

    void marking(const Entity& service, const std::string& system) {
        const auto both = [&](const Gap& gap) {
            snapshot_.gap(service, kDscp, gap);
            snapshot_.gap(service, kMissed, gap);
        };
        const auto marked = traffic_class(service, system);
        if (!marked) return both(marked.error());
        const std::int64_t dscp = *marked / kEcnBits;
        snapshot_.put(service, kDscp, dscp);
        const auto port = snapshot_.reference(service, "port");
        if (!port) return snapshot_.gap(service, kMissed, needs(snapshot_, service, "port"));
        const auto layer = snapshot_.text(*port, "link_layer");
        if (!layer) return snapshot_.gap(service, kMissed, needs(snapshot_, *port, "link_layer"));
        if (*layer != "Ethernet") return snapshot_.put(service, kMissed, false);
        const auto below = wires_.of(*port);
        if (!below) return snapshot_.gap(service, kMissed, below.error());
        const auto missed =
            agreed<bool>(snapshot_, *below, [&](const Entity& netdev) { return missed_on(netdev, dscp); });
        if (!missed) return snapshot_.gap(service, kMissed, missed.error());
        snapshot_.put(service, kMissed, *missed);
    }

    // With trust pcp the DSCP does not choose the priority, and untagged frames have none.
    [[nodiscard]] Known<bool> missed_on(const Entity& netdev, std::int64_t dscp) const {
        const auto trust = snapshot_.text(netdev, "trust");
        if (!trust) return tl::unexpected<Gap>(needs(snapshot_, netdev, "trust"));
        if (*trust != "dscp") return tl::unexpected<Gap>(nothing("the port does not trust the DSCP"));
        const auto mask = snapshot_.integer(netdev, "pfc_mask");
        if (!mask) return tl::unexpected<Gap>(needs(snapshot_, netdev, "pfc_mask"));
        if (*mask == 0) return false;
        for (int i = 0; i < kPriorities; ++i) {
            const Entity priority{Kind::priority, fmt::format("{}/{}", netdev.id, i)};
            const std::string list = snapshot_.text(priority, "dscp_list").value_or(std::string());
            for (const std::string_view item : split(list, ',')) {
                if (parse_integer(item) == dscp) return (*mask >> i & 1) == 0;
            }
        }
        return tl::unexpected<Gap>(nothing(fmt::format("which priority DSCP {} goes to is not listed", dscp)));
    }

    Snapshot& snapshot_;
    Ports ports_;
    Wires wires_;
    std::map<std::string, Entity, std::less<>> devices_, by_netdev_, netdevs_;
    std::multimap<Entity, Entity> ports_over_;
};

void derive(const Site&, Snapshot& snapshot) {
    const auto services = snapshot.entities(Kind::service);
    if (services.empty()) return;
    Places places(snapshot);
    for (const Entity& service : services) places.put(service);
}

}  // namespace

extern const Derivation service_places;
constinit const Derivation service_places{"service_places", kFacts, kReads, derive};

}  // namespace rd::collectors
