// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/drift.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <tuple>

namespace rd {
namespace {

struct Name {
    Kind kind;
    std::string_view fact;  // a '*' at the end: all that begin so
};

bool names(const Name& name, const FactSpec& spec) {
    if (name.kind != spec.kind) return false;
    return name.fact.ends_with('*') ? spec.name.starts_with(name.fact.substr(0, name.fact.size() - 1))
                                    : spec.name == name.fact;
}

template <std::size_t N>
bool listed(const std::array<Name, N>& list, const FactSpec& spec) {
    return std::any_of(list.begin(), list.end(), [&](const Name& name) { return names(name, spec); });
}

// Settings that each host has otherwise when all is well: names, addresses, numbers, and what follows from them.
constexpr std::array kOfOneHost = std::to_array<Name>({
    {Kind::host, "name"},
    {Kind::device, "name"},
    {Kind::device, "node_guid"},
    {Kind::device, "sys_image_guid"},
    {Kind::device, "uverbs"},
    {Kind::port, "name"},
    {Kind::port, "number"},
    {Kind::port, "lid"},
    {Kind::port, "sm_lid"},
    {Kind::port, "gids"},
    {Kind::netdev, "name"},
    {Kind::netdev, "ifindex"},
    {Kind::netdev, "ipv4_networks"},
    {Kind::netdev, "ipv6_addresses"},
    {Kind::netdev, "roce_gids"},
    {Kind::netdev, "module_part"},
    {Kind::netdev, "module_vendor"},
    {Kind::netdev, "module_bias_*"},
    {Kind::netdev, "module_rx_power_*"},
    {Kind::netdev, "module_tx_power_*"},
    {Kind::netdev, "module_temperature_*"},
    {Kind::netdev, "module_voltage_*"},
    {Kind::netdev, "lldp_chassis"},
    {Kind::netdev, "lldp_port"},
    {Kind::netdev, "lldp_system"},
    {Kind::priority, "name"},
    {Kind::priority, "number"},
    {Kind::pci, "name"},
    {Kind::numa, "name"},
    {Kind::nvme, "name"},
    {Kind::nvme, "address"},
    {Kind::service, "name"},
    {Kind::service, "pid*"},
});

// Said by our configuration, by comparing devices of the host, or counted from what is compared itself.
constexpr std::array kMadeOfOthers = std::to_array<Name>({
    {Kind::host, "expected_*"},
    {Kind::host, "intent"},
    {Kind::host, "cpu_latency_limit"},
    {Kind::device, "differs_from_twins"},
    {Kind::device, "twin_differences"},
    {Kind::device, "firmware_of_twins"},
    {Kind::device, "firmware_minimum"},
    {Kind::device, "twins"},
    {Kind::port, "gids_here"},
    {Kind::port, "gids_link_local"},
    {Kind::port, "gids_roce_v1"},
    {Kind::port, "gids_roce_v2"},
    {Kind::port, "gids_v2_routable"},
    {Kind::priority, "rx_buffer_needed"},
});

// There "not offered" is what somebody set: no DSCP leads to the priority, no limit is set.
constexpr std::array kNoneTells = std::to_array<Name>({
    {Kind::netdev, "bond_lacp_rate"},
    {Kind::port, "pkey"},
    {Kind::priority, "dscp_list"},
    {Kind::nvme, "ctrl_loss_tmo"},
    {Kind::nvme, "fast_io_fail_tmo"},
});

// No settings, and yet the same on hosts that are alike: what a link came up with, and pools somebody has to set.
constexpr std::array kCameUp = std::to_array<Name>({
    {Kind::host, "devices"},
    {Kind::host, "functions_without_device"},
    {Kind::host, "hugepages_1g"},
    {Kind::host, "hugepages_2m"},
    {Kind::port, "state"},
    {Kind::port, "phys_state"},
    {Kind::port, "rate"},
    {Kind::netdev, "carrier"},
    {Kind::netdev, "speed"},
    {Kind::netdev, "fec_active"},
    {Kind::netdev, "bond_ports"},
    {Kind::pci, "link_speed"},
    {Kind::pci, "link_width"},
    {Kind::numa, "hugepages_1g"},
    {Kind::numa, "hugepages_2m"},
    {Kind::nvme, "state"},
});

// Copies of a fact under another name, on the left; a difference would be told twice.
struct Echo {
    Name copy, of;
};
constexpr std::array kEchoes = std::to_array<Echo>({
    {{Kind::netdev, "wire_pfc_mask"}, {Kind::netdev, "pfc_mask"}},
    {{Kind::netdev, "wire_trust"}, {Kind::netdev, "trust"}},
    {{Kind::priority, "pfc_enabled"}, {Kind::netdev, "pfc_mask"}},
    {{Kind::netdev, "firmware"}, {Kind::device, "firmware"}},
    {{Kind::device, "firmware_running"}, {Kind::device, "firmware"}},
    {{Kind::device, "board"}, {Kind::device, "board_id"}},
    {{Kind::host, "adapters"}, {Kind::host, "devices"}},
    {{Kind::host, "cpus_slow_governor"}, {Kind::host, "governors"}},
    {{Kind::host, "gpus_nvidia"}, {Kind::host, "gpus"}},
    {{Kind::device, "acs_redirects"}, {Kind::pci, "acs_control"}},
    {{Kind::pci, "acs_redirect"}, {Kind::pci, "acs_control"}},
    {{Kind::pci, "local_cpus"}, {Kind::numa, "cpus"}},
    {{Kind::numa, "cpu_count"}, {Kind::numa, "cpus"}},
    {{Kind::pci, "link_speed_limit"}, {Kind::pci, "link_speed_max"}},
    {{Kind::pci, "link_width_limit"}, {Kind::pci, "link_width_max"}},
    {{Kind::pci, "mps_path_max"}, {Kind::pci, "mps_max"}},
});

const Reading& not_there() {
    static const Reading reading = tl::unexpected(Gap{GapClass::not_collected, "not there", ""});
    return reading;
}

// Kinds of which one host may have more than another without anything being amiss.
bool is_missed(Kind kind, Likeness likeness) {
    if (kind == Kind::priority || kind == Kind::host) return false;  // it comes and goes with its interface
    return likeness == Likeness::recordings || kind == Kind::device || kind == Kind::port || kind == Kind::netdev ||
           kind == Kind::service;
}

class Comparing {
public:
    Comparing(std::span<const Snapshot* const> hosts, Likeness likeness) : hosts_(hosts), likeness_(likeness) {}

    Comparison run() {
        for (std::size_t host = 0; host < hosts_.size(); ++host) {
            for (int i = 0; i < kKindCount; ++i) {
                const Kind kind = static_cast<Kind>(i);
                const Gap* gap = hosts_[host]->kind_gap(kind);
                if (gap != nullptr && is_matched(kind)) found_.unlisted.push_back({host, kind, *gap});
            }
        }
        for (const Matched& row : match(hosts_, likeness_)) add(row);
        return std::move(found_);
    }

private:
    void add(const Matched& row) {
        std::size_t first = 0;
        while (!row.on[first]) ++first;
        const std::string label = hosts_[first]->label(*row.on[first]);
        const bool everywhere =
            std::all_of(row.on.begin(), row.on.end(), [](const auto& on) { return on.has_value(); });
        if (!everywhere && is_missed(row.kind, likeness_) && !owner_is_missed(row)) {
            if (row.kind == Kind::device) missed_devices_.push_back(row);
            if (!may_be_hidden(row)) {
                Unpaired unpaired{row.kind, label, *row.on[first], {}};
                for (const auto& on : row.on) unpaired.on.push_back(on.has_value());
                found_.unpaired.push_back(std::move(unpaired));
            }
        }
        if (std::count_if(row.on.begin(), row.on.end(), [](const auto& on) { return on.has_value(); }) < 2) return;
        std::map<std::string, const FactSpec*> facts;
        for (std::size_t i = 0; i < row.on.size(); ++i) {
            if (row.on[i]) facts_of(*hosts_[i], *row.on[i], facts);
        }
        for (const auto& [name, spec] : facts)
            fact(FactRow{row.kind, label, *row.on[first], spec, name, row.on, {}, {}});
    }

    // Where its kind could not be listed it may well be there.
    [[nodiscard]] bool may_be_hidden(const Matched& row) const {
        for (std::size_t i = 0; i < row.on.size(); ++i) {
            if (!row.on[i] && hosts_[i]->kind_gap(row.kind) != nullptr) return true;
        }
        return false;
    }

    // The port and the interface of a device that is missing are no further news.
    [[nodiscard]] bool owner_is_missed(const Matched& row) const {
        return (row.kind == Kind::port || row.kind == Kind::netdev) &&
               std::any_of(missed_devices_.begin(), missed_devices_.end(), [&](const Matched& device) {
                   for (std::size_t i = 0; i < row.on.size(); ++i) {
                       if (row.on[i] && device.on[i] && row.on[i]->id.starts_with(device.on[i]->id + "/")) return true;
                   }
                   return false;
               });
    }

    void facts_of(const Snapshot& host, const Entity& entity, std::map<std::string, const FactSpec*>& into) const {
        const auto index = host.layout().find(entity);
        if (!index) return;
        for (const SlotIndex slot : host.layout().slots_of(*index)) {
            const Layout::Slot& info = host.layout().slot(slot);
            if (is_compared(*info.spec, likeness_)) into.emplace(info.name, info.spec);
        }
    }

    void fact(FactRow row) {
        std::vector<std::pair<std::optional<Value>, std::size_t>> values;  // none: "not offered", where that tells
        std::size_t known = 0;
        const bool none_tells = listed(kNoneTells, *row.spec);
        for (std::size_t i = 0; i < hosts_.size(); ++i) {
            row.readings.push_back(row.on[i] ? hosts_[i]->get(*row.on[i], row.fact) : not_there());
            const Reading& reading = row.readings.back();
            if (!reading && !(none_tells && reading.error().kind == GapClass::not_offered)) continue;
            ++known;
            const std::optional<Value> value = reading ? std::optional(*reading) : std::nullopt;
            const auto same =
                std::find_if(values.begin(), values.end(), [&](const auto& held) { return held.first == value; });
            if (same == values.end()) {
                values.emplace_back(value, 1);
            } else {
                ++same->second;
            }
        }
        if (values.size() > 1) {
            for (const auto& [value, count] : values) {
                if (value && hosts_.size() > 2 && count * 2 > known) row.usual = value;
            }
            found_.drift.push_back(std::move(row));
        } else if (known == hosts_.size()) {
            ++found_.equal;
        } else if (known != 0 && !only_where_missing(row)) {
            found_.not_compared.push_back(std::move(row));
        }
    }

    // All gaps are those of hosts without the entity, which has been told.
    static bool only_where_missing(const FactRow& row) {
        const bool none_tells = listed(kNoneTells, *row.spec);
        for (std::size_t i = 0; i < row.readings.size(); ++i) {
            if (row.readings[i] || !row.on[i]) continue;
            if (!none_tells || row.readings[i].error().kind != GapClass::not_offered) return false;
        }
        return true;
    }

    std::span<const Snapshot* const> hosts_;
    Likeness likeness_;
    Comparison found_;
    std::vector<Matched> missed_devices_;
};

}  // namespace

Comparison compare(std::span<const Snapshot* const> hosts, Likeness likeness) {
    return Comparing(hosts, likeness).run();
}

bool is_compared(const FactSpec& spec, Likeness likeness) {
    if (spec.family || spec.type == Type::reference) return false;
    if (listed(kMadeOfOthers, spec)) return false;
    if (std::any_of(kEchoes.begin(), kEchoes.end(), [&](const Echo& echo) { return names(echo.copy, spec); }))
        return false;
    if (listed(kCameUp, spec)) return true;
    if (spec.nature != Nature::config) return false;
    return likeness == Likeness::recordings || !listed(kOfOneHost, spec);
}

std::vector<std::pair<Kind, std::string_view>> echoes_of(const FactSpec& spec) {
    std::vector<std::pair<Kind, std::string_view>> out;
    for (const Echo& echo : kEchoes) {
        if (names(echo.of, spec)) out.emplace_back(echo.copy.kind, echo.copy.fact);
    }
    return out;
}

std::vector<CounterRow> increases(const Snapshot& earlier, const Snapshot& later) {
    // One layout for both, so that history can subtract.
    const auto layout = std::make_shared<Layout>();
    History history(layout, std::chrono::hours(24 * 3650));
    const auto copy = [&](const Snapshot& from) {
        Snapshot to(layout, from.stamp());
        const Layout& known = from.layout();
        for (SlotIndex slot = 0; slot < known.slot_count(); ++slot) {
            const Layout::Slot& info = known.slot(slot);
            const Reading* reading = from.at(slot);
            if (reading == nullptr || !*reading || !is_counter(info.spec->nature)) continue;
            to.set(known.entity(info.entity), *info.spec, info.name, *reading);
        }
        history.append(std::move(to));
    };
    copy(earlier);
    copy(later);
    std::vector<CounterRow> rows;
    for (SlotIndex slot = 0; slot < layout->slot_count(); ++slot) {
        const Layout::Slot& info = layout->slot(slot);
        const Entity& entity = layout->entity(info.entity);
        const auto increase = history.increase(entity, info.name, std::chrono::hours(24 * 3650));
        if (!increase || increase->amount == 0) continue;
        rows.push_back({entity.kind, later.label(entity), entity, info.spec, std::string(info.name), *increase});
    }
    std::sort(rows.begin(), rows.end(), [](const CounterRow& a, const CounterRow& b) {
        return std::tie(a.first, a.fact) < std::tie(b.first, b.fact);
    });
    return rows;
}

}  // namespace rd
