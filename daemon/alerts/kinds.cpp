// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/alerts/kinds.h"

#include <algorithm>
#include <array>

namespace rd::daemon {
namespace {

using enum EventKind::Effect;
constexpr auto kHigh = Severity::high;
constexpr std::string_view kDevice = "rdma-device", kFirmware = "adapter-firmware", kNvme = "nvme-controller";

constexpr std::string_view kPortTitle = "An RDMA port lost its link";
constexpr std::string_view kPortText =
    "Connections over this port stall, and fail when their retries have run out. Look at cable and module, at the port "
    "of the switch, and at the kernel log around this time.";
constexpr std::string_view kOffTitle = "The interface of an RDMA port was switched off";

// Administrative down comes with the loss of the carrier: what would be a fault is none then. Removals need no end: a device that
// somebody took away for good must not be an alert for ever, and one that is missed is told of by rules ([expect] devices).
constexpr auto kEvents = std::to_array<EventKind>({
    {"verbs", "PORT_ERR", "", "", raises, kLink, "verbs-port", kHigh, kPortTitle, kPortText},
    {"verbs", "PORT_ACTIVE", "", "", clears, kLink, "verbs-port"},
    {"port", "state", "from", "ACTIVE", raises, kLink, "port-state", kHigh, kPortTitle, kPortText},
    {"port", "state", "to", "ACTIVE", clears, kLink, "port-state"},
    {"link", "carrier-down", "", "", raises, kLink, "carrier", kHigh, kPortTitle, kPortText},
    {"link", "carrier-up", "", "", clears, kLink, "carrier"},
    {"link", "removed", "", "", clears, kLink, "carrier"},
    {"link", "admin-down", "", "", excuses, kLink, "admin", Severity::info, kOffTitle,
     "Somebody or something ran `ip link set … down`."},
    {"link", "admin-up", "", "", clears, kLink, "admin"},
    {"link", "removed", "", "", clears, kLink, "admin"},

    {"verbs", "DEVICE_FATAL", "", "", raises, kDevice, "fatal", Severity::critical,
     "An RDMA device reported a catastrophic error",
     "Every connection on it is lost, and programs have to open it anew. The kernel log around this time says why: a "
     "fault of the "
     "firmware, of PCIe, or a driver that was unloaded."},
    {"verbs", "context-opened", "", "", clears, kDevice, "fatal"},
    {"rdma-monitor", "REGISTER", "", "", clears, kDevice, "fatal"},
    {"uevent", "add", "subsystem", "infiniband", clears, kDevice, "fatal"},
    {"rdma-monitor", "UNREGISTER", "", "", raises, kDevice, "removed", Severity::medium, "An RDMA device was removed",
     "Its driver was unloaded or lost it. Programs that used it have no device any more.", std::chrono::hours(1)},
    {"uevent", "remove", "subsystem", "infiniband", raises, kDevice, "removed", Severity::medium,
     "An RDMA device was removed", "Its driver was unloaded or lost it. Programs that used it have no device any more.",
     std::chrono::hours(1)},
    {"rdma-monitor", "REGISTER", "", "", clears, kDevice, "removed"},
    {"uevent", "add", "subsystem", "infiniband", clears, kDevice, "removed"},

    {"devlink", "health", "state", "error", raises, kFirmware, "health", kHigh,
     "An adapter reports that it is not healthy",
     "A health reporter of the driver has found an error: `devlink health show` and `devlink health diagnose` tell "
     "more."},
    {"devlink", "health", "state", "healthy", clears, kFirmware, "health"},

    {"nvme", "remove", "subsystem", "nvme", raises, kNvme, "removed", Severity::medium,
     "An NVMe controller was removed",
     "It was disconnected, or the host gave it up after it could not be reached for long. Its disks are gone, unless "
     "there is another path.",
     std::chrono::hours(1)},
    {"nvme", "add", "subsystem", "nvme", clears, kNvme, "removed"},
    {"nvme", "connected", "", "", clears, kNvme, "removed"},
});

constexpr auto kRules = std::to_array<RuleKind>({
    {"bond-member-down", kLink},
    {"bond-member-link-lost", kLink},
    {"ib-link-downed", kLink},
    {"link-flap", kLink},
    {"mlx5-cmd-timeout", kFirmware},
    {"mlx5-health-compromised", kFirmware},
    {"nvme-keepalive-failed", kNvme},
    {"nvme-rdma-recovery-loop", kNvme},
    {"nvme-reconnect-exhaustion", kNvme},
    {"port-no-carrier", kLink},
});

}  // namespace

std::string_view name_of(Deed deed) {
    constexpr std::array<std::string_view, 3> kNames{"raise", "update", "clear"};
    return kNames.at(static_cast<std::size_t>(deed));
}

std::string_view name_of(Reason reason) {
    constexpr std::array<std::string_view, 8> kNames{"began",  "worse",    "on purpose",   "flapping",
                                                     "steady", "repeated", "acknowledged", "over"};
    return kNames.at(static_cast<std::size_t>(reason));
}

std::span<const EventKind> event_kinds() { return kEvents; }

bool applies(const EventKind& kind, const Happening& happening) {
    if (kind.source != happening.source || kind.name != happening.name) return false;
    if (kind.trouble == kLink && !happening.carries_rdma) return false;  // any other interface of the host
    return kind.detail.empty() || std::ranges::any_of(happening.details, [&](const auto& detail) {
               return detail.first == kind.detail && detail.second == kind.value;
           });
}

bool is_told_of(std::string_view source, std::string_view name) {
    return std::ranges::any_of(kEvents,
                               [&](const EventKind& kind) { return kind.source == source && kind.name == name; });
}

std::span<const RuleKind> rule_kinds() { return kRules; }

std::string_view trouble_of(std::string_view rule) {
    const auto* found = std::ranges::find(kRules, rule, &RuleKind::rule);
    return found == kRules.end() ? rule : found->trouble;
}

}  // namespace rd::daemon
