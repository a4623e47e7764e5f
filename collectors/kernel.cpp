// SPDX-License-Identifier: GPL-2.0-or-later
// The running kernel as far as RDMA depends on it: which modules are there and whose they are, what it was started with, and the
// services that change settings behind one's back. Modules come and go without a trace in what is watched, so all of this is looked at
// again every minute.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "collectors/common/files.h"
#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec flag(std::string_view name, std::string_view doc) {
    return {Kind::host, name, Type::boolean, Nature::config, "", doc};
}
constexpr FactSpec text_row(std::string_view name, std::string_view doc) {
    return {Kind::host, name, Type::text, Nature::config, "", doc};
}

constexpr FactSpec kFacts[] = {
    flag("module_ib_core", "Core of RDMA is there, loaded or built in: /sys/module, modules.builtin"),
    flag("module_ib_uverbs", "Verbs for programs (/dev/infiniband/uverbsN) are there"),
    flag("module_rdma_cm", "Connection manager is there"),
    flag("module_rdma_ucm", "Connection manager for programs (/dev/infiniband/rdma_cm) is there"),
    flag("module_mlx5_core", "Driver of ConnectX-4 and later is there"),
    flag("module_mlx5_ib", "RDMA of ConnectX-4 and later is there"),
    flag("module_bnxt_re", "RDMA of Broadcom NetXtreme is there"),
    flag("module_irdma", "RDMA of Intel E810 and X722 is there"),
    flag("module_rdma_rxe", "Soft-RoCE is there"),
    flag("module_siw", "Soft-iWARP is there"),
    flag("module_ib_ipoib", "IP over InfiniBand is there"),
    flag("module_nvme_rdma", "NVMe over RDMA, host side, is there"),
    flag("module_nvmet_rdma", "NVMe over RDMA, target side, is there"),
    flag("module_vfio_pci", "PCI functions can be given to guests: vfio_pci is there"),
    flag("module_nvidia", "Driver of NVIDIA GPUs is there"),
    flag("module_peermem",
         "Adapters can reach memory of NVIDIA GPUs by peer memory: nvidia_peermem or nv_peer_mem is there"),
    flag("peermem_registered",
         "nvidia_peermem is known to the core of a vendor's RDMA stack: /sys/kernel/mm/memory_peers; the kernel's own "
         "has none"),
    flag("nvidia_open", "The NVIDIA driver is the open one, which offers dma-buf: /proc/driver/nvidia/version"),
    text_row("rdma_stack",
             "Whose the loaded modules of RDMA are: inbox (the kernel's), out-of-tree (a vendor package's), or mixed: "
             "taint of ib_core, rdma_cm, ib_uverbs, mlx5_core, mlx5_ib"),
    text_row("modules_out_of_tree", "Loaded modules of RDMA from outside the kernel, or none: /sys/module/NAME/taint"),
    text_row("ofed_version",
             "Version of a vendor's mlx5_core; the kernel's own has none: /sys/module/mlx5_core/version"),
    text_row("ofed_package",
             "Vendor's package that is installed, be its modules loaded or not (MLNX_OFED_LINUX-24.10-3.2.5.0): "
             "/usr/bin/ofed_info"),
    flag("rxe_wanted", "Soft-RoCE is to be loaded at boot: /etc/modules, /etc/modules-load.d"),
    flag("rxe_packaged",
         "This kernel has rdma_rxe on disk: modules.dep; looked for only where it is wanted and not there"),
    flag("peermem_wanted", "nvidia_peermem is to be loaded at boot: /etc/modules, /etc/modules-load.d"),
    text_row("cmdline_flags",
             "What the kernel was started with that concerns DMA, CPUs and huge pages, or none: /proc/cmdline"),
    text_row("lockdown", "Kernel lockdown (none, integrity, confidentiality): /sys/kernel/security/lockdown"),
    flag("iommu", "An IOMMU is in use: /sys/class/iommu has an entry"),
    flag("irqbalance", "irqbalance moves interrupts: its unit runs"),
    text_row("irqbalance_options", "What it was told, or none: /etc/default/irqbalance, /etc/sysconfig/irqbalance"),
    flag("irqbalance_exempts",
         "It was told to leave some interrupts or CPUs alone: --banirq, --banmod, --policyscript, BANNED"),
    flag("tuned", "tuned sets CPU and network options: its unit runs"),
    flag("iwpmd", "Port mapper of iWARP: its unit runs"),
};

const Entity kHost{Kind::host, ""};
constexpr std::string_view kModules = "/sys/module";

const FactSpec& host_row(std::string_view name) {
    return *std::find_if(std::begin(kFacts), std::end(kFacts),
                         [name](const FactSpec& spec) { return spec.name == name; });
}

// Module names, and the rows that say whether they are there.
constexpr std::array<std::string_view, 15> kFound{"ib_core",  "ib_uverbs", "rdma_cm",    "rdma_ucm", "mlx5_core",
                                                  "mlx5_ib",  "bnxt_re",   "irdma",      "rdma_rxe", "siw",
                                                  "ib_ipoib", "nvme_rdma", "nvmet_rdma", "vfio_pci", "nvidia"};
// Drivers of other vendors come from packages too, on top of the kernel's own core, and that is as it should be.
constexpr std::array<std::string_view, 5> kStack{"ib_core", "rdma_cm", "ib_uverbs", "mlx5_core", "mlx5_ib"};
constexpr std::array<std::string_view, 2> kPeermem{"nvidia_peermem", "nv_peer_mem"};

struct Modules {
    Result<std::set<std::string, std::less<>>> loaded;  // built-in ones with a folder included
    std::string builtin;                                // text of modules.builtin, empty where it cannot be read
    const Host* host = nullptr;

    [[nodiscard]] Result<bool> has(std::string_view name) const {
        if (!loaded) return has_unlisted(name);
        return loaded->contains(name) || builtin.find(fmt::format("/{}.ko", name)) != std::string::npos;
    }

private:
    // A source without the listing may know single modules all the same.
    [[nodiscard]] Result<bool> has_unlisted(std::string_view name) const {
        if (loaded.error().code == Errc::not_collected) {
            const auto count = host->read(fmt::format("{}/{}/refcnt", kModules, name));
            if (count) return true;
            if (count.error().code == Errc::not_found) return false;
        }
        return tl::unexpected<Error>(loaded.error());
    }
};

std::string release_folder(const Host& host) { return "/lib/modules/" + host.identity().kernel; }

Modules modules_of(const Host& host) {
    Modules modules{std::set<std::string, std::less<>>{}, {}, &host};
    const auto names = host.list(kModules);
    if (!names) {
        modules.loaded = tl::unexpected<Error>(names.error());
        return modules;
    }
    modules.loaded->insert(names->begin(), names->end());
    if (!host.identity().kernel.empty()) {
        modules.builtin = host.read(release_folder(host) + "/modules.builtin").value_or(std::string());
    }
    return modules;
}

Result<Value> any_of(const Modules& modules, std::span<const std::string_view> names) {
    std::optional<Error> unknown;
    for (const std::string_view name : names) {
        const auto there = modules.has(name);
        if (there && *there) return Value(true);
        if (!there && !unknown) unknown = there.error();
    }
    if (unknown) return tl::unexpected<Error>(*unknown);
    return Value(false);
}

void plan_stack(const Host& host, const Modules& modules, Plan& plan) {
    const FactSpec &stack = host_row("rdma_stack"), &list = host_row("modules_out_of_tree");
    const auto both = [&](const Error& error) {
        plan.gap(kHost, stack, gap_from(error));
        plan.gap(kHost, list, gap_from(error));
    };
    if (!modules.loaded) return both(modules.loaded.error());
    std::string foreign;
    std::size_t own = 0, others = 0;
    for (const std::string_view name : kStack) {
        if (!modules.loaded->contains(name)) continue;
        const auto taint = read_word(host, fmt::format("{}/{}/taint", kModules, name));
        const bool built_in = !taint && taint.error().code == Errc::not_found;
        if (!taint && !built_in) return both(taint.error());
        if (built_in || taint->find('O') == std::string::npos) {
            ++own;
            continue;
        }
        ++others;
        foreign += fmt::format("{}{}", foreign.empty() ? "" : " ", name);
    }
    plan.put(kHost, list, foreign.empty() ? std::string("none") : foreign);
    if (own + others == 0)
        return plan.gap(kHost, stack, not_offered(fmt::format("{}: no module of RDMA is loaded", kModules)));
    plan.put(kHost, stack, std::string(others == 0 ? "inbox" : own == 0 ? "out-of-tree" : "mixed"));
}

// Names in the files that say what is to be loaded at boot, with '_' for '-' as the kernel has it.
Result<std::set<std::string>> wanted_modules(const Host& host) {
    constexpr std::string_view kFolder = "/etc/modules-load.d";
    std::set<std::string> wanted;
    std::vector<std::string> files{"/etc/modules"};
    const auto names = host.list(kFolder);
    if (!names && names.error().code != Errc::not_found) return tl::unexpected<Error>(names.error());
    for (const std::string& name : names.value_or(std::vector<std::string>{})) {
        if (name.ends_with(".conf")) files.push_back(fmt::format("{}/{}", kFolder, name));
    }
    for (const std::string& file : files) {
        const auto text = host.read(file);
        if (!text && (text.error().code == Errc::not_found || text.error().code == Errc::not_collected)) continue;
        if (!text) return tl::unexpected<Error>(text.error());
        for (const std::string_view line : lines(*text)) {
            const auto parts = words(line);
            if (parts.empty() || parts.front().front() == '#' || parts.front().front() == ';') continue;
            std::string module(parts.front());
            std::replace(module.begin(), module.end(), '-', '_');
            wanted.insert(std::move(module));
        }
    }
    return wanted;
}

void plan_wanted(const Host& host, const Modules& modules, Plan& plan) {
    const auto wanted = wanted_modules(host);
    const auto names_one = [&](std::span<const std::string_view> names) -> Result<Value> {
        if (!wanted) return tl::unexpected<Error>(wanted.error());
        return Value(std::any_of(names.begin(), names.end(),
                                 [&](std::string_view name) { return wanted->contains(std::string(name)); }));
    };
    constexpr std::array<std::string_view, 1> kRxe{"rdma_rxe"};
    const auto rxe = names_one(kRxe);
    plan.set(kHost, host_row("rxe_wanted"), rxe);
    plan.set(kHost, host_row("peermem_wanted"), names_one(kPeermem));
    const FactSpec& packaged = host_row("rxe_packaged");
    if (rxe != Value(true) || modules.has("rdma_rxe").value_or(true)) {
        return plan.gap(kHost, packaged, not_collected("soft-RoCE is not wanted, or there: not looked for on disk"));
    }
    const std::string path = release_folder(host) + "/modules.dep";
    plan.set(kHost, packaged, host.read(path).map([](const std::string& text) {
        return Value(text.find("/rdma_rxe.ko") != std::string::npos);
    }));
}

Result<Value> flags_of(std::string_view cmdline) {
    constexpr std::array<std::string_view, 17> kInteresting{
        "iommu",       "intel_iommu", "amd_iommu",   "pci",       "isolcpus",   "nohz_full",          "rcu_nocbs",
        "irqaffinity", "idle",        "mitigations", "hugepages", "hugepagesz", "default_hugepagesz", "numa_balancing",
        "cma",         "nosmt",       "nosmp"};
    constexpr std::array<std::string_view, 6> kPrefixes{"iommu.",       "processor.", "intel_idle.",
                                                        "intel_pstate", "amd_pstate", "transparent_hugepage"};
    std::string flags;
    for (const std::string_view word : words(cmdline)) {
        const std::string_view key = word.substr(0, word.find('='));
        const bool wanted = std::find(kInteresting.begin(), kInteresting.end(), key) != kInteresting.end() ||
                            std::any_of(kPrefixes.begin(), kPrefixes.end(),
                                        [&](std::string_view prefix) { return key.starts_with(prefix); });
        if (wanted) flags += fmt::format("{}{}", flags.empty() ? "" : " ", printable(word, 200));
    }
    return Value(flags.empty() ? std::string("none") : flags);
}

// Lines that set something, without comments: 'IRQBALANCE_ARGS="--banmod=mlx5_core"'.
Result<std::string> irqbalance_options(const Host& host) {
    auto text = host.read("/etc/default/irqbalance");
    if (!text && text.error().code == Errc::not_found) text = host.read("/etc/sysconfig/irqbalance");
    if (!text && text.error().code == Errc::not_found) return std::string();
    if (!text) return tl::unexpected<Error>(text.error());
    std::string options;
    for (const std::string_view line : lines(*text)) {
        const std::string_view setting = trim(line);
        const std::size_t equals = setting.find('=');
        if (setting.empty() || setting.front() == '#' || equals == std::string_view::npos) continue;
        const std::string_view value = trim(setting.substr(equals + 1));
        if (value.empty() || value == "\"\"") continue;
        options += fmt::format("{}{}", options.empty() ? "" : " ", printable(setting, 200));
    }
    return options;
}

void plan_services(const Host& host, Plan& plan) {
    for (const std::string_view name : {"irqbalance", "tuned", "iwpmd"}) {
        plan.set(kHost, host_row(name),
                 unit_runs(host, fmt::format("{}.service", name)).map([](bool runs) { return Value(runs); }));
    }
    const auto options = irqbalance_options(host);
    plan.set(kHost, host_row("irqbalance_options"),
             options.map([](const std::string& text) { return Value(text.empty() ? std::string("none") : text); }));
    plan.set(kHost, host_row("irqbalance_exempts"), options.map([](const std::string& text) {
        constexpr std::array<std::string_view, 4> kBans{"banirq", "banmod", "policyscript", "BANNED_"};
        return Value(std::any_of(kBans.begin(), kBans.end(),
                                 [&](std::string_view ban) { return text.find(ban) != std::string::npos; }));
    }));
}

// Only the core of a vendor's stack has the folder, and only with a client in it.
Result<Value> peermem_registered(const Host& host) {
    constexpr std::string_view kPeers = "/sys/kernel/mm/memory_peers";
    const auto clients = host.list(kPeers);
    if (!clients && clients.error().code == Errc::not_found) return Value(false);
    if (!clients) return tl::unexpected<Error>(clients.error());
    std::optional<Error> doubt;
    for (const std::string& name : *clients) {
        if (!name.starts_with("nv_mem") && !name.starts_with("nvidia")) continue;
        const std::string path = fmt::format("{}/{}/version", kPeers, name);
        const auto version = host.read(path);
        if (version) return Value(true);
        if (version.error().code != Errc::not_found) doubt = version.error();
    }
    if (doubt) return tl::unexpected<Error>(*doubt);
    return Value(false);
}

Result<Value> iommu_in_use(const Host& host) {
    return list_subsystem(host, "/sys/class/iommu", "/sys/class").map([](const auto& names) {
        return Value(!names.empty());
    });
}

// The script has the name of the package in it.
Result<Value> package_in(std::string_view text) {
    constexpr std::array<std::string_view, 3> kNames{"MLNX_OFED_LINUX-", "OFED-internal-", "MLNX_EN-"};
    for (const std::string_view name : kNames) {
        const std::size_t at = text.find(name);
        if (at == std::string_view::npos || at + name.size() >= text.size()) continue;
        const std::string_view rest = text.substr(at);
        const std::size_t end = rest.find_first_not_of("0123456789.-", name.size());
        if (end == name.size()) continue;
        return as_label(rest.substr(0, end));
    }
    return fail(Errc::not_supported, "/usr/bin/ofed_info: names no package");
}

void discover(const Host& host, Plan& plan) {
    const Modules modules = modules_of(host);
    for (const std::string_view name : kFound) {
        plan.set(kHost, host_row(fmt::format("module_{}", name)),
                 modules.has(name).map([](bool there) { return Value(there); }));
    }
    plan.set(kHost, host_row("module_peermem"), any_of(modules, kPeermem));
    plan_stack(host, modules, plan);
    plan_wanted(host, modules, plan);
    plan.set(kHost, host_row("ofed_version"), read_value(host, "/sys/module/mlx5_core/version", as_label));
    plan.set(kHost, host_row("ofed_package"),
             host.read("/usr/bin/ofed_info").and_then([](const std::string& text) { return package_in(text); }));
    plan.set(kHost, host_row("peermem_registered"), peermem_registered(host));
    plan.set(kHost, host_row("nvidia_open"), host.read("/proc/driver/nvidia/version").map([](const std::string& text) {
        return Value(text.find("Open Kernel Module") != std::string::npos);
    }));
    plan.set(kHost, host_row("cmdline_flags"),
             host.read("/proc/cmdline").and_then([](const std::string& text) { return flags_of(text); }));
    plan.set(kHost, host_row("lockdown"), read_value(host, "/sys/kernel/security/lockdown", as_choice));
    plan.set(kHost, host_row("iommu"), iommu_in_use(host));
    plan_services(host, plan);
}

}  // namespace

extern const Collector kernel;
constinit const Collector kernel{"kernel", kFacts, {}, Seconds(60), Rediscover::always, discover};

}  // namespace rd::collectors
