// SPDX-License-Identifier: GPL-2.0-or-later
// Changes of network interfaces and their addresses, from the messages of rtnetlink and what is already known. Private to
// core/host/events.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/host/events/inbox_source.h"
#include "core/host/socket.h"

namespace rd::events {

// What one message says of an interface. What it does not say is absent: some messages are about one thing only.
struct LinkState {
    std::string name;
    bool up = false;  // IFF_UP: what the administrator wants
    bool whole = false;
    std::optional<std::uint32_t> mtu;
    std::optional<std::uint8_t> operstate;
    std::optional<std::uint8_t> carrier;
    std::optional<std::uint32_t> carrier_up, carrier_down;
    std::uint32_t master = 0;  // meant only where `whole`
    std::string mac;
};

// All interfaces of a network namespace as they were last heard of.
class LinkTable {
public:
    // One rtnetlink message (RTM_NEWLINK, RTM_DELLINK; others are passed over).
    [[nodiscard]] Result<> take(const Message& message, Events& out);
    // A whole list: what is not in it is gone.
    [[nodiscard]] Result<> compare(const Replies& list, Events& out);
    [[nodiscard]] std::string name_of(std::uint32_t index) const;  // "ifindex 7" when it is not known

private:
    void changed(std::uint32_t index, LinkState& known, const LinkState& now, Events& out) const;
    void removed(std::map<std::uint32_t, LinkState>::iterator link, Events& out);

    std::map<std::uint32_t, LinkState> links_;
};

// All addresses, by what makes one: interface, address, prefix.
class AddressTable {
public:
    using NameOf = std::function<std::string(std::uint32_t index)>;
    explicit AddressTable(NameOf name_of) : name_of_(std::move(name_of)) {}

    [[nodiscard]] Result<> take(const Message& message, Events& out);
    [[nodiscard]] Result<> compare(const Replies& list, Events& out);

private:
    struct Key {
        std::uint32_t index = 0;
        std::string address;
        std::uint8_t prefix = 0;
        auto operator<=>(const Key&) const = default;
    };
    struct Known {
        std::uint32_t flags = 0;
        std::string name;  // of the interface, for when that is gone before its address
    };
    struct Heard;
    [[nodiscard]] static Result<std::optional<Heard>> decode(Bytes payload);
    void added(const Heard& heard, Events& out);
    void removed(const Key& key, Events& out);
    [[nodiscard]] static HostEvent event_of(const Key& key, const Known& known, std::string name);

    NameOf name_of_;
    std::map<Key, Known> addresses_;
};

// Every message in a datagram, in order.
[[nodiscard]] Result<> for_each_message(Bytes datagram, const std::function<Result<>(const Message&)>& take);

}  // namespace rd::events
