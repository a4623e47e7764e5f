// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/paths.h"

#include "core/base/text.h"

namespace rd::ingest {
namespace {

constexpr std::string_view kDevices = "/sys/devices/";
constexpr std::string_view kPci = "/sys/bus/pci/devices/";
constexpr std::string_view kNet = "/sys/class/net/";
constexpr std::string_view kInfiniband = "/sys/class/infiniband/";

std::string joined(const std::vector<std::string_view>& parts, std::size_t from, std::size_t to) {
    std::string out;
    for (std::size_t i = from; i < to; ++i) out.append("/").append(parts[i]);
    return out;
}

// Index of the last PCI address among the first `end` parts; npos: none.
std::size_t last_address(const std::vector<std::string_view>& parts, std::size_t end) {
    for (std::size_t i = end; i-- > 0;) {
        if (is_pci_address(parts[i])) return i;
    }
    return std::string_view::npos;
}

}  // namespace

Canonical canonical_path(std::string_view path) {
    Canonical out{std::string(path), {}};
    const bool real = starts_with(path, kDevices), by_address = starts_with(path, kPci);
    if (!real && !by_address) return out;
    const auto parts = split(path.substr(1), '/');
    // The class folder nearest to the file: …/0000:41:00.0/infiniband/mlx5_0/ports/…
    for (std::size_t i = parts.size() - 1; i-- > 2;) {
        const bool net = parts[i] == "net", infiniband = parts[i] == "infiniband";
        if ((!net && !infiniband) || i + 1 >= parts.size() || parts[i + 1].empty()) continue;
        const std::string own = std::string(net ? kNet : kInfiniband) + std::string(parts[i + 1]);
        out.path = own + joined(parts, i + 2, parts.size());
        const std::size_t address = last_address(parts, i);
        if (real) out.links.emplace_back(own, joined(parts, 0, i + 2));
        if (address == std::string_view::npos) return out;
        const std::string place =
            real ? joined(parts, 0, i)
                 : "/sys/devices/pci" + std::string(parts[address].substr(0, 7)) + "/" + std::string(parts[address]);
        out.links.emplace_back(own + "/device", place);
        if (real)
            out.links.emplace_back(std::string(kPci) + std::string(parts[address]), joined(parts, 0, address + 1));
        return out;
    }
    const std::size_t address = last_address(parts, parts.size());
    if (!real || address == std::string_view::npos) return out;
    const std::string own = std::string(kPci) + std::string(parts[address]);
    out.path = own + joined(parts, address + 1, parts.size());
    out.links.emplace_back(own, joined(parts, 0, address + 1));
    return out;
}

std::optional<BelowDevice> below_device(std::string_view path) {
    for (const std::string_view root : {kNet, kInfiniband}) {
        if (!starts_with(path, root)) continue;
        const std::size_t name = path.find('/', root.size());
        if (name == std::string_view::npos) return std::nullopt;
        const std::string_view rest = path.substr(name);
        if (!starts_with(rest, "/device/") || rest.size() < 9) return std::nullopt;
        return BelowDevice{std::string(path.substr(0, name)) + "/device", std::string(rest.substr(7))};
    }
    return std::nullopt;
}

}  // namespace rd::ingest
