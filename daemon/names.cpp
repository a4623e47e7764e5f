// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/names.h"

#include <array>

namespace rd::daemon {
namespace {

// What the subjects of a source are, the likeliest first.
std::array<std::optional<Kind>, 2> kinds_of(std::string_view source, std::string_view subject) {
    if (source == "link" || source == "address") return {Kind::netdev, std::nullopt};
    if (source == "nvme") return {Kind::nvme, std::nullopt};
    if (source == "devlink") return {Kind::pci, std::nullopt};
    if (source == "verbs" || source == "port" || source == "rdma-monitor" || source == "uevent") {
        if (subject.find('/') != std::string_view::npos) return {Kind::port, std::nullopt};
        return {Kind::device, Kind::netdev};
    }
    return {std::nullopt, std::nullopt};
}

// "pci/0000:41:00.0 fw" → "0000:41:00.0"
std::string_view bare(std::string_view source, std::string_view subject) {
    if (source != "devlink") return subject;
    subject = subject.substr(0, subject.find(' '));
    const auto slash = subject.find('/');
    return slash == std::string_view::npos ? subject : subject.substr(slash + 1);
}

}  // namespace

Names::Names(const Snapshot& snapshot) {
    for (const Kind kind : {Kind::host, Kind::device, Kind::port, Kind::netdev, Kind::priority, Kind::pci, Kind::numa,
                            Kind::cpu, Kind::irq, Kind::nvme, Kind::service}) {
        for (const Entity& entity : snapshot.entities(kind)) {
            std::string label = snapshot.label(entity);
            by_name_.emplace(std::pair(kind, label), entity);
            if (kind == Kind::pci) by_name_.emplace(std::pair(kind, entity.id), entity);
            labels_.emplace(entity, std::move(label));
        }
    }
    for (const Entity& port : snapshot.entities(Kind::port)) {
        if (const auto netdev = snapshot.reference(port, "netdev")) port_of_.emplace(*netdev, port);
    }
    for (const Entity& netdev : snapshot.entities(Kind::netdev)) {
        const auto above = snapshot.reference(netdev, "master");
        if (above && port_of_.contains(*above)) members_.insert(netdev);
    }
}

std::optional<Entity> Names::find(std::string_view source, std::string_view subject) const {
    for (const auto& kind : kinds_of(source, subject)) {
        if (!kind) continue;
        const auto found = by_name_.find({*kind, std::string(bare(source, subject))});
        if (found != by_name_.end()) return found->second;
    }
    return std::nullopt;
}

std::optional<Entity> Names::port_of(const Entity& netdev) const {
    const auto found = port_of_.find(netdev);
    return found != port_of_.end() ? std::optional(found->second) : std::nullopt;
}

bool Names::carries_rdma(const Entity& entity) const {
    return entity.kind == Kind::device || entity.kind == Kind::port || port_of_.contains(entity) ||
           members_.contains(entity);
}

std::string Names::label(const Entity& entity) const {
    const auto found = labels_.find(entity);
    return found != labels_.end() ? found->second : entity.id;
}

Happening Names::happening(const HostEvent& event) const {
    Happening made;
    made.at = event.at;
    made.source = event.source;
    made.name = event.name;
    made.subject = event.subject;
    made.details = event.details;
    made.count = event.count;
    made.entity = find(event.source, event.subject);
    if (made.entity) {
        made.carries_rdma = carries_rdma(*made.entity);
        if (const auto port = port_of(*made.entity)) made.port = Subject{*port, label(*port)};
    }
    return made;
}

}  // namespace rd::daemon
