// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/uevent.h"

#include <linux/netlink.h>

#include <array>
#include <string_view>

#include "core/base/text.h"
#include "core/host/identity.h"

namespace rd::events {
namespace {

constexpr std::uint32_t kKernelGroup = 1;  // 2 is what udev says of the same, later

struct Kept {
    std::string_view property;
    std::string_view detail;
};
constexpr Kept kKept[] = {
    {"SUBSYSTEM", "subsystem"},        {"DEVNAME", "node"},
    {"INTERFACE", "netdev"},           {"IFINDEX", "ifindex"},
    {"DEVPATH_OLD", "path_old"},       {"DRIVER", "driver"},
    {"NVME_EVENT", "event"},           {"NVME_AEN", "aen"},
    {"NVME_TRTYPE", "trtype"},         {"NVME_TRADDR", "traddr"},
    {"NVME_TRSVCID", "trsvcid"},       {"NVME_HOST_TRADDR", "host_traddr"},
    {"NVME_HOST_IFACE", "host_iface"},
};
constexpr std::array<std::string_view, 3> kRdma{"infiniband", "infiniband_verbs", "net"};
constexpr std::array<std::string_view, 3> kNvme{"nvme", "nvme-fabrics", "nvme-subsystem"};

template <std::size_t N>
bool one_of(const std::array<std::string_view, N>& all, std::string_view text) {
    for (const std::string_view each : all) {
        if (each == text) return true;
    }
    return false;
}

std::string_view last_part(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// What of an NVMe controller has changed stands in a property; the action is always "change".
std::string nvme_name(const Uevent& uevent) {
    if (uevent.action != "change") return uevent.action;
    if (std::string event = uevent.property("NVME_EVENT"); !event.empty()) return event;
    return uevent.property("NVME_AEN").empty() ? uevent.action : "aen";
}

}  // namespace

std::string Uevent::property(std::string_view key) const {
    const auto found = properties.find(key);
    return found == properties.end() ? std::string() : found->second;
}

std::optional<Uevent> decode_uevent(Bytes message) {
    const std::string_view text(reinterpret_cast<const char*>(message.data()), message.size());
    const std::string_view head = text.substr(0, text.find('\0'));
    const std::size_t at = head.find('@');
    if (at == std::string_view::npos || at == 0) return std::nullopt;
    Uevent uevent;
    uevent.action = head.substr(0, at);
    uevent.device = last_part(head.substr(at + 1));
    for (const std::string_view line : split(text.substr(head.size()), '\0')) {
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos) continue;
        uevent.properties.emplace(line.substr(0, equals), line.substr(equals + 1));
    }
    return uevent;
}

Result<> UeventDecoder::take(Bytes message, Events& out) {
    const auto uevent = decode_uevent(message);
    if (!uevent) return {};
    const std::string subsystem = uevent->property("SUBSYSTEM");
    const bool nvme = one_of(kNvme, subsystem);
    if (!nvme && !one_of(kRdma, subsystem)) return {};
    HostEvent event;
    if (nvme) event.source = "nvme";
    event.name = nvme ? nvme_name(*uevent) : uevent->action;
    event.subject = uevent->device;
    for (const Kept& kept : kKept) {
        if (std::string value = uevent->property(kept.property); !value.empty()) {
            event.details.emplace_back(kept.detail, std::move(value));
        }
    }
    out.push_back(std::move(event));
    return {};
}

Result<std::unique_ptr<Inbox>> uevent_inbox() {
    return netlink_inbox(NETLINK_KOBJECT_UEVENT, {kKernelGroup}, "kobject uevents");
}

}  // namespace rd::events

namespace rd {

EventSourceResult uevents() {
    auto inbox = events::uevent_inbox();
    if (!inbox) return tl::unexpected(std::move(inbox.error()));
    return events::inbox_source(
        {"uevent", std::move(*inbox), std::make_unique<events::UeventDecoder>(), current_stamp});
}

}  // namespace rd
