// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/rtnl.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <array>
#include <cstddef>
#include <map>
#include <vector>

#include "core/base/records.h"

namespace rd {
namespace {

constexpr std::string_view kObject = "rtnl.link";
constexpr std::string_view kAddresses = "rtnl.addr";

// RFC 2863 states in the order of their numbers (IF_OPER_UNKNOWN = 0).
constexpr std::array<std::string_view, 7> kOperStates{"UNKNOWN", "NOTPRESENT", "DOWN", "LOWERLAYERDOWN",
                                                      "TESTING", "DORMANT",    "UP"};

struct Statistic {
    std::string_view key;
    std::size_t offset;
};
constexpr Statistic kStatistics[] = {
    {"rx_packets", offsetof(rtnl_link_stats64, rx_packets)},
    {"tx_packets", offsetof(rtnl_link_stats64, tx_packets)},
    {"rx_bytes", offsetof(rtnl_link_stats64, rx_bytes)},
    {"tx_bytes", offsetof(rtnl_link_stats64, tx_bytes)},
    {"rx_dropped", offsetof(rtnl_link_stats64, rx_dropped)},
    {"rx_missed", offsetof(rtnl_link_stats64, rx_missed_errors)},
};

struct Link {
    Record record;
    std::int32_t index = 0;
    std::uint32_t lower = 0;
    std::uint32_t master = 0;
    bool lower_elsewhere = false;  // in another network namespace: its index means nothing here
};

// Which priority of a socket leaves in which PCP: "3:3,4:4".
void decode_priorities(Attributes& attributes, Record& record) {
    Attributes in = attributes.nested();
    std::string text;
    while (in.next()) {
        if (in.type() != IFLA_VLAN_QOS_MAPPING) continue;
        const auto map = value_at<ifla_vlan_qos_mapping>(in.payload());
        if (!map) in.too_short(sizeof(ifla_vlan_qos_mapping));
        if (map) fmt::format_to(std::back_inserter(text), "{}{}:{}", text.empty() ? "" : ",", map->from, map->to);
    }
    if (!text.empty()) record.set("vlan_egress", text);
    attributes.absorb(in);
}

void decode_kind(Attributes& attributes, Record& record) {
    Attributes info = attributes.nested();
    std::string_view kind;
    while (info.next()) {
        if (info.type() == IFLA_INFO_KIND) {
            kind = info.text();
            record.set("kind", kind);
        } else if (info.type() == IFLA_INFO_DATA && kind == "vlan") {
            Attributes data = info.nested();
            while (data.next()) {
                if (data.type() == IFLA_VLAN_ID) record.set("vlan_id", data.number<std::uint16_t>());
                if (data.type() == IFLA_VLAN_EGRESS_QOS) decode_priorities(data, record);
            }
            info.absorb(data);
        }
    }
    attributes.absorb(info);
}

Result<Link> decode_link(Bytes message, std::map<std::uint32_t, std::string>& names) {
    const auto head = value_at<ifinfomsg>(message);
    if (!head)
        return fail(Errc::bad_input,
                    std::string(kObject) + ": message of " + std::to_string(message.size()) + " bytes");
    Link link;
    link.index = head->ifi_index;
    Record& record = link.record;
    record.set("ifindex", static_cast<std::uint32_t>(head->ifi_index));
    record.set("type", head->ifi_type);
    record.set("flags", fmt::format("{:#x}", head->ifi_flags));
    Attributes in(message.subspan(std::min(std::size_t{NLMSG_ALIGN(sizeof(ifinfomsg))}, message.size())));
    while (in.next()) {
        switch (in.type()) {
            case IFLA_IFNAME:
                record.set("ifname", in.text());
                names[static_cast<std::uint32_t>(link.index)] = in.text();
                break;
            case IFLA_MTU:
                record.set("mtu", in.number<std::uint32_t>());
                break;
            case IFLA_OPERSTATE:
                record.set("operstate", operstate_text(in.number<std::uint8_t>()));
                break;
            case IFLA_CARRIER:
                record.set("carrier", in.number<std::uint8_t>());
                break;
            case IFLA_CARRIER_CHANGES:
                record.set("carrier_changes", in.number<std::uint32_t>());
                break;
            case IFLA_CARRIER_UP_COUNT:
                record.set("carrier_up", in.number<std::uint32_t>());
                break;
            case IFLA_CARRIER_DOWN_COUNT:
                record.set("carrier_down", in.number<std::uint32_t>());
                break;
            case IFLA_LINK:
                link.lower = in.number<std::uint32_t>();
                break;
            case IFLA_LINK_NETNSID:
                link.lower_elsewhere = true;
                break;
            case IFLA_MASTER:
                link.master = in.number<std::uint32_t>();
                break;
            case IFLA_ADDRESS:
                record.set("address", hardware_address(in.payload()));
                break;
            case IFLA_LINKINFO:
                decode_kind(in, record);
                break;
            case IFLA_STATS64:
                // The structure grew over time: what lies beyond the end is not offered by this kernel.
                for (const Statistic& statistic : kStatistics) {
                    const auto value = value_at<std::uint64_t>(in.payload(), statistic.offset);
                    if (value) record.set(statistic.key, *value);
                }
                break;
            default:
                break;
        }
    }
    if (auto sound = in.sound(kObject); !sound) return tl::unexpected(std::move(sound.error()));
    return link;
}

}  // namespace

std::string operstate_text(std::uint8_t state) {
    return state < kOperStates.size() ? std::string(kOperStates[state]) : std::to_string(state);
}

std::string hardware_address(Bytes bytes) {
    std::string text;
    for (const std::byte byte : bytes) {
        fmt::format_to(std::back_inserter(text), "{}{:02x}", text.empty() ? "" : ":", std::to_integer<unsigned>(byte));
    }
    return text;
}

std::string address_text(std::uint8_t family, Bytes bytes) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const std::size_t size = family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);
    if (bytes.size() < size || ::inet_ntop(family, bytes.data(), text.data(), text.size()) == nullptr) return {};
    return text.data();
}

Result<std::string> decode_links(const Replies& replies) {
    std::map<std::uint32_t, std::string> names;
    std::vector<Link> links;
    for (std::size_t i = 0; i < replies.size(); ++i) {
        if (replies[i].type != RTM_NEWLINK) continue;
        auto link = decode_link(replies[i].payload, names);
        if (!link) return tl::unexpected(std::move(link.error()));
        links.push_back(std::move(*link));
    }
    std::string text;
    for (Link& link : links) {
        const auto lower = names.find(link.lower);
        // A device without a lower one may name itself.
        if (!link.lower_elsewhere && lower != names.end() && link.lower != static_cast<std::uint32_t>(link.index)) {
            link.record.set("link", lower->second);
        }
        if (const auto master = names.find(link.master); master != names.end())
            link.record.set("master", master->second);
        text += link.record.text();
    }
    return text;
}

namespace {

std::string scope_name(std::uint8_t scope) {
    switch (scope) {
        case RT_SCOPE_UNIVERSE:
            return "global";
        case RT_SCOPE_SITE:
            return "site";
        case RT_SCOPE_LINK:
            return "link";
        case RT_SCOPE_HOST:
            return "host";
        default:
            return std::to_string(scope);
    }
}

}  // namespace

Result<std::string> decode_addresses(const Replies& replies) {
    std::string text;
    for (std::size_t i = 0; i < replies.size(); ++i) {
        if (replies[i].type != RTM_NEWADDR) continue;
        const Bytes message = replies[i].payload;
        const auto head = value_at<ifaddrmsg>(message);
        if (!head) return fail(Errc::bad_input, fmt::format("{}: message of {} bytes", kAddresses, message.size()));
        if (head->ifa_family != AF_INET && head->ifa_family != AF_INET6) continue;
        Attributes in(message.subspan(std::min(std::size_t{NLMSG_ALIGN(sizeof(ifaddrmsg))}, message.size())));
        std::string address;
        bool local = false;
        while (in.next()) {
            // Of a point-to-point link IFA_ADDRESS is the peer's, and IFA_LOCAL is ours.
            if (in.type() == IFA_LOCAL || (in.type() == IFA_ADDRESS && !local)) {
                address = address_text(head->ifa_family, in.payload());
            }
            local = local || in.type() == IFA_LOCAL;
        }
        if (auto sound = in.sound(kAddresses); !sound) return tl::unexpected(std::move(sound.error()));
        if (address.empty()) continue;
        Record record;
        record.set("ifindex", head->ifa_index);
        record.set("address", address);
        record.set("prefix", head->ifa_prefixlen);
        record.set("scope", scope_name(head->ifa_scope));
        text += record.text();
    }
    return text;
}

AddressReader::AddressReader() : request_(RTM_GETADDR, NLM_F_DUMP) {
    const ifaddrmsg any{};
    request_.fixed(std::as_bytes(std::span(&any, 1)));
}

Result<std::string> AddressReader::read() {
    if (auto answer = Netlink::of_this_thread(NETLINK_ROUTE).ask(request_, replies_); !answer) {
        return tl::unexpected(error_of(answer.error(), kAddresses));
    }
    return decode_addresses(replies_);
}

LinkReader::LinkReader() : request_(RTM_GETLINK, NLM_F_DUMP) {
    const ifinfomsg any{};
    request_.fixed(std::as_bytes(std::span(&any, 1)));
}

Result<std::string> LinkReader::read() {
    if (auto answer = Netlink::of_this_thread(NETLINK_ROUTE).ask(request_, replies_); !answer) {
        return tl::unexpected(error_of(answer.error(), kObject));
    }
    return decode_links(replies_);
}

}  // namespace rd
