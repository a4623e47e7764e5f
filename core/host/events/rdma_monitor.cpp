// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/rdma_monitor.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "core/host/events/link.h"
#include "core/host/identity.h"
#include "core/host/rdma.h"

namespace rd::events {
namespace {

constexpr std::string_view kObject = "RDMA netlink: monitor";
constexpr int kProtocol = 20;              // NETLINK_RDMA
constexpr std::uint32_t kNotifyGroup = 4;  // RDMA_NL_GROUP_NOTIFY

// enum rdma_nl_notify_event_type
constexpr std::array<std::string_view, 6> kEvents{"REGISTER",      "UNREGISTER", "NETDEV_ATTACH",
                                                  "NETDEV_DETACH", "RENAME",     "NETDEV_RENAME"};

Result<HostEvent> decode(Bytes attributes) {
    std::string device, port, netdev;
    std::optional<std::uint8_t> type;
    HostEvent event;
    Attributes in(attributes);
    while (in.next()) {
        switch (in.type()) {
            case nldev::kDevIndex:
                event.details.emplace_back("index", std::to_string(in.number<std::uint32_t>()));
                break;
            case nldev::kDevName:
                device = in.text();
                break;
            case nldev::kPortIndex:
                port = std::to_string(in.number<std::uint32_t>());
                break;
            case nldev::kNdevIndex:
                event.details.emplace_back("ifindex", std::to_string(in.number<std::uint32_t>()));
                break;
            case nldev::kNdevName:
                event.details.emplace_back("netdev", in.text());
                break;
            case nldev::kEventType:
                type = in.number<std::uint8_t>();
                break;
            default:
                break;
        }
    }
    if (auto sound = in.sound(kObject); !sound) return tl::unexpected(std::move(sound.error()));
    if (!type) return fail(Errc::bad_input, std::string(kObject) + ": a message without the type of its event");
    event.name = *type < kEvents.size() ? std::string(kEvents[*type]) : fmt::format("unclassified {}", *type);
    event.subject = port.empty() ? device : device + "/" + port;
    return event;
}

}  // namespace

Result<> RdmaMonitorDecoder::take(Bytes datagram, Events& out) {
    return for_each_message(datagram, [&](const Message& message) -> Result<> {
        if (message.type != nldev::message_type(nldev::kMonitor)) return {};
        auto event = decode(message.payload);
        if (!event) return tl::unexpected(std::move(event.error()));
        out.push_back(std::move(*event));
        return {};
    });
}

}  // namespace rd::events

namespace rd {

EventSourceResult rdma_monitor_events() {
    // Joining the group succeeds on kernels that never send to it (for an administrator, before 6.12). Only this tells.
    const auto system = RdmaReader(RdmaPart::system, {}, 0, std::string(events::kObject)).read();
    if (!system) return tl::unexpected(system.error());
    const auto record = parse_record(*system);
    if (!record) return tl::unexpected(record.error());
    if (record->get("monitor") != "1") {
        return fail(Errc::not_supported, std::string(events::kObject) + ": this kernel has none (Linux 6.12 does)");
    }
    auto inbox = events::netlink_inbox(events::kProtocol, {events::kNotifyGroup}, events::kObject);
    if (!inbox) return tl::unexpected(std::move(inbox.error()));
    return events::inbox_source(
        {"rdma-monitor", std::move(*inbox), std::make_unique<events::RdmaMonitorDecoder>(), current_stamp});
}

}  // namespace rd
