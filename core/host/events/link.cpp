// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/link.h"

#include <fmt/format.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include <algorithm>
#include <set>

#include "core/host/rtnl.h"

namespace rd::events {
namespace {

struct Heard {
    std::uint32_t index = 0;
    LinkState link;
};

// nullopt: not about the interface itself. A bridge speaks of its ports in messages of the same type, one of which says that a port has
// left the bridge in the words by which the others say that an interface is gone.
Result<std::optional<Heard>> decode(Bytes payload) {
    const auto head = value_at<ifinfomsg>(payload);
    if (!head) return fail(Errc::bad_input, fmt::format("rtnetlink: link message of {} bytes", payload.size()));
    if (head->ifi_family != AF_UNSPEC) return std::nullopt;
    Heard heard;
    heard.index = static_cast<std::uint32_t>(head->ifi_index);
    LinkState& link = heard.link;
    link.up = (head->ifi_flags & IFF_UP) != 0;
    Attributes in(payload.subspan(std::min(std::size_t{NLMSG_ALIGN(sizeof(ifinfomsg))}, payload.size())));
    while (in.next()) {
        switch (in.type()) {
            case IFLA_IFNAME:
                link.name = in.text();
                break;
            case IFLA_MTU:
                link.mtu = in.number<std::uint32_t>();
                break;
            case IFLA_OPERSTATE:
                link.operstate = in.number<std::uint8_t>();
                break;
            case IFLA_CARRIER:
                link.carrier = in.number<std::uint8_t>();
                break;
            case IFLA_CARRIER_UP_COUNT:
                link.carrier_up = in.number<std::uint32_t>();
                break;
            case IFLA_CARRIER_DOWN_COUNT:
                link.carrier_down = in.number<std::uint32_t>();
                break;
            case IFLA_MASTER:
                link.master = in.number<std::uint32_t>();
                break;
            case IFLA_ADDRESS:
                link.mac = hardware_address(in.payload());
                break;
            default:
                break;
        }
    }
    if (auto sound = in.sound("rtnetlink: link message"); !sound) return tl::unexpected(std::move(sound.error()));
    link.whole = link.mtu && link.operstate;
    return heard;
}

HostEvent event_of(std::uint32_t index, const LinkState& link, std::string name) {
    HostEvent event;
    event.name = std::move(name);
    event.subject = link.name.empty() ? fmt::format("ifindex {}", index) : link.name;
    event.details.emplace_back("ifindex", std::to_string(index));
    return event;
}

HostEvent change_of(std::uint32_t index, const LinkState& link, std::string name, std::string from, std::string to) {
    HostEvent event = event_of(index, link, std::move(name));
    event.details.emplace_back("from", std::move(from));
    event.details.emplace_back("to", std::move(to));
    return event;
}

void put_state(const LinkState& link, HostEvent& event) {
    if (link.operstate) event.details.emplace_back("operstate", operstate_text(*link.operstate));
    if (link.carrier) event.details.emplace_back("carrier", std::to_string(*link.carrier));
    if (link.carrier_up) event.details.emplace_back("carrier_up", std::to_string(*link.carrier_up));
    if (link.carrier_down) event.details.emplace_back("carrier_down", std::to_string(*link.carrier_down));
}

// By how much a counter of the kernel has grown. A message that was on its way while the list was read is older than what is known: then
// by nothing.
std::uint64_t growth(std::optional<std::uint32_t> from, std::optional<std::uint32_t> to) {
    return from && to && *to > *from ? *to - *from : 0;
}

// The carrier as the kernel counted it; by its state, where this kernel does not count.
void carrier_events(std::uint32_t index, const LinkState& known, const LinkState& now, Events& out) {
    const bool counted = known.carrier_down && now.carrier_down && known.carrier_up && now.carrier_up;
    const bool moved = known.carrier && now.carrier && *known.carrier != *now.carrier;
    const bool is_up = now.carrier.value_or(0) != 0;
    const std::uint64_t up = counted ? growth(known.carrier_up, now.carrier_up) : moved && is_up;
    const std::uint64_t down = counted ? growth(known.carrier_down, now.carrier_down) : moved && !is_up;
    const auto put = [&](const char* name, std::uint64_t count) {
        if (count == 0) return;
        HostEvent event = event_of(index, now, name);
        put_state(now, event);
        event.count = count;
        out.push_back(std::move(event));
    };
    // The last one is what it is now.
    if (!is_up) put("carrier-up", up);
    put("carrier-down", down);
    if (is_up) put("carrier-up", up);
}

template <class T>
void update(std::optional<T>& known, const std::optional<T>& now) {
    if (now) known = now;
}

}  // namespace

Result<> for_each_message(Bytes datagram, const std::function<Result<>(const Message&)>& take) {
    while (!datagram.empty()) {
        const auto head = value_at<nlmsghdr>(datagram);
        if (!head || head->nlmsg_len < NLMSG_HDRLEN || head->nlmsg_len > datagram.size()) {
            return fail(Errc::bad_input, "netlink: message length out of range");
        }
        const Bytes payload = datagram.subspan(NLMSG_HDRLEN, head->nlmsg_len - NLMSG_HDRLEN);
        datagram = datagram.subspan(std::min<std::size_t>(NLMSG_ALIGN(std::size_t{head->nlmsg_len}), datagram.size()));
        if (head->nlmsg_type < NLMSG_MIN_TYPE) continue;
        if (auto taken = take({head->nlmsg_type, payload}); !taken) return taken;
    }
    return {};
}

std::string LinkTable::name_of(std::uint32_t index) const {
    const auto found = links_.find(index);
    return found == links_.end() ? fmt::format("ifindex {}", index) : found->second.name;
}

void LinkTable::changed(std::uint32_t index, LinkState& known, const LinkState& now, Events& out) const {
    if (!now.name.empty() && now.name != known.name) {
        out.push_back(change_of(index, now, "renamed", known.name, now.name));
        known.name = now.name;
    }
    LinkState named = now;
    named.name = known.name;
    if (now.up != known.up) {
        HostEvent event = event_of(index, named, now.up ? "admin-up" : "admin-down");
        put_state(now, event);
        out.push_back(std::move(event));
    }
    carrier_events(index, known, named, out);
    if (now.operstate && known.operstate && *now.operstate != *known.operstate) {
        HostEvent event =
            change_of(index, named, "operstate", operstate_text(*known.operstate), operstate_text(*now.operstate));
        if (now.carrier) event.details.emplace_back("carrier", std::to_string(*now.carrier));
        out.push_back(std::move(event));
    }
    if (now.mtu && known.mtu && *now.mtu != *known.mtu) {
        out.push_back(change_of(index, named, "mtu", std::to_string(*known.mtu), std::to_string(*now.mtu)));
    }
    if (now.whole && now.master != known.master) {
        const auto master = [this](std::uint32_t of) { return of == 0 ? std::string("none") : name_of(of); };
        out.push_back(change_of(index, named, "master", master(known.master), master(now.master)));
        known.master = now.master;
    }
    if (!now.mac.empty() && now.mac != known.mac) {
        out.push_back(change_of(index, named, "mac", known.mac, now.mac));
        known.mac = now.mac;
    }
    known.up = now.up;
    update(known.mtu, now.mtu);
    update(known.operstate, now.operstate);
    update(known.carrier, now.carrier);
    if (growth(known.carrier_up, now.carrier_up) || !known.carrier_up) update(known.carrier_up, now.carrier_up);
    if (growth(known.carrier_down, now.carrier_down) || !known.carrier_down)
        update(known.carrier_down, now.carrier_down);
}

void LinkTable::removed(std::map<std::uint32_t, LinkState>::iterator link, Events& out) {
    HostEvent event = event_of(link->first, link->second, "removed");
    put_state(link->second, event);
    out.push_back(std::move(event));
    links_.erase(link);
}

Result<> LinkTable::take(const Message& message, Events& out) {
    if (message.type != RTM_NEWLINK && message.type != RTM_DELLINK) return {};
    auto heard = decode(message.payload);
    if (!heard) return tl::unexpected(std::move(heard.error()));
    if (!*heard) return {};
    const auto& [index, link] = **heard;
    const auto known = links_.find(index);
    if (message.type == RTM_DELLINK) {
        if (known != links_.end()) removed(known, out);
        return {};
    }
    if (known != links_.end()) {
        changed(index, known->second, link, out);
        return {};
    }
    if (!link.whole || link.name.empty()) return {};  // the rest of it comes
    HostEvent event = event_of(index, link, "appeared");
    event.details.emplace_back("mtu", std::to_string(*link.mtu));
    put_state(link, event);
    out.push_back(std::move(event));
    links_.emplace(index, link);
    return {};
}

Result<> LinkTable::compare(const Replies& list, Events& out) {
    std::set<std::uint32_t> there;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i].type != RTM_NEWLINK) continue;
        const auto heard = decode(list[i].payload);
        if (!heard) return tl::unexpected(heard.error());
        if (!*heard) continue;
        there.insert((*heard)->index);
        if (auto taken = take(list[i], out); !taken) return taken;
    }
    for (auto link = links_.begin(); link != links_.end();) {
        const auto next = std::next(link);
        if (there.count(link->first) == 0) removed(link, out);
        link = next;
    }
    return {};
}

}  // namespace rd::events
