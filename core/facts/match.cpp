// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/match.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace rd {
namespace {

constexpr Kind kMatched[] = {Kind::host, Kind::device, Kind::port, Kind::netdev, Kind::priority,
                             Kind::pci,  Kind::numa,   Kind::nvme, Kind::service};

using Entities = std::vector<std::optional<Entity>>;

// What follows the entity in the id of one that belongs to it: "/1" of port "pci-0000:41:00.0/1".
std::string_view rest_of(const Entity& entity, std::string_view owner) {
    const std::string_view id = entity.id;
    return id.starts_with(owner) ? id.substr(owner.size()) : std::string_view{};
}

std::string pci_owner(const Entity& pci) { return "pci-" + pci.id + "/"; }

// Interfaces that ports use, and those above and below them.
std::set<Entity> interfaces_of_rdma(const Snapshot& host) {
    std::set<Entity> found;
    for (const Entity& port : host.entities(Kind::port)) {
        if (const auto netdev = host.reference(port, "netdev")) found.insert(*netdev);
    }
    for (std::size_t before = 0; before != found.size();) {
        before = found.size();
        for (const Entity& netdev : host.entities(Kind::netdev)) {
            for (const std::string_view link : {"lower", "master"}) {
                const auto other = host.reference(netdev, link);
                if (!other) continue;
                if (found.contains(netdev)) found.insert(*other);
                if (found.contains(*other)) found.insert(netdev);
            }
        }
    }
    return found;
}

// What a device has in its place: a device of the same model stands there when all is well.
struct Adapter {
    Entity device;
    std::optional<Entity> pci;
    std::string place, model;
};

std::vector<Adapter> adapters_of(const Snapshot& host) {
    std::vector<Adapter> found;
    for (const Entity& device : host.entities(Kind::device)) {
        Adapter adapter{device, host.reference(device, "pci"), {}, host.text(device, "hca_type").value_or("")};
        const bool soft = device.id.starts_with("guid-");
        // Software sits on an interface of any kind; its own name is all that two hosts share.
        adapter.place = soft || !adapter.pci ? host.label(device) : adapter.pci->id;
        if (adapter.pci && !soft) {
            for (const std::string_view fact : {"vendor", "device_id"}) {
                adapter.model += ":" + host.text(*adapter.pci, fact).value_or("");
            }
        }
        found.push_back(std::move(adapter));
    }
    return found;
}

struct Slot {
    std::string place, model;
    std::vector<std::optional<Adapter>> on;
};

bool disjoint(const Slot& a, const Slot& b) {
    for (std::size_t i = 0; i < a.on.size(); ++i) {
        if (a.on[i] && b.on[i]) return false;
    }
    return true;
}

void join(Slot& into, Slot&& from) {
    for (std::size_t i = 0; i < into.on.size(); ++i) {
        if (from.on[i]) into.on[i] = std::move(from.on[i]);
    }
}

class Matcher {
public:
    explicit Matcher(std::span<const Snapshot* const> hosts) : hosts_(hosts) {}

    std::vector<Matched> recordings() {
        for (const Kind kind : {Kind::host, Kind::device, Kind::port, Kind::netdev, Kind::priority, Kind::pci,
                                Kind::numa, Kind::nvme, Kind::service}) {
            by_id(kind, [](std::size_t, const Entity&) { return true; });
        }
        return std::move(found_);
    }

    std::vector<Matched> twins() {
        const auto all = [](std::size_t, const Entity&) { return true; };
        by_id(Kind::host, all);
        const std::vector<Slot> slots = slots_of_adapters();
        for (const Slot& slot : slots) add(Kind::device, devices(slot));
        for (const Slot& slot : slots)
            parts(Kind::port, devices(slot), [](const Entity& owner) { return owner.id + "/"; });
        interfaces(slots);
        functions(slots);
        by_id(Kind::numa, all);
        // Local disks have ids of their own; what several hosts connect to has one.
        by_id(Kind::nvme, [&](std::size_t host, const Entity& nvme) {
            return hosts_[host]->text(nvme, "transport").value_or("") != "pcie";
        });
        by_id(Kind::service, all);
        return std::move(found_);
    }

private:
    void add(Kind kind, Entities on) {
        if (std::none_of(on.begin(), on.end(), [](const auto& entity) { return entity.has_value(); })) return;
        found_.push_back({kind, std::move(on)});
    }

    template <class Wanted>
    void by_id(Kind kind, Wanted wanted) {
        std::map<std::string, Entities> rows;
        for (std::size_t i = 0; i < hosts_.size(); ++i) {
            for (const Entity& entity : hosts_[i]->entities(kind)) {
                if (!wanted(i, entity)) continue;
                rows.try_emplace(entity.id, hosts_.size()).first->second[i] = entity;
            }
        }
        for (auto& [id, on] : rows) add(kind, std::move(on));
    }

    // Entities that begin with the id of their owner, by what follows it.
    template <class Prefix>
    void parts(Kind kind, const Entities& owners, Prefix prefix) {
        std::map<std::string, Entities, std::less<>> rows;
        for (std::size_t i = 0; i < hosts_.size(); ++i) {
            if (!owners[i]) continue;
            for (const Entity& entity : hosts_[i]->entities(kind)) {
                const std::string_view rest = rest_of(entity, prefix(*owners[i]));
                if (rest.empty() || taken_on(i, entity)) continue;
                rows.try_emplace(std::string(rest), hosts_.size()).first->second[i] = entity;
            }
        }
        for (auto& [rest, on] : rows) {
            for (std::size_t i = 0; i < on.size(); ++i) {
                if (on[i]) taken_[i].insert(*on[i]);
            }
            add(kind, std::move(on));
        }
    }

    [[nodiscard]] bool taken_on(std::size_t host, const Entity& entity) const {
        const auto of = taken_.find(host);
        return of != taken_.end() && of->second.contains(entity);
    }

    static Entities devices(const Slot& slot) {
        Entities out;
        for (const auto& adapter : slot.on) out.push_back(adapter ? std::optional(adapter->device) : std::nullopt);
        return out;
    }

    static Entities functions_of(const Slot& slot) {
        Entities out;
        for (const auto& adapter : slot.on) out.push_back(adapter ? adapter->pci : std::nullopt);
        return out;
    }

    std::vector<Slot> slots_of_adapters() {
        std::map<std::pair<std::string, std::string>, Slot> by_place;
        for (std::size_t i = 0; i < hosts_.size(); ++i) {
            for (Adapter& adapter : adapters_of(*hosts_[i])) {
                Slot& slot = by_place[{adapter.place, adapter.model}];
                slot.place = adapter.place;
                slot.model = adapter.model;
                slot.on.resize(hosts_.size());
                slot.on[i] = std::move(adapter);
            }
        }
        std::vector<Slot> slots;
        for (auto& [key, slot] : by_place) slots.push_back(std::move(slot));
        // Cards of one kind in other slots go together in their order; then what stands in one place, whatever it is.
        merge(slots, [](const Slot& a, const Slot& b) { return a.model == b.model && !a.model.empty(); });
        merge(slots, [](const Slot& a, const Slot& b) { return a.place == b.place; });
        return slots;
    }

    template <class Alike>
    static void merge(std::vector<Slot>& slots, Alike alike) {
        for (std::size_t i = 0; i < slots.size(); ++i) {
            for (std::size_t j = i + 1; j < slots.size();) {
                if (alike(slots[i], slots[j]) && disjoint(slots[i], slots[j])) {
                    join(slots[i], std::move(slots[j]));
                    slots.erase(slots.begin() + static_cast<std::ptrdiff_t>(j));
                } else {
                    ++j;
                }
            }
        }
    }

    void interfaces(const std::vector<Slot>& slots) {
        std::vector<std::set<Entity>> used;
        for (const Snapshot* host : hosts_) used.push_back(interfaces_of_rdma(*host));
        const std::size_t first = found_.size();
        for (const Slot& slot : slots) parts(Kind::netdev, functions_of(slot), pci_owner);
        by_id(Kind::netdev, [&](std::size_t host, const Entity& netdev) {
            return used[host].contains(netdev) && !taken_on(host, netdev);
        });
        // Those of an adapter's function that no port uses, such as representors, are another subject.
        const auto unused = [&](const Matched& row) {
            for (std::size_t i = 0; i < row.on.size(); ++i) {
                if (row.on[i] && used[i].contains(*row.on[i])) return false;
            }
            return true;
        };
        found_.erase(std::remove_if(found_.begin() + static_cast<std::ptrdiff_t>(first), found_.end(), unused),
                     found_.end());
        const std::vector<Matched> netdevs(found_.begin() + static_cast<std::ptrdiff_t>(first), found_.end());
        for (const Matched& netdev : netdevs) {
            parts(Kind::priority, netdev.on, [](const Entity& owner) { return owner.id + "/"; });
        }
    }

    // The functions of the adapters, and what lies above them, step by step.
    void functions(const std::vector<Slot>& slots) {
        std::set<std::pair<std::size_t, Entity>> seen;
        for (const Slot& slot : slots) {
            Entities on = functions_of(slot);
            const auto present = [](const auto& entity) { return entity.has_value(); };
            while (std::any_of(on.begin(), on.end(), present)) {
                bool fresh = true;
                for (std::size_t i = 0; i < on.size(); ++i) {
                    if (on[i] && !seen.emplace(i, *on[i]).second) fresh = false;
                }
                if (!fresh) break;
                add(Kind::pci, on);
                for (std::size_t i = 0; i < on.size(); ++i) {
                    if (on[i]) on[i] = hosts_[i]->reference(*on[i], "parent");
                }
            }
        }
    }

    std::span<const Snapshot* const> hosts_;
    std::vector<Matched> found_;
    std::map<std::size_t, std::set<Entity>> taken_;  // what parts() has given a place
};

}  // namespace

bool is_matched(Kind kind) { return std::find(std::begin(kMatched), std::end(kMatched), kind) != std::end(kMatched); }

std::vector<Matched> match(std::span<const Snapshot* const> hosts, Likeness likeness) {
    Matcher matcher(hosts);
    return likeness == Likeness::twins ? matcher.twins() : matcher.recordings();
}

}  // namespace rd
