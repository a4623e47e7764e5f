// SPDX-License-Identifier: GPL-2.0-or-later
// Whether the verbs library of this host or container has the user-space driver of each RDMA device: without it a program sees no device,
// although the kernel has one. Looked for where distributions install them; what lies in an image's own prefix is not seen.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::host, "providers", Type::text, Nature::config, "",
     "User-space drivers of verbs that are installed, or none: /usr/lib64/libibverbs, "
     "/usr/lib/ARCH-linux-gnu/libibverbs"},
    {Kind::device, "provider_installed", Type::boolean, Nature::config, "",
     "The user-space driver of this device is among them (libmlx5-rdmav34.so); a gap where no verbs library is "
     "installed"},
};

constexpr const FactSpec& kProviders = row(kFacts, Kind::host, "providers");
constexpr const FactSpec& kInstalled = row(kFacts, Kind::device, "provider_installed");

constexpr std::array<std::string_view, 4> kFolders{"/usr/lib64/libibverbs", "/usr/lib/x86_64-linux-gnu/libibverbs",
                                                   "/usr/lib/aarch64-linux-gnu/libibverbs", "/usr/lib/libibverbs"};

// Kernel driver of the PCI function or device, and what rdma-core calls the user-space half.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kNames{{{"mlx5_core", "mlx5"},
                                                                                {"mlx4_core", "mlx4"},
                                                                                {"bnxt_en", "bnxt_re"},
                                                                                {"ice", "irdma"},
                                                                                {"i40e", "irdma"},
                                                                                {"efa", "efa"},
                                                                                {"hns3", "hns"},
                                                                                {"cxgb4", "cxgb4"},
                                                                                {"erdma", "erdma"},
                                                                                {"mana", "mana"},
                                                                                {"qede", "qedr"},
                                                                                {"vmw_pvrdma", "vmw_pvrdma"},
                                                                                {"hfi1", "hfi1verbs"},
                                                                                {"ionic", "ionic"}}};

// "libmlx5-rdmav34.so" → "mlx5"
std::string provider_of(std::string_view file) {
    const std::size_t dash = file.rfind("-rdmav");
    if (!file.starts_with("lib") || dash == std::string_view::npos) return {};
    return std::string(file.substr(3, dash - 3));
}

Result<std::set<std::string>> installed_on(const Host& host) {
    std::set<std::string> found;
    bool any = false;
    Error last{Errc::not_supported, "no verbs library where distributions install one", {}};
    for (const std::string_view folder : kFolders) {
        const auto files = host.list(folder);
        if (!files && files.error().code != Errc::not_found) last = files.error();
        if (!files) continue;
        any = true;
        for (const std::string& file : *files) {
            if (std::string name = provider_of(file); !name.empty()) found.insert(std::move(name));
        }
    }
    if (!any) return tl::unexpected<Error>(last);
    return found;
}

Result<std::string_view> name_of(const Host& host, const RdmaDevice& device) {
    if (!device.soft) return tl::unexpected<Error>(device.soft.error());
    if (*device.soft) {
        // rxe has the file `parent`, siw has not.
        return host.read(device.path + "/parent") ? std::string_view("rxe") : std::string_view("siw");
    }
    const std::string path = device.path + "/device/driver";
    const auto driver = host.link(path);
    if (!driver) return tl::unexpected<Error>(driver.error());
    const std::string_view base = std::string_view(*driver).substr(driver->rfind('/') + 1);
    const auto* known =
        std::find_if(kNames.begin(), kNames.end(), [&](const auto& pair) { return pair.first == base; });
    if (known == kNames.end())
        return fail(Errc::not_supported, fmt::format("{}: {}: its user-space half is not known", path, base));
    return known->second;
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    const auto installed = installed_on(host);
    plan.set({Kind::host, ""}, kProviders, installed.map([](const std::set<std::string>& names) {
        return Value(names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, " ")));
    }));
    const auto devices = rdma_devices(host);
    if (!devices) return plan.kind_gap(Kind::device, gap_from(devices.error()));
    for (const RdmaDevice& device : *devices) {
        const auto name = name_of(host, device);
        plan.set(device.entity, kInstalled,
                 !installed
                     ? Result<Value>(tl::unexpected<Error>(installed.error()))
                     : name.map([&](std::string_view one) { return Value(installed->contains(std::string(one))); }));
    }
}

}  // namespace

extern const Collector providers;
constinit const Collector providers{"providers", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
