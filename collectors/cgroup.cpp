// SPDX-License-Identifier: GPL-2.0-or-later
// The rdma controller of control groups: how many contexts and objects the processes that use RDMA may have. A limit holds for all
// processes below its group, so each group up to the root is looked at, and the tightest counts.
#include <fmt/format.h>

#include <map>
#include <optional>

#include "collectors/common/processes.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec number(std::string_view name, Nature nature, std::string_view doc) {
    return {Kind::process, name, Type::integer, nature, "", doc};
}

constexpr FactSpec kFacts[] = {
    {Kind::process, "cgroup", Type::text, Nature::config, "", "Its control group: /proc/PID/cgroup"},
    {Kind::process, "rdma_limited", Type::boolean, Nature::config, "",
     "A control group limits a device it uses: rdma.max of its group and those above"},
    number("rdma_handles_max", Nature::config, "Contexts its control group may open on a device: rdma.max hca_handle"),
    number("rdma_handles_used", Nature::gauge, "Contexts its control group has open there: rdma.current hca_handle"),
    number("rdma_objects_max", Nature::config,
           "Verbs objects (queue pairs, regions …) its control group may have on a device: rdma.max hca_object"),
    number("rdma_objects_used", Nature::gauge, "Verbs objects its control group has there: rdma.current hca_object"),
};

constexpr const FactSpec& kGroup = row(kFacts, Kind::process, "cgroup");
constexpr const FactSpec& kLimited = row(kFacts, Kind::process, "rdma_limited");

struct Resource {
    std::string_view key;
    const FactSpec& max;
    const FactSpec& used;
};
constexpr Resource kResources[] = {
    {"hca_handle", row(kFacts, Kind::process, "rdma_handles_max"), row(kFacts, Kind::process, "rdma_handles_used")},
    {"hca_object", row(kFacts, Kind::process, "rdma_objects_max"), row(kFacts, Kind::process, "rdma_objects_used")},
};

constexpr std::string_view kRoot = "/sys/fs/cgroup";

// Where the rdma controller keeps the group: "0::/system.slice/x.service", and in a hierarchy of its own (version 1)
// "5:rdma:/x".
struct Place {
    std::string mount;
    std::string group;
};

Result<Place> place_of(const std::string& path, std::string_view text) {
    std::optional<Place> unified;
    for (const std::string_view line : lines(text)) {
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
        if (second == std::string_view::npos) return fail(Errc::bad_input, path + ": '" + printable(line) + "'");
        const std::string_view controllers = line.substr(first + 1, second - first - 1);
        const std::string group(line.substr(second + 1));
        for (const std::string_view controller : split(controllers, ',')) {
            if (controller == "rdma") return Place{fmt::format("{}/{}", kRoot, controllers), group};
        }
        if (controllers.empty()) unified = Place{std::string(kRoot), group};
    }
    if (!unified) return fail(Errc::not_supported, path + ": no group of the rdma controller");
    return *unified;
}

// A process outside our cgroup namespace is shown as "/../other": what lies there is not to be seen from here.
Result<Place> visible(const std::string& path, Result<Place> place) {
    if (!place) return place;
    const auto parts = split(place->group, '/');
    if (!parts.front().empty()) return fail(Errc::bad_input, path + ": '" + printable(place->group) + "'");
    for (const std::string_view part : parts) {
        if (part == "..") return fail(Errc::not_collected, path + ": outside this cgroup namespace");
    }
    return place;
}

// "mlx5_0 hca_handle=2 hca_object=max", one device a line; the value of `key` for `device`.
Result<std::optional<std::string>> entry(const std::string& path, std::string_view text, std::string_view device,
                                         std::string_view key) {
    for (const std::string_view line : lines(text)) {
        const auto fields = words(line);
        if (fields.size() < 2 || fields[1].find('=') == std::string_view::npos) {
            return fail(Errc::bad_input,
                        fmt::format("{}: not a device and its resources: '{}'", path, printable(line)));
        }
        if (fields.front() != device) continue;
        for (const std::string_view field : fields) {
            if (field.size() > key.size() && field.starts_with(key) && field[key.size()] == '=') {
                return std::string(field.substr(key.size() + 1));
            }
        }
        return fail(Errc::bad_input, fmt::format("{}: no {}: '{}'", path, key, printable(line)));
    }
    return std::nullopt;
}

struct Budget {
    std::int64_t max = 0;
    std::int64_t used = 0;

    [[nodiscard]] bool tighter_than(const Budget& other) const { return max - used < other.max - other.used; }
};

class Groups {
public:
    explicit Groups(const Host& host) : host_(host) {}

    // The tightest limit of a resource over the group, the ones above it, and the devices.
    Result<std::optional<Budget>> tightest(const Place& place, const std::vector<RdmaDevice>& devices,
                                           std::string_view key) {
        std::optional<Budget> best;
        std::string group = place.group;
        while (group.size() > 1) {
            for (const RdmaDevice& device : devices) {
                const auto budget = of(place.mount + group, device.name, key);
                if (!budget) return budget;
                if (*budget && (!best || (*budget)->tighter_than(*best))) best = *budget;
            }
            group.resize(group.rfind('/'));
        }
        return best;
    }

private:
    Result<std::optional<Budget>> of(const std::string& folder, std::string_view device, std::string_view key) {
        const auto& max = text(folder + "/rdma.max");
        if (!max && max.error().code == Errc::not_found) return std::nullopt;  // the controller is not enabled here
        if (!max) return tl::unexpected<Error>(max.error());
        const auto limit = entry(folder + "/rdma.max", *max, device, key);
        if (!limit) return tl::unexpected<Error>(limit.error());
        if (!*limit || **limit == "max") return std::nullopt;
        const auto bound = parse_counter(**limit);
        if (!bound) return fail(Errc::bad_input, folder + "/rdma.max: " + bound.error().what);
        const auto& current = text(folder + "/rdma.current");
        if (!current) return tl::unexpected<Error>(current.error());
        const auto use = entry(folder + "/rdma.current", *current, device, key);
        if (!use) return tl::unexpected<Error>(use.error());
        const auto used = *use ? parse_counter(**use) : Result<std::int64_t>(0);  // listed only when in use
        if (!used) return fail(Errc::bad_input, folder + "/rdma.current: " + used.error().what);
        return Budget{*bound, *used};
    }

    // Many processes share a group.
    const Result<std::string>& text(const std::string& file) {
        auto found = texts_.find(file);
        if (found == texts_.end()) found = texts_.emplace(file, host_.read(file)).first;
        return found->second;
    }

    const Host& host_;
    std::map<std::string, Result<std::string>> texts_;
};

void gaps(const Entity& process, const Gap& gap, Plan& plan) {
    plan.gap(process, kLimited, gap);
    for (const Resource& resource : kResources) {
        plan.gap(process, resource.max, gap);
        plan.gap(process, resource.used, gap);
    }
}

void plan_process(const Host& host, const RdmaProcess& process, Groups& groups, Plan& plan) {
    const std::string path = fmt::format("/proc/{}/cgroup", process.pid);
    const auto text = host.read(path);
    const auto place = visible(path, text ? place_of(path, *text) : Result<Place>(tl::unexpected<Error>(text.error())));
    plan.set(process.entity, kGroup, place.map([](const Place& found) { return Value(printable(found.group, 256)); }));
    if (!place) return gaps(process.entity, gap_from(place.error()), plan);
    bool limited = false;
    for (const Resource& resource : kResources) {
        const auto budget = groups.tightest(*place, process.devices, resource.key);
        if (!budget) return gaps(process.entity, gap_from(budget.error()), plan);
        limited = limited || *budget;
        if (*budget) {
            plan.put(process.entity, resource.max, (*budget)->max);
            plan.put(process.entity, resource.used, (*budget)->used);
            continue;
        }
        const Gap gap = not_offered(fmt::format("{}: no group of it limits {}", path, resource.key));
        plan.gap(process.entity, resource.max, gap);
        plan.gap(process.entity, resource.used, gap);
    }
    plan.put(process.entity, kLimited, limited);
}

void discover(const Host& host, Plan& plan) {
    const RdmaProcesses processes = rdma_processes(host);
    if (processes.gap) plan.kind_gap(Kind::process, *processes.gap);
    Groups groups(host);
    for (const RdmaProcess& process : processes.found) plan_process(host, process, groups, plan);
}

}  // namespace

extern const Collector cgroup;
constinit const Collector cgroup{"cgroup", kFacts, {}, Seconds(10), Rediscover::always, discover};

}  // namespace rd::collectors
