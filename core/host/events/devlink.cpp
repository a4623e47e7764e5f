// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/devlink.h"

#include <fmt/format.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>

#include <cerrno>
#include <span>
#include <string>

#include "core/host/events/link.h"
#include "core/host/identity.h"
#include "core/host/socket.h"

namespace rd::events {
namespace {

constexpr std::string_view kObject = "devlink";
// enum devlink_health_reporter_state, which is not in the kernel's public headers
constexpr std::uint8_t kHealthy = 0, kError = 1;

std::string state_name(std::uint8_t state) {
    switch (state) {
        case kHealthy:
            return "healthy";
        case kError:
            return "error";
        default:
            return std::to_string(state);
    }
}

void decode_reporter(Attributes& attribute, std::string& name, HostEvent& event) {
    Attributes in = attribute.nested();
    while (in.next()) {
        switch (in.type()) {
            case DEVLINK_ATTR_HEALTH_REPORTER_NAME:
                name = in.text();
                break;
            case DEVLINK_ATTR_HEALTH_REPORTER_STATE:
                event.details.emplace_back("state", state_name(in.number<std::uint8_t>()));
                break;
            case DEVLINK_ATTR_HEALTH_REPORTER_ERR_COUNT:
                event.details.emplace_back("errors", std::to_string(in.number<std::uint64_t>()));
                break;
            case DEVLINK_ATTR_HEALTH_REPORTER_RECOVER_COUNT:
                event.details.emplace_back("recoveries", std::to_string(in.number<std::uint64_t>()));
                break;
            default:
                break;
        }
    }
    attribute.absorb(in);
}

Result<HostEvent> decode_health(Bytes attributes) {
    std::string bus, device, port, reporter;
    HostEvent event;
    event.name = "health";
    Attributes in(attributes);
    while (in.next()) {
        switch (in.type()) {
            case DEVLINK_ATTR_BUS_NAME:
                bus = in.text();
                break;
            case DEVLINK_ATTR_DEV_NAME:
                device = in.text();
                break;
            case DEVLINK_ATTR_PORT_INDEX:
                port = fmt::format("/{}", in.number<std::uint32_t>());
                break;
            case DEVLINK_ATTR_HEALTH_REPORTER:
                decode_reporter(in, reporter, event);
                break;
            default:
                break;
        }
    }
    if (auto sound = in.sound(kObject); !sound) return tl::unexpected(std::move(sound.error()));
    event.subject = fmt::format("{}/{}{} {}", bus, device, port, reporter);  // as the devlink program writes it
    return event;
}

Result<GenericGroup> find_group() {
    genlmsghdr head{};
    head.cmd = CTRL_CMD_GETFAMILY;
    head.version = 1;
    Request request(GENL_ID_CTRL, 0);
    request.fixed(std::as_bytes(std::span(&head, 1)));
    request.text(CTRL_ATTR_FAMILY_NAME, DEVLINK_GENL_NAME);
    Replies replies;
    if (auto answer = Netlink::of_this_thread(NETLINK_GENERIC).ask(request, replies); !answer) {
        if (answer.error().errnum == ENOENT) {
            return fail(Errc::not_supported, std::string(kObject) + ": this kernel has no devlink");
        }
        return tl::unexpected(error_of(answer.error(), kObject));
    }
    if (replies.size() == 0 || replies[0].payload.size() < GENL_HDRLEN) {
        return fail(Errc::bad_input, std::string(kObject) + ": the answer is too short");
    }
    return decode_generic_group(replies[0].payload.subspan(GENL_HDRLEN), DEVLINK_GENL_MCGRP_CONFIG_NAME);
}

}  // namespace

Result<GenericGroup> decode_generic_group(Bytes attributes, std::string_view group) {
    GenericGroup found;
    Attributes in(attributes);
    while (in.next()) {
        if (in.type() == CTRL_ATTR_FAMILY_ID) found.family = in.number<std::uint16_t>();
        if (in.type() != CTRL_ATTR_MCAST_GROUPS) continue;
        Attributes groups = in.nested();
        while (groups.next()) {
            Attributes one = groups.nested();
            std::uint32_t id = 0;
            std::string_view name;
            while (one.next()) {
                if (one.type() == CTRL_ATTR_MCAST_GRP_ID) id = one.number<std::uint32_t>();
                if (one.type() == CTRL_ATTR_MCAST_GRP_NAME) name = one.text();
            }
            groups.absorb(one);
            if (name == group) found.group = id;
        }
        in.absorb(groups);
    }
    if (auto sound = in.sound("generic netlink family"); !sound) return tl::unexpected(std::move(sound.error()));
    if (found.family == 0 || found.group == 0) {
        return fail(Errc::not_supported, fmt::format("generic netlink family: no multicast group {}", group));
    }
    return found;
}

Result<> DevlinkDecoder::take(Bytes datagram, Events& out) {
    return for_each_message(datagram, [&](const Message& message) -> Result<> {
        const auto head = value_at<genlmsghdr>(message.payload);
        // Every change of a reporter is told as if it were a recovery.
        if (message.type != family_ || !head || head->cmd != DEVLINK_CMD_HEALTH_REPORTER_RECOVER) return {};
        auto event = decode_health(message.payload.subspan(GENL_HDRLEN));
        if (!event) return tl::unexpected(std::move(event.error()));
        out.push_back(std::move(*event));
        return {};
    });
}

}  // namespace rd::events

namespace rd {

EventSourceResult devlink_events() {
    const auto found = events::find_group();
    if (!found) return tl::unexpected(found.error());
    auto inbox = events::netlink_inbox(NETLINK_GENERIC, {found->group}, events::kObject);
    if (!inbox) return tl::unexpected(std::move(inbox.error()));
    return events::inbox_source(
        {"devlink", std::move(*inbox), std::make_unique<events::DevlinkDecoder>(found->family), current_stamp});
}

}  // namespace rd
