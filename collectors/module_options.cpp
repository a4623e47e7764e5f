// SPDX-License-Identifier: GPL-2.0-or-later
// Options of RDMA modules that are written down for the next load and are not in force: a module in an initramfs that was not rebuilt, a
// parameter that this version of the module does not have, or a value that was changed since.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "collectors/common/files.h"
#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::host, "module_options_ignored", Type::text, Nature::config, "",
     "Options of loaded RDMA modules in /etc/modprobe.d that are not in force (mlx5_core.prof_sel=3, is 2), or none: "
     "/sys/module/NAME/parameters"},
};

constexpr const FactSpec& kIgnored = row(kFacts, Kind::host, "module_options_ignored");
constexpr std::string_view kFolder = "/etc/modprobe.d";
// Modules whose parameters are all shown in /sys/module: of others an absent file says nothing.
constexpr std::array<std::string_view, 15> kModules{"ib_core",   "ib_ipoib",   "ib_uverbs", "irdma",    "ko2iblnd",
                                                    "mlx4_core", "mlx4_ib",    "mlx5_core", "mlx5_ib",  "nvme_core",
                                                    "nvme_rdma", "nvmet_rdma", "rdma_cm",   "rdma_rxe", "siw"};

// "mlx5_core.prof_sel" → value. The last one counts, as for the kernel.
using Options = std::map<std::string, std::string, std::less<>>;

void collect(std::string_view text, Options& options) {
    for (const std::string_view line : lines(text)) {
        const auto parts = words(line);
        if (parts.size() < 3 || parts[0] != "options") continue;
        std::string module(parts[1]);
        std::replace(module.begin(), module.end(), '-', '_');
        if (std::find(kModules.begin(), kModules.end(), module) == kModules.end()) continue;
        for (std::size_t i = 2; i < parts.size(); ++i) {
            const std::size_t equals = parts[i].find('=');
            if (equals == std::string_view::npos) continue;  // a switch without a value
            options[fmt::format("{}.{}", module, parts[i].substr(0, equals))] =
                std::string(parts[i].substr(equals + 1));
        }
    }
}

Result<Options> written_down(const Host& host) {
    Options options;
    const auto names = host.list(kFolder);
    if (!names && names.error().code == Errc::not_found) return options;
    if (!names) return tl::unexpected<Error>(names.error());
    for (const std::string& name : *names) {
        if (!name.ends_with(".conf")) continue;
        const auto text = host.read(fmt::format("{}/{}", kFolder, name));
        if (!text && text.error().code == Errc::not_found) continue;
        if (!text) return tl::unexpected<Error>(text.error());
        collect(*text, options);
    }
    return options;
}

// Switches are shown as Y and N however they were written, numbers in decimal.
std::string plain(std::string_view value) {
    const std::string_view text = trim(value);
    for (const std::string_view on : {"1", "y", "Y", "on", "true"}) {
        if (text == on) return "Y";
    }
    for (const std::string_view off : {"0", "n", "N", "off", "false"}) {
        if (text == off) return "N";
    }
    if (text.starts_with("0x")) {
        const auto number = parse_hex(text);
        if (number) return fmt::format("{}", *number);
    }
    if (text.size() > 1 && text.front() == '"' && text.back() == '"')
        return std::string(text.substr(1, text.size() - 2));
    return std::string(text);
}

// What is not in force of one option, empty when it is.
Result<std::string> difference(const Host& host, const std::string& option, const std::string& wanted,
                               std::string_view cmdline) {
    const std::size_t dot = option.find('.');
    const std::string module = option.substr(0, dot), parameter = option.substr(dot + 1);
    if (cmdline.find(option + "=") != std::string_view::npos) return std::string();  // said otherwise at boot
    const std::string folder = fmt::format("/sys/module/{}", module);
    const auto loaded = host.list(folder);
    if (!loaded && loaded.error().code == Errc::not_found) return std::string();
    if (!loaded) return tl::unexpected<Error>(loaded.error());
    const auto value = read_word(host, fmt::format("{}/parameters/{}", folder, parameter));
    const std::string text = printable(fmt::format("{}={}", option, wanted), 80);
    if (!value && value.error().code == Errc::not_found) return text + ", no such parameter";
    if (!value) return tl::unexpected<Error>(value.error());
    if (plain(*value) == plain(wanted)) return std::string();
    return fmt::format("{}, is {}", text, printable(*value, 40));
}

Result<Value> ignored(const Host& host) {
    const auto options = written_down(host);
    if (!options) return tl::unexpected<Error>(options.error());
    const std::string cmdline = host.read("/proc/cmdline").value_or(std::string());
    std::string list;
    for (const auto& [option, wanted] : *options) {
        const auto one = difference(host, option, wanted, cmdline);
        if (!one) return tl::unexpected<Error>(one.error());
        if (!one->empty()) list += fmt::format("{}{}", list.empty() ? "" : "; ", *one);
    }
    return Value(list.empty() ? std::string("none") : list);
}

void discover(const Host& host, Plan& plan) { plan.set({Kind::host, ""}, kIgnored, ignored(host)); }

}  // namespace

extern const Collector module_options;
constinit const Collector module_options{"module_options", kFacts, {}, Seconds(60), Rediscover::always, discover};

}  // namespace rd::collectors
