// SPDX-License-Identifier: GPL-2.0-or-later
// Lustre's network over RDMA (LNet, o2iblnd): how its modules were set up, and which peers have used up their credits. No message is sent
// and nothing of the file system is asked.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "collectors/common/files.h"
#include "collectors/common/identity.h"
#include "collectors/common/mounts.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec option(std::string_view name, std::string_view doc) {
    return {Kind::host, name, Type::integer, Nature::config, "", doc};
}
constexpr FactSpec gauge(std::string_view name, std::string_view unit, std::string_view doc) {
    return {Kind::host, name, Type::integer, Nature::gauge, unit, doc};
}

constexpr FactSpec kFacts[] = {
    option("ko2iblnd_peer_credits", "Messages under way to one peer at most: module parameter peer_credits"),
    option("ko2iblnd_credits", "Messages under way to all peers at most: module parameter credits"),
    option("ko2iblnd_ntx", "Message descriptors: module parameter ntx"),
    option("ko2iblnd_fmr_pool_size", "Memory regions in a pool: module parameter fmr_pool_size"),
    option("ko2iblnd_map_on_demand", "Fragments from which on memory is registered: module parameter map_on_demand"),
    option("ko2iblnd_concurrent_sends",
           "Sends under way on a connection, 0: chosen: module parameter concurrent_sends"),
    option("ko2iblnd_timeout", "Seconds until a message is given up: module parameter timeout"),
    option("ko2iblnd_peer_timeout", "Seconds until a silent peer is taken for dead: module parameter peer_timeout"),
    option("ko2iblnd_conns_per_peer", "Connections to each peer: module parameter conns_per_peer"),
    option("ko2iblnd_tos", "ToS byte of its connections, -1: the default of the host: module parameter tos"),
    option("lnet_transaction_timeout", "Seconds a message may take with all repetitions: module parameter of lnet"),
    option("lnet_retry_count", "Repetitions of a message: module parameter of lnet"),
    {Kind::host, "lnet_networks", Type::text, Nature::config, "",
     "Networks the module was told to bring up (o2ib0(ib0)), or none: module parameter networks of lnet"},
    {Kind::host, "lnet_missing_interfaces", Type::text, Nature::config, "",
     "Interfaces of o2ib networks in lnet_networks that this host does not have, or none"},
    option("libcfs_printk", "Classes of messages that reach the kernel log, a mask: module parameter libcfs_printk"),
    gauge("lnet_peers_waiting", "peers",
          "Peers over o2ib for which messages wait for credits now (tx below 0): debugfs lnet/peers"),
    gauge("lnet_tx_min", "credits",
          "Fewest credits a peer over o2ib ever had, below 0 messages waited: debugfs lnet/peers"),
};

constexpr const FactSpec& kWaiting = row(kFacts, Kind::host, "lnet_peers_waiting");
constexpr const FactSpec& kTxMin = row(kFacts, Kind::host, "lnet_tx_min");
constexpr const FactSpec& kNetworks = row(kFacts, Kind::host, "lnet_networks");
constexpr const FactSpec& kMissing = row(kFacts, Kind::host, "lnet_missing_interfaces");

constexpr Source kParameters[] = {
    {"ko2iblnd/parameters/peer_credits", row(kFacts, Kind::host, "ko2iblnd_peer_credits"), as_count},
    {"ko2iblnd/parameters/credits", row(kFacts, Kind::host, "ko2iblnd_credits"), as_count},
    {"ko2iblnd/parameters/ntx", row(kFacts, Kind::host, "ko2iblnd_ntx"), as_count},
    {"ko2iblnd/parameters/fmr_pool_size", row(kFacts, Kind::host, "ko2iblnd_fmr_pool_size"), as_count},
    {"ko2iblnd/parameters/map_on_demand", row(kFacts, Kind::host, "ko2iblnd_map_on_demand"), as_count},
    {"ko2iblnd/parameters/concurrent_sends", row(kFacts, Kind::host, "ko2iblnd_concurrent_sends"), as_count},
    {"ko2iblnd/parameters/timeout", row(kFacts, Kind::host, "ko2iblnd_timeout"), as_count},
    {"ko2iblnd/parameters/peer_timeout", row(kFacts, Kind::host, "ko2iblnd_peer_timeout"), as_count},
    {"ko2iblnd/parameters/conns_per_peer", row(kFacts, Kind::host, "ko2iblnd_conns_per_peer"), as_count},
    {"ko2iblnd/parameters/tos", row(kFacts, Kind::host, "ko2iblnd_tos"), as_integer},
    {"lnet/parameters/lnet_transaction_timeout", row(kFacts, Kind::host, "lnet_transaction_timeout"), as_count},
    {"lnet/parameters/lnet_retry_count", row(kFacts, Kind::host, "lnet_retry_count"), as_count},
    {"libcfs/parameters/libcfs_printk", row(kFacts, Kind::host, "libcfs_printk"), as_count},
};

const Entity kHost{Kind::host, ""};
constexpr std::string_view kPeers = "/sys/kernel/debug/lnet/peers";

// Columns of the table: nid refs state last max rtr min tx min queue.
enum Column : std::size_t { nid = 0, refs = 1, tx = 7, tx_min = 8, columns = 10 };

void decode_peers(std::string_view text, Facts& out) {
    std::int64_t waiting = 0, least = 0;
    bool headed = false, any = false;
    const auto fail_all = [&](std::string_view why, std::string_view line) {
        const Error error{Errc::bad_input, fmt::format("{}: {}: '{}'", kPeers, why, printable(line)), {}};
        gap_all({{kHost, &kWaiting}, {kHost, &kTxMin}}, gap_from(error), out);
    };
    for (const std::string_view line : lines(text)) {
        const auto fields = words(line);
        if (fields.empty()) continue;
        if (!headed) {
            headed = fields.size() == columns && fields[nid] == "nid" && fields[tx] == "tx";
            if (!headed) return fail_all("another table than is known", line);
            continue;
        }
        if (fields.size() != columns) return fail_all("not a peer", line);
        if (fields[nid].find("@o2ib") == std::string_view::npos) continue;
        const auto now = parse_integer(fields[tx]), low = parse_integer(fields[tx_min]);
        if (!now || !low) return fail_all("not a peer", line);
        waiting += *now < 0;
        least = any ? std::min(least, *low) : *low;
        any = true;
    }
    if (!headed) return fail_all("no table", text);
    out.put(kHost, kWaiting, waiting);
    if (any) {
        out.put(kHost, kTxMin, least);
    } else {
        out.gap(kHost, kTxMin, not_offered(fmt::format("{}: no peer over o2ib", kPeers)));
    }
}

// The interfaces of "tcp0(eth0),o2ib0(ib0,ib1)[0]" that belong to o2ib networks.
std::vector<std::string> interfaces_in(std::string_view networks) {
    std::vector<std::string> found;
    for (std::size_t open = networks.find('('); open != std::string_view::npos; open = networks.find('(', open + 1)) {
        std::size_t begin = open;
        while (begin > 0 && std::isalnum(static_cast<unsigned char>(networks[begin - 1])) != 0) --begin;
        const std::size_t close = networks.find(')', open);
        if (close == std::string_view::npos) break;
        if (!networks.substr(begin, open - begin).starts_with("o2ib")) continue;
        for (const std::string_view name : split(networks.substr(open + 1, close - open - 1), ',')) {
            // "ib0:1" names a weight or an address of it, "ib0[0]" a CPU partition.
            found.emplace_back(trim(name.substr(0, name.find_first_of(":["))));
        }
    }
    return found;
}

void plan_networks(const Host& host, Plan& plan) {
    const auto text = read_word(host, "/sys/module/lnet/parameters/networks");
    if (!text) {
        plan.gap(kHost, kNetworks, gap_from(text.error()));
        return plan.gap(kHost, kMissing, gap_from(text.error()));
    }
    const bool said = !text->empty() && *text != "(null)";
    plan.put(kHost, kNetworks, said ? *text : std::string("none"));
    const auto netdevs = host.list(kNet);
    if (!netdevs) return plan.gap(kHost, kMissing, gap_from(netdevs.error()));
    std::vector<std::string> missing;
    for (std::string& name : interfaces_in(*text)) {
        const bool there = std::find(netdevs->begin(), netdevs->end(), name) != netdevs->end();
        if (!name.empty() && !there) missing.push_back(std::move(name));
    }
    plan.put(kHost, kMissing, listed(std::move(missing)));
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kNet));
    plan.every(Seconds(60));
    for (const Source& parameter : kParameters) {
        plan.read(fmt::format("/sys/module/{}", parameter.name), kHost, parameter.spec, parameter.parser);
    }
    plan_networks(host, plan);
    plan.every(Seconds(10));
    plan.decode(std::string(kPeers), {{kHost, &kWaiting}, {kHost, &kTxMin}}, decode_peers);
}

}  // namespace

extern const Collector lustre;
constinit const Collector lustre{"lustre", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
