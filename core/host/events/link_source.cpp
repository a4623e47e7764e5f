// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include <array>
#include <span>

#include "core/host/events/link.h"
#include "core/host/identity.h"

namespace rd::events {
namespace {

constexpr std::string_view kLinks = "rtnetlink: links";
constexpr std::string_view kAddresses = "rtnetlink: addresses";

template <class Head>
Result<> list(std::uint16_t type, std::string_view object, Replies& into) {
    const Head any{};
    Request request(type, NLM_F_DUMP);
    request.fixed(std::as_bytes(std::span(&any, 1)));
    if (auto answer = Netlink::of_this_thread(NETLINK_ROUTE).ask(request, into); !answer) {
        return tl::unexpected(error_of(answer.error(), object));
    }
    return {};
}

class LinkDecoder final : public Decoder {
public:
    Result<> take(Bytes message, Events& out) override {
        return for_each_message(message, [&](const Message& each) { return table_.take(each, out); });
    }
    Result<> resync(Events& out) override {
        Replies links;
        if (auto listed = list<ifinfomsg>(RTM_GETLINK, kLinks, links); !listed) return listed;
        return table_.compare(links, out);
    }

private:
    LinkTable table_;
};

std::string name_of_interface(std::uint32_t index) {
    std::array<char, IF_NAMESIZE> name{};
    return ::if_indextoname(index, name.data()) ? name.data() : "ifindex " + std::to_string(index);
}

class AddressDecoder final : public Decoder {
public:
    Result<> take(Bytes message, Events& out) override {
        return for_each_message(message, [&](const Message& each) { return table_.take(each, out); });
    }
    Result<> resync(Events& out) override {
        Replies addresses;
        if (auto listed = list<ifaddrmsg>(RTM_GETADDR, kAddresses, addresses); !listed) return listed;
        return table_.compare(addresses, out);
    }

private:
    AddressTable table_{name_of_interface};
};

// Knows the present before the first event: joined first, then listed, so that nothing falls between the two. What was heard until then is
// the past.
EventSourceResult informed(std::string name, std::unique_ptr<Inbox> inbox, std::unique_ptr<Decoder> decoder) {
    Events past;
    if (auto listed = decoder->resync(past); !listed) return tl::unexpected(std::move(listed.error()));
    for (std::size_t i = 0; i < kMostMessages; ++i) {
        Bytes message;
        const auto got = inbox->receive(message);
        if (!got) return tl::unexpected(got.error());
        if (*got == Inbox::Got::nothing) break;
        // What is lost of the past can be found again.
        if (*got == Inbox::Got::overrun) {
            if (auto listed = decoder->resync(past); !listed) return tl::unexpected(std::move(listed.error()));
            continue;
        }
        if (auto taken = decoder->take(message, past); !taken) return tl::unexpected(std::move(taken.error()));
        past.clear();
    }
    return inbox_source({std::move(name), std::move(inbox), std::move(decoder), current_stamp});
}

}  // namespace
}  // namespace rd::events

namespace rd {

EventSourceResult link_events() {
    auto inbox = events::netlink_inbox(NETLINK_ROUTE, {RTNLGRP_LINK}, events::kLinks);
    if (!inbox) return tl::unexpected(std::move(inbox.error()));
    return events::informed("link", std::move(*inbox), std::make_unique<events::LinkDecoder>());
}

EventSourceResult address_events() {
    auto inbox = events::netlink_inbox(NETLINK_ROUTE, {RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR}, events::kAddresses);
    if (!inbox) return tl::unexpected(std::move(inbox.error()));
    return events::informed("address", std::move(*inbox), std::make_unique<events::AddressDecoder>());
}

}  // namespace rd
