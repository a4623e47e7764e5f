// SPDX-License-Identifier: GPL-2.0-or-later
// The GID table of each port as counts: of which type the entries are, which can be routed, which belong to an interface that is
// visible here. The kernel answers from its own cache, no firmware is asked; a table may have 1,024 slots, so it is read once a
// discovery (a minute), and type and interface only of slots that are taken.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec count(std::string_view name, std::string_view doc) {
    return {Kind::port, name, Type::integer, Nature::config, "", doc};
}

constexpr FactSpec kFacts[] = {
    count("gid_table_size", "Slots of the GID table: files ports/N/gids; 0 where the driver does no RoCE on the port"),
    count("gids", "GIDs in the table: files ports/N/gids, slots that are not zero"),
    count("gids_roce_v1", "GIDs of type RoCE v1: files gid_attrs/types"),
    count("gids_roce_v2", "GIDs of type RoCE v2: files gid_attrs/types"),
    count("gids_link_local", "GIDs that do not leave their link, fe80::/10 and 169.254.0.0/16: files ports/N/gids"),
    count("gids_routable",
          "GIDs made of an IPv4 or a global IPv6 address, on InfiniBand of a subnet prefix of one's "
          "own: files ports/N/gids"),
    count("gids_v2_ipv4", "RoCE v2 GIDs made of an IPv4 address: files ports/N/gids, gid_attrs/types"),
    count("gids_v2_routable", "RoCE v2 GIDs made of an IPv4 or a global IPv6 address"),
    count("gid_index_v2_ipv4",
          "Lowest index of a RoCE v2 GID made of an IPv4 address: what to give applications that "
          "want an index"),
    {Kind::port, "gid_indices_routable", Type::text, Nature::config, "",
     "Indices of its RoCE v2 GIDs made of an IPv4 or a global IPv6 address (1,3), or none"},
    {Kind::port, "gid_indices_v1", Type::text, Nature::config, "", "Indices of its RoCE v1 GIDs (0,2), or none"},
    {Kind::port, "gid_indices_v2", Type::text, Nature::config, "", "Indices of its RoCE v2 GIDs (1,3), or none"},
    count("gids_here",
          "GIDs whose interface is in this network namespace, so that a process here may use them: files "
          "gid_attrs/ndevs"),
    count("gids_duplicate", "GIDs that an earlier slot of the same type has already"),
    {Kind::netdev, "roce_gids", Type::integer, Nature::config, "",
     "GIDs of all ports that belong to this interface: files gid_attrs/ndevs"},
};

constexpr const FactSpec& kTableSize = row(kFacts, Kind::port, "gid_table_size");
constexpr const FactSpec& kGids = row(kFacts, Kind::port, "gids");
constexpr const FactSpec& kV1 = row(kFacts, Kind::port, "gids_roce_v1");
constexpr const FactSpec& kV2 = row(kFacts, Kind::port, "gids_roce_v2");
constexpr const FactSpec& kLinkLocal = row(kFacts, Kind::port, "gids_link_local");
constexpr const FactSpec& kRoutable = row(kFacts, Kind::port, "gids_routable");
constexpr const FactSpec& kV2Ipv4 = row(kFacts, Kind::port, "gids_v2_ipv4");
constexpr const FactSpec& kV2Routable = row(kFacts, Kind::port, "gids_v2_routable");
constexpr const FactSpec& kIndex = row(kFacts, Kind::port, "gid_index_v2_ipv4");
constexpr const FactSpec& kIndices = row(kFacts, Kind::port, "gid_indices_routable");
constexpr const FactSpec& kIndicesV1 = row(kFacts, Kind::port, "gid_indices_v1");
constexpr const FactSpec& kIndicesV2 = row(kFacts, Kind::port, "gid_indices_v2");
constexpr const FactSpec& kHere = row(kFacts, Kind::port, "gids_here");
constexpr const FactSpec& kDuplicate = row(kFacts, Kind::port, "gids_duplicate");
constexpr const FactSpec& kRoceGids = row(kFacts, Kind::netdev, "roce_gids");

using Groups = std::array<unsigned, 8>;

struct Gid {
    std::int64_t index;
    Groups groups;

    [[nodiscard]] bool is_ipv4() const {
        return std::all_of(groups.begin(), groups.begin() + 5, [](unsigned group) { return group == 0; }) &&
               groups[5] == 0xffff;
    }
    [[nodiscard]] bool is_link_local() const {
        return (groups[0] & 0xffc0u) == 0xfe80u || (is_ipv4() && groups[6] == 0xa9feu);
    }
};

// "fe80:0000:0000:0000:0202:c9ff:fe00:0001"
std::optional<Groups> groups_of(std::string_view text) {
    const auto parts = split(trim(text), ':');
    Groups groups{};
    if (parts.size() != groups.size()) return std::nullopt;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const char* const end = parts[i].data() + parts[i].size();
        const auto [stop, error] = std::from_chars(parts[i].data(), end, groups[i], 16);
        if (error != std::errc() || stop != end || parts[i].size() != 4) return std::nullopt;
    }
    return groups;
}

struct Table {
    Result<std::int64_t> size = 0;
    std::vector<Gid> gids;  // by index
};

// A source that holds some entries without the listing: those that are in use, in pasted text.
Result<Table> unlisted_table_of(const Host& host, const std::string& folder, const Error& why) {
    constexpr std::int64_t kMost = 256;  // what adapters have at most for one function
    Table table{tl::unexpected<Error>(why), {}};
    for (std::int64_t index = 0; index < kMost; ++index) {
        const auto text = host.read(fmt::format("{}/{}", folder, index));
        const auto groups = text ? groups_of(*text) : std::nullopt;
        if (groups && *groups != Groups{}) table.gids.push_back({index, *groups});
    }
    if (table.gids.empty()) return tl::unexpected<Error>(why);
    return table;
}

Result<Table> table_of(const Host& host, const std::string& path) {
    const std::string folder = path + "/gids";
    const auto names = host.list(folder);
    if (!names && names.error().code == Errc::not_collected) return unlisted_table_of(host, folder, names.error());
    if (!names) return tl::unexpected<Error>(names.error());
    std::vector<std::int64_t> indices;
    for (const std::string& name : *names) {
        if (const auto index = parse_counter(name)) indices.push_back(*index);
    }
    std::sort(indices.begin(), indices.end());
    Table table{static_cast<std::int64_t>(indices.size()), {}};
    for (const std::int64_t index : indices) {
        const std::string file = fmt::format("{}/{}", folder, index);
        const auto text = host.read(file);
        if (!text) return tl::unexpected<Error>(text.error());
        const auto groups = groups_of(*text);
        if (!groups) return fail(Errc::bad_input, file + ": not a GID: '" + printable(trim(*text)) + "'");
        if (*groups != Groups{}) table.gids.push_back({index, *groups});
    }
    return table;
}

Result<Value> as_type(std::string_view text) {
    auto label = as_label(text);
    if (!label || *label == Value(std::string("IB/RoCE v1")) || *label == Value(std::string("RoCE v2"))) return label;
    return fail(Errc::bad_input, "not a type of GID: '" + printable(trim(text)) + "'");
}

// Type or interface of each GID of the table; one that cannot be read makes the counts over them unknown.
Result<std::vector<std::string>> attributes_of(const Host& host, const std::string& folder, const Table& table,
                                               Parser parser) {
    std::vector<std::string> values;
    for (const Gid& gid : table.gids) {
        const std::string file = fmt::format("{}/{}", folder, gid.index);
        const auto text = host.read(file);
        if (!text) return tl::unexpected<Error>(text.error());
        const auto value = parser(*text);
        if (!value) return fail(Errc::bad_input, file + ": " + value.error().what);
        values.push_back(std::get<std::string>(*value));
    }
    return values;
}

struct Types {
    std::vector<std::string> names;

    [[nodiscard]] bool v2(std::size_t at) const { return names[at] == "RoCE v2"; }
};

// What depends on the types of the GIDs.
constexpr std::array kOfTypes{&kV1,    &kV2,      &kV2Ipv4,    &kV2Routable, &kDuplicate,
                              &kIndex, &kIndices, &kIndicesV1, &kIndicesV2};

std::string listed_indices(const std::vector<std::int64_t>& indices) {
    return indices.empty() ? std::string("none") : fmt::format("{}", fmt::join(indices, ","));
}

void put_types(const Entity& port, const Table& table, const Types& types, Plan& plan) {
    std::int64_t v2 = 0, ipv4 = 0, routable = 0, duplicates = 0;
    std::optional<std::int64_t> index;
    std::vector<std::int64_t> indices, of_v1, of_v2;
    std::set<std::pair<Groups, std::string>> seen;
    for (std::size_t at = 0; at < table.gids.size(); ++at) {
        const Gid& gid = table.gids[at];
        if (!seen.emplace(gid.groups, types.names[at]).second) ++duplicates;
        (types.v2(at) ? of_v2 : of_v1).push_back(gid.index);
        if (!types.v2(at)) continue;
        ++v2;
        if (gid.is_link_local()) continue;
        ++routable;
        indices.push_back(gid.index);
        if (!gid.is_ipv4()) continue;
        ++ipv4;
        if (!index) index = gid.index;
    }
    plan.put(port, kV1, static_cast<std::int64_t>(table.gids.size()) - v2);
    plan.put(port, kV2, v2);
    plan.put(port, kV2Ipv4, ipv4);
    plan.put(port, kV2Routable, routable);
    plan.put(port, kDuplicate, duplicates);
    plan.put(port, kIndices, listed_indices(indices));
    plan.put(port, kIndicesV1, listed_indices(of_v1));
    plan.put(port, kIndicesV2, listed_indices(of_v2));
    if (index) return plan.put(port, kIndex, *index);
    plan.gap(port, kIndex, not_offered("no RoCE v2 GID of this port is made of an IPv4 address"));
}

// What all ports together say of the interfaces.
struct Owners {
    std::map<std::string, std::int64_t, std::less<>> gids;
    std::optional<Gap> gap;
};

class Port {
public:
    Port(const Host& host, const RdmaDevice& device, int number, Plan& plan)
        : host_(host),
          path_(fmt::format("{}/ports/{}", device.path, number)),
          entity_(port_entity(device, number)),
          plan_(plan) {}

    void look(const std::vector<std::string>& here, Owners& owners) {
        const auto table = table_of(host_, path_);
        if (!table) {
            for (const FactSpec& spec : kFacts) {
                if (spec.kind == Kind::port) plan_.gap(entity_, spec, gap_from(table.error()));
            }
            owners.gap = gap_from(table.error());
            return;
        }
        plan_.set(entity_, kTableSize, table->size.map([](std::int64_t size) { return Value(size); }));
        plan_.put(entity_, kGids, static_cast<std::int64_t>(table->gids.size()));
        const auto link_local =
            std::count_if(table->gids.begin(), table->gids.end(), [](const Gid& gid) { return gid.is_link_local(); });
        plan_.put(entity_, kLinkLocal, std::int64_t{link_local});
        plan_.put(entity_, kRoutable, static_cast<std::int64_t>(table->gids.size()) - link_local);
        const std::string layer_file = path_ + "/link_layer";
        const auto layer = host_.read(layer_file);
        if (!layer) return no_details(gap_from(layer.error()), owners);
        const auto name = as_label(*layer);
        if (!name) return no_details(gap_from({name.error().code, layer_file + ": " + name.error().what, {}}), owners);
        if (*name == Value(std::string("InfiniBand"))) {
            return no_details(
                not_offered(layer_file + ": InfiniBand: its GIDs have neither a RoCE type nor an interface"), owners);
        }
        look_at_types(*table);
        look_at_interfaces(*table, here, owners);
    }

private:
    void no_details(const Gap& gap, Owners& owners) {
        for (const FactSpec* spec : kOfTypes) plan_.gap(entity_, *spec, gap);
        plan_.gap(entity_, kHere, gap);
        if (gap.kind != GapClass::not_offered) owners.gap = gap;
    }

    void look_at_types(const Table& table) {
        auto types = attributes_of(host_, path_ + "/gid_attrs/types", table, as_type);
        if (types) return put_types(entity_, table, {std::move(*types)}, plan_);
        for (const FactSpec* spec : kOfTypes) plan_.gap(entity_, *spec, gap_from(types.error()));
    }

    void look_at_interfaces(const Table& table, const std::vector<std::string>& here, Owners& owners) {
        const auto names = attributes_of(host_, path_ + "/gid_attrs/ndevs", table, as_label);
        if (!names) {
            owners.gap = gap_from(names.error());
            return plan_.gap(entity_, kHere, gap_from(names.error()));
        }
        for (const std::string& name : *names) ++owners.gids[name];
        plan_.put(entity_, kHere,
                  std::int64_t{std::count_if(names->begin(), names->end(), [&](const std::string& name) {
                      return std::find(here.begin(), here.end(), name) != here.end();
                  })});
    }

    const Host& host_;
    std::string path_;
    Entity entity_;
    Plan& plan_;
};

void put_owners(const Host& host, const Owners& owners, Plan& plan) {
    const auto kept = rdma_netdevs(host);
    if (!kept) return plan.kind_gap(Kind::netdev, gap_from(kept.error()));
    for (const Netdev& netdev : *kept) {
        if (owners.gap) {
            plan.gap(netdev.entity, kRoceGids, *owners.gap);
            continue;
        }
        const auto found = owners.gids.find(netdev.name);
        plan.put(netdev.entity, kRoceGids, found == owners.gids.end() ? std::int64_t{0} : found->second);
    }
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    plan.watch(std::string(kNet));
    Owners owners;
    const auto here = host.list(kNet);
    const auto devices = rdma_devices(host);
    if (!devices) {
        plan.kind_gap(Kind::port, gap_from(devices.error()));
        owners.gap = gap_from(devices.error());
    } else {
        for (const RdmaDevice& device : *devices) {
            for (const int number : port_numbers(host, device).value_or(std::vector<int>{})) {
                Port(host, device, number, plan).look(here.value_or(std::vector<std::string>{}), owners);
            }
        }
    }
    put_owners(host, owners, plan);
}

}  // namespace

extern const Collector gid;
constinit const Collector gid{"gid", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
