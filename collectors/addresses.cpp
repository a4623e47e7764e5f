// SPDX-License-Identifier: GPL-2.0-or-later
// IP addresses of the interfaces, because RoCE GIDs are made of them, and how the kernel answers for them: the sysctls that decide
// which interface speaks for which address.
#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec number(std::string_view name, std::string_view doc) {
    return {Kind::netdev, name, Type::integer, Nature::config, "", doc};
}

constexpr FactSpec kFacts[] = {
    number("ipv4_addresses", "IPv4 addresses: rtnetlink RTM_GETADDR"),
    number("ipv6_addresses", "IPv6 addresses that are not link-local: rtnetlink RTM_GETADDR"),
    {Kind::netdev, "ipv4_networks", Type::text, Nature::config, "",
     "Networks of its IPv4 addresses (10.9.0.0/24), none without: rtnetlink RTM_GETADDR"},
    {Kind::netdev, "ip_addresses", Type::text, Nature::config, "",
     "Its IP addresses without the link-local ones (10.9.0.1 fd00::1), or none: rtnetlink RTM_GETADDR"},
    number("arp_ignore",
           "Which ARP requests are answered, 0: any local address on any interface; the larger of the "
           "sysctls net.ipv4.conf.{all,IF}.arp_ignore"),
    number("arp_announce",
           "Which address ARP requests are sent from, 0: any; the larger of the sysctls "
           "net.ipv4.conf.{all,IF}.arp_announce"),
    number("arp_filter",
           "1: ARP is answered only by the interface the answer would leave through; either of the "
           "sysctls net.ipv4.conf.{all,IF}.arp_filter"),
    number("rp_filter",
           "Reverse path check, 0 none, 1 strict, 2 loose; the larger of the sysctls "
           "net.ipv4.conf.{all,IF}.rp_filter"),
};

constexpr const FactSpec& kIpv4 = row(kFacts, Kind::netdev, "ipv4_addresses");
constexpr const FactSpec& kIpv6 = row(kFacts, Kind::netdev, "ipv6_addresses");
constexpr const FactSpec& kNetworks = row(kFacts, Kind::netdev, "ipv4_networks");
constexpr const FactSpec& kAddresses = row(kFacts, Kind::netdev, "ip_addresses");
constexpr Source kSysctls[] = {
    {"arp_ignore", row(kFacts, Kind::netdev, "arp_ignore"), as_counter},
    {"arp_announce", row(kFacts, Kind::netdev, "arp_announce"), as_counter},
    {"arp_filter", row(kFacts, Kind::netdev, "arp_filter"), as_counter},
    {"rp_filter", row(kFacts, Kind::netdev, "rp_filter"), as_counter},
};

constexpr std::string_view kSubject = "rtnl.addr";

struct Address {
    bool ipv4 = false;
    bool link_local = false;
    std::string text;
    std::string network;
};

// 10.9.0.1 with 24 → 10.9.0.0/24
Result<std::string> network_of(const std::string& address, std::int64_t prefix) {
    in_addr in{};
    if (::inet_pton(AF_INET, address.c_str(), &in) != 1 || prefix > 32) {
        return fail(Errc::bad_input, fmt::format("{}: not an address: '{}/{}'", kSubject, printable(address), prefix));
    }
    const std::uint32_t mask = prefix == 0 ? 0u : ~std::uint32_t{0} << (32 - prefix);
    in.s_addr = htonl(ntohl(in.s_addr) & mask);
    std::array<char, INET_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET, &in, text.data(), text.size());
    return fmt::format("{}/{}", text.data(), prefix);
}

using ByIndex = std::map<std::int64_t, std::vector<Address>>;

Result<ByIndex> addresses_of(std::string_view text) {
    const auto records = parse_records(text);
    if (!records) return fail(records.error().code, fmt::format("{}: {}", kSubject, records.error().what));
    ByIndex found;
    for (const Record& record : *records) {
        const auto index = parse_counter(record.get("ifindex").value_or(std::string()));
        const auto prefix = parse_counter(record.get("prefix").value_or(std::string()));
        const auto address = record.get("address");
        if (!index || !prefix || !address) {
            return fail(Errc::bad_input, fmt::format("{}: not an address: '{}'", kSubject, printable(record.text())));
        }
        Address entry;
        entry.ipv4 = address->find(':') == std::string::npos;
        entry.link_local = record.get("scope") == "link";
        entry.text = printable(*address);
        if (entry.ipv4) {
            auto network = network_of(*address, *prefix);
            if (!network) return tl::unexpected<Error>(network.error());
            entry.network = std::move(*network);
        }
        found[*index].push_back(std::move(entry));
    }
    return found;
}

void put_addresses(const Entity& netdev, const std::vector<Address>& addresses, Facts& out) {
    std::int64_t ipv4 = 0, ipv6 = 0;
    std::vector<std::string> networks, texts;
    for (const Address& address : addresses) {
        if (!address.link_local) texts.push_back(address.text);
        if (address.ipv4) {
            ++ipv4;
            networks.push_back(address.network);
        } else if (!address.link_local) {
            ++ipv6;
        }
    }
    std::sort(networks.begin(), networks.end());
    networks.erase(std::unique(networks.begin(), networks.end()), networks.end());
    std::sort(texts.begin(), texts.end());
    out.put(netdev, kAddresses, texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, " ")));
    out.put(netdev, kIpv4, ipv4);
    out.put(netdev, kIpv6, ipv6);
    out.put(netdev, kNetworks, networks.empty() ? "none" : fmt::format("{}", fmt::join(networks, " ")));
}

// One dump for all interfaces; it names them by index.
void plan_addresses(const Host& host, const std::vector<Netdev>& kept, Plan& plan) {
    std::map<std::int64_t, Entity> entities;
    std::vector<Cover> covers;
    for (const Netdev& netdev : kept) {
        const std::string file = netdev.path + "/ifindex";
        const auto text = host.read(file);
        const auto index = text ? parse_counter(*text) : Result<std::int64_t>(tl::unexpected<Error>(text.error()));
        for (const FactSpec* spec : {&kIpv4, &kIpv6, &kNetworks, &kAddresses}) {
            if (index) {
                covers.push_back({netdev.entity, spec});
            } else {
                Error error = index.error();
                if (text) error.what = file + ": " + error.what;
                plan.gap(netdev.entity, *spec, gap_from(error));
            }
        }
        if (index) entities.emplace(*index, netdev.entity);
    }
    plan.decode(std::string(kSubject), covers, [=](std::string_view text, Facts& out) {
        const auto found = addresses_of(text);
        if (!found) return gap_all(covers, gap_from(found.error()), out);
        for (const auto& [index, entity] : entities) {
            const auto own = found->find(index);
            put_addresses(entity, own == found->end() ? std::vector<Address>{} : own->second, out);
        }
    });
}

Result<std::int64_t> sysctl(const Host& host, std::string_view interface, std::string_view name) {
    const std::string file = fmt::format("/proc/sys/net/ipv4/conf/{}/{}", interface, name);
    const auto text = host.read(file);
    if (!text) return tl::unexpected<Error>(text.error());
    const auto number = parse_counter(*text);
    if (!number) return fail(number.error().code, file + ": " + number.error().what);
    return *number;
}

// What holds for an interface is the larger of its own setting and that of `all` (IN_DEV_MAXCONF).
void put_sysctls(const Host& host, const std::vector<Netdev>& kept, Plan& plan) {
    for (const Source& source : kSysctls) {
        const auto all = sysctl(host, "all", source.name);
        for (const Netdev& netdev : kept) {
            const auto own = sysctl(host, netdev.name, source.name);
            if (!all || !own) {
                plan.gap(netdev.entity, source.spec, gap_from(all ? own.error() : all.error()));
            } else {
                plan.put(netdev.entity, source.spec, std::max(*all, *own));
            }
        }
    }
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kNet));
    const auto kept = rdma_netdevs(host);
    if (!kept) return plan.kind_gap(Kind::netdev, gap_from(kept.error()));
    plan_addresses(host, *kept, plan);
    put_sysctls(host, *kept, plan);
}

}  // namespace

extern const Collector addresses;
constinit const Collector addresses{"addresses", kFacts, {}, Seconds(10), Rediscover::on_change, discover};

}  // namespace rd::collectors
