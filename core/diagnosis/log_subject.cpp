// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/log_subject.h"

#include <algorithm>

#include "core/base/log_line.h"

namespace rd {
namespace {

const Entity kTheHost{Kind::host, ""};

// What lines name. Others have names that may be any word (a process is called "nfs", a node "1").
constexpr Kind kNamed[] = {Kind::port, Kind::device, Kind::netdev, Kind::nvme, Kind::pci};

// Beginnings of the words by which drivers of RDMA devices, and of the functions below them, call themselves.
constexpr std::string_view kDrivers[] = {"mlx",    "bnxt",  "irdma", "hns",   "qed", "erdma", "efa",       "hfi1",
                                         "ocrdma", "ionic", "mana",  "cxgb4", "ice", "i40e",  "infiniband"};

bool names_rdma_driver(const std::vector<std::string_view>& words) {
    return std::any_of(words.begin(), words.end(), [](std::string_view word) {
        return std::any_of(std::begin(kDrivers), std::end(kDrivers),
                           [word](std::string_view driver) { return word.starts_with(driver); });
    });
}

std::string_view captured(const Captures& captures, std::string_view name) {
    const auto found =
        std::find_if(captures.begin(), captures.end(), [name](const auto& one) { return one.first == name; });
    return found == captures.end() ? std::string_view{} : std::string_view(found->second);
}

}  // namespace

LogSubjects::LogSubjects(const History& history) : history_(history) {
    const Snapshot& now = history.latest();
    for (const Kind kind : kNamed) {
        for (const Entity& entity : now.entities(kind)) {
            by_name_[now.label(entity)].push_back(entity);
            if (kind == Kind::pci) by_name_[entity.id].push_back(entity);
        }
    }
    for (auto& [name, entities] : by_name_) {
        std::sort(entities.begin(), entities.end());
        entities.erase(std::unique(entities.begin(), entities.end()), entities.end());
    }
}

LogSubjects::Names LogSubjects::names(const Captures& captures, std::string_view line) const {
    Names names;
    const auto look = [&](std::string_view name) {
        const auto found = by_name_.find(name);
        if (found == by_name_.end()) return false;
        for (const Entity& entity : found->second) {
            if (std::find(names.known.begin(), names.known.end(), entity) == names.known.end())
                names.known.push_back(entity);
        }
        return true;
    };
    const std::string_view device = captured(captures, "device"), port = captured(captures, "port");
    if (!device.empty() && !port.empty()) (void)look(std::string(device) + "/" + std::string(port));
    for (const std::string_view name : {device, captured(captures, "netdev"), captured(captures, "pci")}) {
        if (!name.empty() && !look(name)) names.strange = true;
    }
    for (const std::string& address : pci_addresses_in(line)) {
        if (!look(address)) names.strange_pci = names.strange = true;
    }
    for (const std::string_view word : names_in_line(line)) {
        if (!look(word) && is_device_word(word)) names.strange = true;
    }
    return names;
}

std::vector<Entity> LogSubjects::referred(const Entity& from) const {
    std::vector<Entity> found;
    const Layout& layout = history_.layout();
    const auto index = layout.find(from);
    if (!index) return found;
    for (const SlotIndex slot : layout.slots_of(*index)) {
        if (layout.slot(slot).spec->type != Type::reference) continue;
        const Reading& reading = *history_.observe(from, layout.slot(slot).name).reading;
        const auto* target = reading ? std::get_if<Entity>(&*reading) : nullptr;
        if (target != nullptr && history_.latest().has(*target)) found.push_back(*target);
    }
    return found;
}

const std::set<Entity>& LogSubjects::reached(const Entity& from) {
    const auto known = reached_.find(from);
    if (known != reached_.end()) return known->second;
    std::set<Entity> found{from};
    std::vector<Entity> open{from};
    while (!open.empty()) {
        const Entity at = open.back();
        open.pop_back();
        for (Entity& next : referred(at)) {
            if (found.insert(next).second) open.push_back(std::move(next));
        }
    }
    return reached_.emplace(from, std::move(found)).first->second;
}

std::vector<Entity> LogSubjects::related(const Entity& named, Kind scope) {
    if (named.kind == scope) return {named};
    // Nearest first: a function leads to its bridge and on to the root, but what a port is about is its own function.
    std::set<Entity> seen{named};
    std::vector<Entity> level{named};
    while (!level.empty()) {
        std::vector<Entity> next, of_scope;
        for (const Entity& at : level) {
            for (Entity& to : referred(at)) {
                if (!seen.insert(to).second) continue;
                if (to.kind == scope) of_scope.push_back(to);
                next.push_back(std::move(to));
            }
        }
        if (!of_scope.empty()) return of_scope;
        level = std::move(next);
    }
    std::vector<Entity> back;
    for (const Entity& entity : history_.latest().entities(scope)) {
        if (reached(entity).contains(named)) back.push_back(entity);
    }
    return back;
}

std::optional<Entity> LogSubjects::of(Kind scope, const Captures& captures, std::string_view line) {
    const Names all = names(captures, line);
    const Snapshot& now = history_.latest();
    if (all.known.empty() && all.strange_pci && now.kind_gap(Kind::pci) == nullptr &&
        !names_rdma_driver(names_in_line(line))) {
        return std::nullopt;
    }
    if (scope == Kind::host) return kTheHost;
    for (const Entity& named : all.known) {
        const std::vector<Entity> found = related(named, scope);
        if (found.size() == 1) return found.front();
    }
    if (!all.known.empty()) return all.known.front();
    if (all.strange) return kTheHost;
    const std::vector<Entity> only = now.entities(scope);
    return only.size() == 1 ? only.front() : kTheHost;
}

}  // namespace rd
