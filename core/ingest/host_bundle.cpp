// SPDX-License-Identifier: GPL-2.0-or-later
// The end of HostText: its state and readings as moments of a bundle.
#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/base/unnamed.h"
#include "core/ingest/host_text.h"
#include "core/ingest/paths.h"
#include "core/ingest/place_names.h"

namespace rd::ingest {
namespace {

constexpr std::string_view kNet = "/sys/class/net/";
constexpr std::string_view kInfiniband = "/sys/class/infiniband/";
// Of a text that does not tell since when the host runs: any time will do, if there is room before it.
constexpr std::int64_t kSomeUptimeNs = 86'400'000'000'000;

// Folders of an RDMA device and of its ports; not "ports" itself, which enumerates.
bool is_device_folder(std::string_view directory) {
    if (!starts_with(directory, kInfiniband)) return false;
    const auto parts = split(directory.substr(kInfiniband.size()), '/');
    if (parts.size() == 1 || (parts.size() == 3 && parts[1] == "ports")) return true;
    return parts.size() == 4 && parts[1] == "ports" && (parts[3] == "counters" || parts[3] == "gids");
}

// Directories in which the absence of a name says something. A text that shows a few of the names has not listed them.
bool absence_speaks(std::string_view directory) {
    constexpr std::string_view kPci = "/sys/bus/pci/devices/";
    if (is_device_folder(directory) || directory == "/sys/fs/cgroup/system.slice") return true;
    if (directory == "/sys/module" || directory == "/sys/class/iommu" || directory == "/dev" ||
        directory == "/sys/class" || directory == "/sys/bus" || directory == "/dev/infiniband") {
        return true;
    }
    return starts_with(directory, kPci) && directory.size() > kPci.size() &&
           directory.find('/', kPci.size()) == std::string_view::npos;
}

std::set<std::string> names_below(std::string_view root, const std::set<std::string>& paths) {
    std::set<std::string> names;
    for (auto at = paths.lower_bound(std::string(root)); at != paths.end() && starts_with(*at, root); ++at) {
        names.insert(at->substr(root.size(), at->find('/', root.size()) - root.size()));
    }
    return names;
}

// Which name the text means by kUnnamedNetdev and kUnnamedDevice.
class Naming {
public:
    Naming(const std::set<std::string>& paths, const std::set<std::string>& netdevs_of_subjects) {
        std::set<std::string> netdevs = names_below(kNet, paths), devices = names_below(kInfiniband, paths);
        netdevs.insert(netdevs_of_subjects.begin(), netdevs_of_subjects.end());
        for (const std::string_view other : {kUnnamedNetdev, std::string_view("lo")}) netdevs.erase(std::string(other));
        devices.erase(std::string(kUnnamedDevice));
        netdev_ = netdevs.size() == 1 ? *netdevs.begin() : std::string(kUnnamed);
        device_ = devices.size() == 1 ? *devices.begin() : std::string(kUnnamed);
    }
    [[nodiscard]] std::string operator()(std::string_view name) const {
        std::string out(name);
        replace(out, kUnnamedNetdev, netdev_);
        replace(out, kUnnamedDevice, device_);
        return out;
    }

private:
    static void replace(std::string& text, std::string_view what, const std::string& with) {
        if (const std::size_t at = text.find(what); at != std::string::npos) text.replace(at, what.size(), with);
    }
    std::string netdev_, device_;
};

std::string text_of(const Piece& piece) {
    if (piece.text) return *piece.text;
    std::string text;
    for (const Record& record : piece.records) text += record.text();
    return text;
}

// Puts the counting fields of one moment into the records.
void add_reading(Piece& piece, const Readings::Key& key, const std::string& value) {
    if (key.id.empty()) {
        if (piece.records.empty()) piece.records.emplace_back();
        piece.records.front().set(key.field, value);
        return;
    }
    for (Record& record : piece.records) {
        if (record.get(piece.key) == key.id) return record.set(key.field, value);
    }
    Record record;
    record.set(piece.key, key.id);
    record.set(key.field, value);
    piece.records.push_back(std::move(record));
}

// The times of the moments: how far they are apart is what rates are made of.
struct Times {
    std::vector<Stamp> stamps;
    bool assumed = false;
};
Times times_of(const std::vector<Mark>& marks, const Mark& last, std::optional<std::int64_t> uptime_ns,
               std::optional<std::int64_t> newest_log_us) {
    Times times;
    std::vector<std::int64_t> steps;
    std::int64_t whole = 0;
    for (std::size_t i = 1; i < marks.size(); ++i) {
        const auto step = between(marks[i - 1], marks[i]);
        if (!step) times.assumed = true;
        steps.push_back(step.value_or(kAssumedIntervalNs));
        whole += steps.back();
    }
    const std::int64_t log_ns = newest_log_us.value_or(0) * 1000;
    std::int64_t boot = std::max(uptime_ns.value_or(newest_log_us ? log_ns : kSomeUptimeNs), log_ns);
    boot = std::max(boot, whole + 1);
    const std::int64_t wall = marks.back().wall_ns ? *marks.back().wall_ns : last.wall_ns.value_or(0);
    std::int64_t back = whole;
    for (std::size_t i = 0; i < marks.size(); ++i) {
        times.stamps.push_back({boot - back, wall == 0 ? 0 : wall - back});
        if (i < steps.size()) back -= steps[i];
    }
    return times;
}

// All directories above a path come to exist by it; only itself needs a line when nothing lies below it.
void add_existing(Moment& moment, const std::string& path) {
    const std::string prefix = path + "/";
    const auto below = [&](const auto& map) {
        const auto at = map.lower_bound(prefix);
        return at != map.end() && starts_with(at->first, prefix);
    };
    if (moment.lists.contains(path) || moment.reads.contains(path) || below(moment.reads) || below(moment.links) ||
        below(moment.lists)) {
        return;
    }
    moment.lists.emplace(path, std::vector<std::string>{});
}

// A complete list may miss what another section shows.
void add_to_list(Moment& moment, const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const auto list = moment.lists.find(path.substr(0, slash));
    if (list == moment.lists.end() || !list->second || list->second->empty()) return;
    auto& names = *list->second;
    const std::string name = path.substr(slash + 1);
    const auto at = std::lower_bound(names.begin(), names.end(), name);
    if (at == names.end() || *at != name) names.insert(at, name);
}

void mark_unlisted(Moment& moment) {
    std::set<std::string> directories;
    const auto see = [&](const auto& map) {
        for (const auto& [name, answer] : map) {
            for (std::size_t at = name.find('/', 1); at != std::string::npos; at = name.find('/', at + 1)) {
                if (name[0] == '/' && absence_speaks(std::string_view(name).substr(0, at)))
                    directories.insert(name.substr(0, at));
            }
        }
    };
    see(moment.reads);
    see(moment.links);
    see(moment.lists);
    for (const std::string& directory : directories) {
        const auto found = moment.lists.find(directory);
        if (found != moment.lists.end() && found->second && !found->second->empty()) continue;
        moment.lists.insert_or_assign(
            directory,
            tl::unexpected<Error>(Error{Errc::not_collected, directory + ": the text does not list it whole", {}}));
    }
}

}  // namespace

void HostText::suppose(const std::string& path, std::string text, std::set<std::string>& paths) {
    Piece piece;
    piece.text = std::move(text);
    state_.try_emplace(path, State{std::move(piece), 0, {}});
    paths.insert(path);
}

// Interfaces and devices whose names hold the place of a function that the text has too.
void HostText::take_places_from_names(const std::set<std::string>& paths) {
    for (const std::string_view root : {kNet, kInfiniband}) {
        for (const std::string& name : names_below(root, paths)) {
            const auto address = address_in_name(name);
            if (!address) continue;
            const std::string function = "/sys/bus/pci/devices/" + *address;
            const auto at = paths.lower_bound(function);
            if (at == paths.end() || !starts_with(*at, function)) continue;
            const auto real = links_.find(function);
            links_.emplace(
                std::string(root) + name + "/device",
                real != links_.end() ? real->second : "/sys/devices/pci" + address->substr(0, 7) + "/" + *address);
        }
    }
}

IngestedHost HostText::finish(std::string_view source) {
    std::set<std::string> paths(existing_.begin(), existing_.end());
    std::set<std::string> netdevs;
    for (const auto& [name, state] : state_) {
        if (starts_with(name, "/")) paths.insert(name);
        if (starts_with(name, "ethtool.") || starts_with(name, "dcb.")) netdevs.insert(name.substr(name.find('/') + 1));
    }
    for (const auto& [path, target] : links_) paths.insert(path);
    for (const auto& [key, readings] : readings_.all()) {
        if (starts_with(key.name, "/")) paths.insert(key.name);
    }
    take_places_from_names(paths);
    take_link_layers(paths);
    take_lone_adapter(paths, netdevs);
    const Naming naming(paths, netdevs);

    std::vector<Readings::Key> keys;
    for (const auto& [key, readings] : readings_.all()) keys.push_back(key);
    for (const Readings::Key& key : keys) readings_.rename(key, {naming(key.name), naming(key.id), key.field});
    std::map<std::string, State, std::less<>> state;
    for (auto& [name, each] : state_) state.try_emplace(naming(name), std::move(each));

    const std::size_t count = readings_.moments();
    const Times times = times_of(readings_.marks(), now_, identity_.uptime_ns, logs_.newest_us());
    IngestedHost out;
    out.interval_assumed = times.assumed;
    std::vector<std::map<std::string, Piece, std::less<>>> pieces(count);
    for (const auto& [name, each] : state) {
        for (auto& moment : pieces) moment[name] = each.piece;
    }
    for (const auto& [key, readings] : readings_.all()) {
        for (std::size_t i = 0; i < readings.size(); ++i) {
            Piece& piece = pieces[Readings::moment_of(i, readings.size(), count)][key.name];
            if (key.field.empty()) {
                piece.text = readings[i].text;
            } else {
                if (piece.key.empty() && !key.id.empty()) piece.key = "ifname";
                add_reading(piece, key, readings[i].text);
            }
        }
    }
    Bundle& bundle = out.bundle;
    for (std::size_t at = 0; at < count; ++at) {
        Moment& moment = bundle.moments.emplace_back();
        moment.stamp = times.stamps[at];
        for (const auto& [name, piece] : pieces[at]) {
            if (piece.error) {
                moment.reads.emplace(name, tl::unexpected<Error>(*piece.error));
            } else {
                moment.reads.emplace(name, text_of(piece));
            }
        }
        for (const auto& [path, target] : links_) moment.links.emplace(naming(path), target);
        for (const auto& [path, names] : lists_) moment.lists.emplace(naming(path), names);
        for (const std::string& path : paths) {
            add_existing(moment, naming(path));
            add_to_list(moment, naming(path));
        }
        // Files that were named by way of a device whose PCI function is known.
        std::vector<std::pair<std::string, Result<std::string>>> aliases;
        for (const auto& [name, answer] : moment.reads) {
            const auto below = below_device(name);
            const auto link = below ? moment.links.find(below->link) : moment.links.end();
            if (link == moment.links.end() || !link->second) continue;
            const std::string address = link->second->substr(link->second->rfind('/') + 1);
            if (is_pci_address(address)) aliases.emplace_back("/sys/bus/pci/devices/" + address + below->rest, answer);
        }
        for (auto& [name, answer] : aliases) moment.reads.emplace(std::move(name), std::move(answer));
        mark_unlisted(moment);
    }
    const std::int64_t now_us = times.stamps.back().boot_ns / 1000;
    if (std::string text = logs_.kmsg(now_us); !text.empty())
        bundle.moments.back().reads.try_emplace("kmsg", std::move(text));
    if (std::string text = logs_.logs(now_us); !text.empty())
        bundle.moments.back().reads.try_emplace("logs", std::move(text));

    // What is not told by a command may stand in a file.
    const auto word = [&](const char* path) {
        const auto found = bundle.moments.back().reads.find(path);
        return found == bundle.moments.back().reads.end() || !found->second ? std::string()
                                                                            : std::string(trim(*found->second));
    };
    if (identity_.hostname.empty()) identity_.hostname = word("/proc/sys/kernel/hostname");
    if (identity_.hostname.empty()) identity_.hostname = word("/etc/hostname");
    if (identity_.kernel.empty()) identity_.kernel = word("/proc/sys/kernel/osrelease");
    bundle.identity.boot_id = word("/proc/sys/kernel/random/boot_id");
    bundle.identity.source = std::string(source);
    bundle.identity.hostname = identity_.hostname.empty() ? name_ : identity_.hostname;
    bundle.identity.kernel = identity_.kernel;
    bundle.identity.machine = identity_.machine;
    bundle.identity.uid = identity_.uid.value_or(0);
    out.uid_known = identity_.uid.has_value();
    out.name = name_.empty() ? identity_.hostname : name_;
    out.recognised = std::move(recognised_);
    out.kernel_lines = logs_.kernel_lines();
    out.log_lines = logs_.log_lines();
    if (logs_.dropped() > 0) note(std::to_string(logs_.dropped()) + " log lines more are not kept");
    out.notes = std::move(notes_);
    return out;
}

}  // namespace rd::ingest
