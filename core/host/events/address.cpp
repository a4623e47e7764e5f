// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "core/host/events/link.h"
#include "core/host/rtnl.h"

namespace rd::events {

struct AddressTable::Heard {
    Key key;
    std::uint32_t flags = 0;
};

Result<std::optional<AddressTable::Heard>> AddressTable::decode(Bytes payload) {
    const auto head = value_at<ifaddrmsg>(payload);
    if (!head) return fail(Errc::bad_input, fmt::format("rtnetlink: address message of {} bytes", payload.size()));
    if (head->ifa_family != AF_INET && head->ifa_family != AF_INET6) return std::nullopt;
    Heard heard;
    heard.key.index = head->ifa_index;
    heard.key.prefix = head->ifa_prefixlen;
    heard.flags = head->ifa_flags;
    bool local = false;
    Attributes in(payload.subspan(std::min(std::size_t{NLMSG_ALIGN(sizeof(ifaddrmsg))}, payload.size())));
    while (in.next()) {
        // Of a point-to-point link IFA_ADDRESS is the peer's, and IFA_LOCAL is ours.
        if (in.type() == IFA_LOCAL || (in.type() == IFA_ADDRESS && !local)) {
            heard.key.address = address_text(head->ifa_family, in.payload());
            local = in.type() == IFA_LOCAL;
        }
        if (in.type() == IFA_FLAGS) heard.flags = in.number<std::uint32_t>();
    }
    if (auto sound = in.sound("rtnetlink: address message"); !sound) return tl::unexpected(std::move(sound.error()));
    if (heard.key.address.empty()) return std::nullopt;
    return heard;
}

HostEvent AddressTable::event_of(const Key& key, const Known& known, std::string name) {
    HostEvent event;
    event.name = std::move(name);
    event.subject = known.name;
    event.details = {{"ifindex", std::to_string(key.index)},
                     {"address", fmt::format("{}/{}", key.address, key.prefix)}};
    return event;
}

void AddressTable::added(const Heard& heard, Events& out) {
    const auto [found, fresh] = addresses_.try_emplace(heard.key);
    Known& known = found->second;
    if (fresh) {
        known.name = name_of_(heard.key.index);
        out.push_back(event_of(heard.key, known, "added"));
    }
    // Another host has it: then there is no GID of it either.
    if ((heard.flags & IFA_F_DADFAILED) && !(known.flags & IFA_F_DADFAILED)) {
        out.push_back(event_of(heard.key, known, "dad-failed"));
    }
    known.flags = heard.flags;
}

void AddressTable::removed(const Key& key, Events& out) {
    const auto found = addresses_.find(key);
    if (found == addresses_.end()) return;
    out.push_back(event_of(found->first, found->second, "removed"));
    addresses_.erase(found);
}

Result<> AddressTable::take(const Message& message, Events& out) {
    if (message.type != RTM_NEWADDR && message.type != RTM_DELADDR) return {};
    const auto heard = decode(message.payload);
    if (!heard) return tl::unexpected(heard.error());
    if (!*heard) return {};
    if (message.type == RTM_NEWADDR) {
        added(**heard, out);
    } else {
        removed((*heard)->key, out);
    }
    return {};
}

Result<> AddressTable::compare(const Replies& list, Events& out) {
    std::set<Key> there;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i].type != RTM_NEWADDR) continue;
        const auto heard = decode(list[i].payload);
        if (!heard) return tl::unexpected(heard.error());
        if (!*heard) continue;
        there.insert((*heard)->key);
        added(**heard, out);
    }
    for (auto address = addresses_.begin(); address != addresses_.end();) {
        const Key key = address->first;
        ++address;
        if (there.count(key) == 0) removed(key, out);
    }
    return {};
}

}  // namespace rd::events
