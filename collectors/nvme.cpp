// SPDX-License-Identifier: GPL-2.0-or-later
// NVMe controllers, over RDMA and local: whether they live, how they are connected, and when they give up. Nothing here asks the
// controller: it is what the driver of the host knows.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "collectors/common/files.h"
#include "collectors/common/identity.h"
#include "collectors/common/nvme.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec text_row(std::string_view name, std::string_view doc) {
    return {Kind::nvme, name, Type::text, Nature::config, "", doc};
}
constexpr FactSpec number_row(std::string_view name, std::string_view unit, std::string_view doc) {
    return {Kind::nvme, name, Type::integer, Nature::config, unit, doc};
}

constexpr FactSpec kFacts[] = {
    text_row("name", "Name of the controller (nvme0); may change at the next boot"),
    text_row("transport", "pcie, rdma, tcp, fc, loop: file transport"),
    text_row("address", "PCI address, or traddr=10.0.0.2,trsvcid=4420: file address"),
    text_row("subsystem", "NQN of its subsystem: file subsysnqn"),
    {Kind::nvme, "state", Type::text, Nature::gauge, "",
     "live, connecting, resetting, new, deleting, dead: file state"},
    {Kind::nvme, "reconnecting", Type::integer, Nature::gauge, "",
     "1 while the host tries to connect it again, else 0: state connecting or resetting"},
    number_row("io_queues", "queues", "Queues for data: file queue_count less the admin queue"),
    number_row("queue_depth", "commands", "Commands a queue can hold: file sqsize, which counts from zero"),
    number_row("keep_alive", "seconds", "Keep-alive timeout, 0: none: file kato"),
    number_row("ctrl_loss_tmo", "seconds",
               "After this long without a connection it is removed; a gap when never: file ctrl_loss_tmo"),
    number_row("reconnect_delay", "seconds", "Pause between two attempts to connect: file reconnect_delay"),
    number_row("fast_io_fail_tmo", "seconds",
               "After this long without a connection commands fail; a gap when they wait: file fast_io_fail_tmo"),
    reference(Kind::nvme, "numa", Kind::numa, "NUMA node of its PCI function or RDMA device: file numa_node"),
    number_row("paths", "", "Controllers of its subsystem on this host, itself included"),
    number_row("namespaces", "", "Namespaces it leads to: nvmeN/nvmeXcYnZ, or nvmeXnZ where there is no multipath"),
    {Kind::nvme, "ana_state", Type::text, Nature::gauge, "",
     "What the target says of this path to the first of its namespaces (optimized, non-optimized, inaccessible …): "
     "ana_state"},
    text_row("iopolicy",
             "How a path is chosen (numa, round-robin, queue-depth): /sys/class/nvme-subsystem/nvme-subsysN/iopolicy"),
    {Kind::host, "nvme_controllers", Type::integer, Nature::gauge, "",
     "NVMe controllers, local and over fabrics: /sys/class/nvme"},
    {Kind::host, "nvme_multipath", Type::boolean, Nature::config, "",
     "Several paths to one namespace make one block device: /sys/module/nvme_core/parameters/multipath"},
};

const Entity kHost{Kind::host, ""};
constexpr std::string_view kSubsystems = "/sys/class/nvme-subsystem";

constexpr const FactSpec& kState = row(kFacts, Kind::nvme, "state");
constexpr const FactSpec& kReconnecting = row(kFacts, Kind::nvme, "reconnecting");

Result<Value> as_seconds(std::string_view text) {
    if (trim(text) == "off") return fail(Errc::not_supported, "off: without limit");
    return as_count(text);
}

Result<Value> as_io_queues(std::string_view text) {
    const auto count = parse_counter(text);
    if (!count) return tl::unexpected<Error>(count.error());
    return Value(*count > 0 ? *count - 1 : 0);
}

Result<Value> as_depth(std::string_view text) {
    const auto last = parse_counter(text);
    if (!last) return tl::unexpected<Error>(last.error());
    return Value(*last + 1);
}

Result<Value> as_node(std::string_view text) {
    const auto node = parse_integer(text);
    if (!node) return tl::unexpected<Error>(node.error());
    if (*node < 0) return fail(Errc::not_supported, "the firmware of the host does not say");
    return Value(numa_entity(*node));
}

constexpr Source kFiles[] = {
    {"transport", row(kFacts, Kind::nvme, "transport"), as_label},
    {"queue_count", row(kFacts, Kind::nvme, "io_queues"), as_io_queues},
    {"sqsize", row(kFacts, Kind::nvme, "queue_depth"), as_depth},
    {"kato", row(kFacts, Kind::nvme, "keep_alive"), as_count},
    {"ctrl_loss_tmo", row(kFacts, Kind::nvme, "ctrl_loss_tmo"), as_seconds},
    {"reconnect_delay", row(kFacts, Kind::nvme, "reconnect_delay"), as_seconds},
    {"fast_io_fail_tmo", row(kFacts, Kind::nvme, "fast_io_fail_tmo"), as_seconds},
    {"numa_node", row(kFacts, Kind::nvme, "numa"), as_node},
};

void decode_state(const std::string& path, const Entity& entity, std::string_view text, Facts& out) {
    auto state = as_label(text);
    if (!state) {
        state.error().what = path + ": " + state.error().what;
        return gap_all({{entity, &kState}, {entity, &kReconnecting}}, gap_from(state.error()), out);
    }
    const auto& name = std::get<std::string>(*state);
    out.put(entity, kReconnecting, std::int64_t{name == "connecting" || name == "resetting"});
    out.put(entity, kState, std::move(*state));
}

// "nvme0c1n3" with multipath (`hidden`), "nvme0n3" without.
bool is_namespace(std::string_view name, bool& hidden) {
    const std::size_t n = name.find_last_of('n');
    if (!name.starts_with("nvme") || n == std::string_view::npos || n < 5) return false;
    if (!parse_counter(name.substr(n + 1))) return false;
    const std::string_view front = name.substr(4, n - 4);
    const std::size_t c = front.find('c');
    hidden = c != std::string_view::npos;
    return parse_counter(front.substr(0, c)).has_value() && (!hidden || parse_counter(front.substr(c + 1)).has_value());
}

void plan_namespaces(const Host& host, const NvmeController& one, Plan& plan) {
    const FactSpec &namespaces = row(kFacts, Kind::nvme, "namespaces"), &ana = row(kFacts, Kind::nvme, "ana_state");
    plan.watch(one.path);
    const auto names = host.list(one.path);
    if (!names) {
        plan.gap(one.entity, namespaces, gap_from(names.error()));
        return plan.gap(one.entity, ana, gap_from(names.error()));
    }
    std::int64_t count = 0;
    std::string first;
    for (const std::string& name : *names) {
        bool hidden = false;
        if (!is_namespace(name, hidden)) continue;
        ++count;
        if (hidden && first.empty()) first = name;
    }
    plan.put(one.entity, namespaces, count);
    if (first.empty()) return plan.gap(one.entity, ana, not_offered(one.path + ": no path of a multipath namespace"));
    plan.read(fmt::format("{}/{}/ana_state", one.path, first), one.entity, ana, as_label);
}

// NQN → folder.
std::map<std::string, std::string> subsystems_of(const Host& host) {
    std::map<std::string, std::string> folders;
    for (const std::string& name : host.list(kSubsystems).value_or(std::vector<std::string>{})) {
        const std::string folder = fmt::format("{}/{}", kSubsystems, name);
        if (const auto nqn = read_word(host, folder + "/subsysnqn")) folders.emplace(*nqn, folder);
    }
    return folders;
}

void plan_subsystem(const NvmeController& one, const std::vector<NvmeController>& all,
                    const std::map<std::string, std::string>& folders, Plan& plan) {
    const FactSpec &paths = row(kFacts, Kind::nvme, "paths"), &policy = row(kFacts, Kind::nvme, "iopolicy");
    if (!one.subsystem) {
        plan.gap(one.entity, paths, gap_from(one.subsystem.error()));
        return plan.gap(one.entity, policy, gap_from(one.subsystem.error()));
    }
    plan.put(one.entity, paths, std::int64_t{std::count_if(all.begin(), all.end(), [&](const auto& other) {
                 return other.subsystem == one.subsystem;
             })});
    const auto folder = folders.find(*one.subsystem);
    if (folder == folders.end()) {
        return plan.gap(one.entity, policy,
                        not_offered(fmt::format("{}: not the subsystem of {}", kSubsystems, one.name)));
    }
    plan.read(folder->second + "/iopolicy", one.entity, policy, as_label);
}

Result<Value> text_of(const Result<std::string>& text) {
    return text.map([](const std::string& value) { return Value(value); });
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kNvme));
    const FactSpec& multipath = row(kFacts, Kind::host, "nvme_multipath");
    plan.every(Seconds(60));
    plan.read("/sys/module/nvme_core/parameters/multipath", kHost, multipath, as_switch);
    const auto controllers = nvme_controllers(host);
    plan.set(kHost, row(kFacts, Kind::host, "nvme_controllers"),
             controllers.map([](const auto& all) { return Value(static_cast<std::int64_t>(all.size())); }));
    if (!controllers) {
        // A source from before this was looked at says nothing of NVMe; that is no doubt about a controller.
        if (controllers.error().code != Errc::not_collected) plan.kind_gap(Kind::nvme, gap_from(controllers.error()));
        return;
    }
    const auto folders = subsystems_of(host);
    for (const NvmeController& one : *controllers) {
        plan.lane(one.name);
        plan.put(one.entity, row(kFacts, Kind::nvme, "name"), one.name);
        plan.set(one.entity, row(kFacts, Kind::nvme, "subsystem"), text_of(one.subsystem));
        plan.set(one.entity, row(kFacts, Kind::nvme, "address"), text_of(one.address));
        plan.every(Seconds(1));
        const std::string state = one.path + "/state";
        plan.decode(state, {{one.entity, &kState}, {one.entity, &kReconnecting}},
                    [state, entity = one.entity](std::string_view text, Facts& out) {
                        decode_state(state, entity, text, out);
                    });
        plan.every(Seconds(60));
        for (const Source& file : kFiles) {
            plan.read(fmt::format("{}/{}", one.path, file.name), one.entity, file.spec, file.parser);
        }
        plan_subsystem(one, *controllers, folders, plan);
        plan.every(Seconds(10));
        plan_namespaces(host, one, plan);
    }
}

}  // namespace

extern const Collector nvme;
constinit const Collector nvme{"nvme", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
