// SPDX-License-Identifier: GPL-2.0-or-later
#include "collectors/common/services.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "collectors/common/files.h"
#include "collectors/common/processes.h"
#include "collectors/common/settings.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

using Names = std::string_view[];

constexpr Names kCephPrograms = {"ceph-osd", "ceph-mon", "ceph-mgr", "ceph-mds", "radosgw"};
constexpr Names kCephUnits = {"ceph-osd@", "ceph-mon@", "ceph-mgr@", "ceph-mds@", "ceph-radosgw@"};
constexpr Names kDaosPrograms = {"daos_engine", "daos_server", "daos_agent"};
constexpr Names kDaosUnits = {"daos_server.", "daos_agent."};
constexpr Names kThreeFsPrograms = {"storage_main", "meta_main", "mgmtd_main", "hf3fs_fuse_main", "monitor_collect"};
constexpr Names kThreeFsUnits = {"storage_main.", "meta_main.", "mgmtd_main.", "hf3fs_fuse_main.",
                                 "monitor_collector_main."};
// The main thread of a program of SPDK is its first reactor, and gives the process its name.
constexpr Names kSpdkPrograms = {"reactor_*", "nvmf_tgt", "spdk_tgt", "vhost", "bdevperf", "spdk_nvme_perf"};
constexpr Names kSpdkUnits = {"spdk", "nvmf_tgt", "nvmf-tgt"};

constexpr std::array<System, 4> kSystems{
    System{"ceph", kCephPrograms, kCephUnits, "config.ini/ms_type/etc/ceph/ceph.conf", "--id"},
    System{"daos", kDaosPrograms, kDaosUnits, "config.yaml/engines.fabric_iface/etc/daos/daos_server.yml", "-I",
           "daos_engine"},
    System{"3fs", kThreeFsPrograms, kThreeFsUnits,
           "config.toml/ib_devices.device_filter/opt/3fs/etc/storage_main_launcher.toml"},
    System{"spdk", kSpdkPrograms, kSpdkUnits, ""},
};

constexpr std::string_view kUnified = "/sys/fs/cgroup/system.slice";
constexpr std::string_view kLegacy = "/sys/fs/cgroup/systemd/system.slice";
constexpr std::size_t kMostProcesses = 64;  // of one unit that are looked at

bool is_program(const System& system, std::string_view program) {
    return std::any_of(system.programs.begin(), system.programs.end(), [program](std::string_view known) {
        return known.ends_with('*') ? program.starts_with(known.substr(0, known.size() - 1)) : program == known;
    });
}

bool is_unit(std::string_view unit) {
    return unit.ends_with(".service") && std::any_of(kSystems.begin(), kSystems.end(), [unit](const System& system) {
               return std::any_of(system.units.begin(), system.units.end(),
                                  [unit](std::string_view known) { return unit.starts_with(known); });
           });
}

// Instances of a template "ceph-osd@" lie in "system-ceph\x2dosd.slice".
bool is_template_slice(std::string_view name) {
    constexpr std::string_view kBegin = "system-", kEnd = ".slice";
    if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return false;
    std::string plain;
    const std::string_view middle = name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
    for (std::size_t i = 0; i < middle.size();) {
        const bool dash = middle.substr(i).starts_with("\\x2d");
        plain += dash ? '-' : middle[i];
        i += dash ? 4 : 1;
    }
    return is_unit(plain + "@.service");
}

// Paths of the control groups of known units.
Result<std::vector<std::string>> unit_paths(const Host& host) {
    std::string_view root = kUnified;
    auto names = host.list(kUnified);
    if (!names && names.error().code == Errc::not_found) {
        root = kLegacy;
        names = host.list(kLegacy);
    }
    if (!names) return tl::unexpected<Error>(names.error());
    std::vector<std::string> paths;
    for (const std::string& name : *names) {
        const std::string path = fmt::format("{}/{}", root, name);
        if (is_unit(name)) paths.push_back(path);
        if (!is_template_slice(name)) continue;
        for (const std::string& instance : host.list(path).value_or(std::vector<std::string>{})) {
            if (is_unit(instance)) paths.push_back(fmt::format("{}/{}", path, instance));
        }
    }
    return paths;
}

// "ceph-osd@3.service" and "ceph-FSID@osd.3.service" are both of OSD 3.
std::string instance_of_unit(std::string_view unit, std::string_view program) {
    const std::size_t at = unit.find('@');
    if (at == std::string_view::npos) return {};
    std::string_view instance = unit.substr(at + 1);
    instance = instance.substr(0, instance.rfind('.'));
    const std::string type = std::string(program.substr(program.rfind('-') + 1)) + ".";
    return std::string(instance.starts_with(type) ? instance.substr(type.size()) : instance);
}

std::string first_option(const Host& host, std::int64_t pid, std::string_view option) {
    if (option.empty()) return {};
    const auto text = host.read(fmt::format("proc.option/{}/{}", pid, option));
    const auto record = text ? parse_record(*text) : Result<Record>(Record());
    const auto value = record ? record->get("value") : std::nullopt;
    const auto label = value ? as_label(*value) : Result<Value>(std::string());
    return label ? std::get<std::string>(*label) : std::string();
}

class Finder {
public:
    explicit Finder(const Host& host) : host_(host) {}

    Services find() {
        RdmaProcesses processes = rdma_processes(host_);
        result_.contexts = processes.gap;
        for (RdmaProcess& process : processes.found) {
            add(process.pid, std::move(process.status), std::move(process.devices));
        }
        add_units();
        std::sort(result_.found.begin(), result_.found.end(),
                  [](const Service& a, const Service& b) { return a.pid < b.pid; });
        name_all();
        for (const System& system : kSystems) add_declared(system);
        std::sort(result_.found.begin(), result_.found.end(),
                  [](const Service& a, const Service& b) { return a.entity < b.entity; });
        return std::move(result_);
    }

private:
    void add(std::int64_t pid, Result<std::string> status, std::vector<RdmaDevice> devices) {
        if (!status || !seen_.insert(pid).second) return;
        const auto name = status_field(*status, "Name");
        const System* const system = name ? system_of(*name) : nullptr;
        if (system == nullptr) return;
        Service service;
        service.system = system;
        service.program = std::string(*name);
        if (service.program.starts_with("reactor_")) service.program = executable(pid).value_or("spdk");
        service.instance = first_option(host_, pid, system->instance);
        service.unit = unit_of(pid);
        if (service.instance.empty() && service.unit)
            service.instance = instance_of_unit(*service.unit, service.program);
        service.pid = pid;
        service.status = std::move(status);
        service.devices = std::move(devices);
        result_.found.push_back(std::move(service));
    }

    [[nodiscard]] Result<std::string> unit_of(std::int64_t pid) const {
        const std::string path = fmt::format("/proc/{}/cgroup", pid);
        const auto text = host_.read(path);
        if (!text) return tl::unexpected<Error>(text.error());
        auto unit = unit_in_cgroup(*text);
        return unit ? unit : tl::unexpected<Error>(named(path, unit.error()));
    }

    // Only root may follow the link of another's process.
    [[nodiscard]] std::optional<std::string> executable(std::int64_t pid) const {
        const auto path = host_.link(fmt::format("/proc/{}/exe", pid));
        if (!path) return std::nullopt;
        const auto label = as_label(std::string_view(*path).substr(path->rfind('/') + 1));
        return label ? std::optional(std::get<std::string>(*label)) : std::nullopt;
    }

    void add_units() {
        const auto paths = unit_paths(host_);
        if (!paths) {
            result_.units = gap_from(paths.error());
            return;
        }
        for (const std::string& path : *paths) {
            const auto text = host_.read(path + "/cgroup.procs");
            if (!text) continue;
            const auto pids = words(*text);
            for (std::size_t i = 0; i < std::min(pids.size(), kMostProcesses); ++i) {
                const auto pid = parse_counter(pids[i]);
                if (!pid || *pid == 0 || seen_.contains(*pid)) continue;
                add(*pid, host_.read(fmt::format("/proc/{}/status", *pid)), {});
            }
        }
    }

    // In the order of pids.
    void name_all() {
        std::map<std::string, int> count, next;
        const auto base = [](const Service& service) {
            return service.program + (service.instance.empty() ? "" : "." + service.instance);
        };
        for (const Service& service : result_.found) ++count[base(service)];
        for (Service& service : result_.found) {
            std::string id = base(service);
            if (count[id] > 1) id = fmt::format("{}#{}", id, next[id]++);
            service.entity = {Kind::service, std::move(id)};
        }
    }

    void add_declared(const System& system) {
        if (system.probe.empty()) return;
        const auto runs = [&](const Service& service) { return service.system == &system && service.pid != 0; };
        const auto settings = read_settings(host_, std::string(system.probe));
        if (!settings && (settings.error().code == Errc::not_found || settings.error().code == Errc::not_collected)) {
            return;
        }
        bool any = std::any_of(result_.found.begin(), result_.found.end(), runs);
        if (settings && !system.declared_program.empty()) {
            for (const Setting& setting : *settings) {
                const auto index = index_of(setting.at);
                if (!index) continue;
                any = true;
                declare(system, system.declared_program, *index);
            }
        }
        if (!any) declare(system, {}, {});
    }

    void declare(const System& system, std::string_view program, std::string_view instance) {
        Service service;
        service.system = &system;
        service.program = std::string(program);
        service.instance = std::string(instance);
        service.entity = {Kind::service,
                          program.empty() ? std::string(system.name) : fmt::format("{}.{}", program, instance)};
        service.status = fail(Errc::not_supported, "it does not run, as far as was looked");
        const bool known = std::any_of(result_.found.begin(), result_.found.end(),
                                       [&](const Service& other) { return other.entity == service.entity; });
        if (!known) result_.found.push_back(std::move(service));
    }

    const Host& host_;
    Services result_;
    std::set<std::int64_t> seen_;
};

}  // namespace

std::span<const System> systems() { return kSystems; }

const System* system_of(std::string_view program) {
    const auto found = std::find_if(kSystems.begin(), kSystems.end(),
                                    [program](const System& system) { return is_program(system, program); });
    return found == kSystems.end() ? nullptr : &*found;
}

Services services(const Host& host) { return Finder(host).find(); }

std::vector<Service> services_of(const Host& host, std::string_view system) {
    std::vector<Service> found = services(host).found;
    std::erase_if(found, [system](const Service& service) { return service.system->name != system; });
    return found;
}

// "0::/system.slice/system-ceph\x2dosd.slice/ceph-osd@3.service/container": the last unit on the way, of the first hierarchy that has one.
Result<std::string> unit_in_cgroup(std::string_view text) {
    bool any = false;
    for (const std::string_view line : lines(text)) {
        any = any || std::count(line.begin(), line.end(), ':') >= 2;
        const auto parts = split(line, '/');
        for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
            const bool unit = part->ends_with(".service") && !part->starts_with("user@");
            const auto label = unit ? as_label(*part) : Result<Value>(std::string());
            if (unit && label) return std::get<std::string>(*label);
        }
    }
    if (!any) return fail(Errc::bad_input, "no control group");
    return std::string();
}

}  // namespace rd::collectors
