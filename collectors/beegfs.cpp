// SPDX-License-Identifier: GPL-2.0-or-later
// The BeeGFS client of the kernel: what it is set up to use, and over what it is really connected to its servers.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "collectors/common/files.h"
#include "collectors/common/mounts.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec text_row(std::string_view name, std::string_view doc) {
    return {Kind::host, name, Type::text, Nature::config, "", doc};
}
constexpr FactSpec number_row(std::string_view name, Nature nature, std::string_view unit, std::string_view doc) {
    return {Kind::host, name, Type::integer, nature, unit, doc};
}

constexpr FactSpec kFacts[] = {
    number_row("beegfs_clients", Nature::config, "", "Mounts of BeeGFS: /proc/fs/beegfs"),
    {Kind::host, "beegfs_use_rdma", Type::boolean, Nature::config, "",
     "All of them are set up to use RDMA: /proc/fs/beegfs/ID/config connUseRDMA"},
    number_row("beegfs_rdma_connections", Nature::gauge, "connections",
               "Connections to servers over RDMA: /proc/fs/beegfs/ID/meta_nodes, storage_nodes"),
    number_row("beegfs_tcp_connections", Nature::gauge, "connections",
               "Connections to servers over TCP: the same files"),
    text_row("beegfs_mixed_servers",
             "Servers that are connected over TCP although others are over RDMA, or none: the same files"),
    number_row("beegfs_tos", Nature::config, "", "ToS byte of its connections: config connRDMATypeOfService"),
    text_row("beegfs_key_type", "How memory is registered (global, dma, register): config connRDMAKeyType"),
    number_row("beegfs_buffer_fragment", Nature::config, "bytes",
               "Contiguous memory each part of a buffer needs: config connRDMAFragmentSize, else connRDMABufSize"),
    {Kind::host, "gds_loaded", Type::boolean, Nature::config, "",
     "The module of GPUDirect Storage is loaded: /sys/module/nvidia_fs"},
    number_row("beegfs_connections_max", Nature::config, "connections",
               "Connections to each server at most: config connMaxInternodeNum"),
};

constexpr const FactSpec& kClients = row(kFacts, Kind::host, "beegfs_clients");
constexpr const FactSpec& kUse = row(kFacts, Kind::host, "beegfs_use_rdma");
constexpr const FactSpec& kRdma = row(kFacts, Kind::host, "beegfs_rdma_connections");
constexpr const FactSpec& kTcp = row(kFacts, Kind::host, "beegfs_tcp_connections");
constexpr const FactSpec& kMixed = row(kFacts, Kind::host, "beegfs_mixed_servers");
constexpr const FactSpec& kTos = row(kFacts, Kind::host, "beegfs_tos");
constexpr const FactSpec& kKeyType = row(kFacts, Kind::host, "beegfs_key_type");
constexpr const FactSpec& kFragment = row(kFacts, Kind::host, "beegfs_buffer_fragment");
constexpr const FactSpec& kGds = row(kFacts, Kind::host, "gds_loaded");
constexpr const FactSpec& kMaximum = row(kFacts, Kind::host, "beegfs_connections_max");

const Entity kHost{Kind::host, ""};
constexpr std::string_view kFolder = "/proc/fs/beegfs";
constexpr std::size_t kMostClients = 64;

using Settings = std::map<std::string, std::string, std::less<>>;

// Lines "key = value".
Result<Settings> settings_in(const Host& host, const std::string& file) {
    const auto text = host.read(file);
    if (!text) return tl::unexpected<Error>(text.error());
    Settings settings;
    for (const std::string_view line : lines(*text)) {
        if (trim(line).empty()) continue;
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos) {
            return fail(Errc::bad_input, fmt::format("{}: not a setting: '{}'", file, printable(line)));
        }
        settings.insert_or_assign(std::string(trim(line.substr(0, equals))),
                                  std::string(trim(line.substr(equals + 1))));
    }
    return settings;
}

Result<Value> setting(const std::string& file, const Settings& settings, std::string_view key, Parser parser) {
    const auto found = settings.find(key);
    if (found == settings.end()) return fail(Errc::not_supported, fmt::format("{}: no {}", file, key));
    auto value = parser(found->second);
    if (!value) value.error().what = fmt::format("{}: {}: {}", file, key, value.error().what);
    return value;
}

// What the clients are set up alike to; different settings are an Error that says so.
class Agreed {
public:
    void add(Result<Value> value) {
        if (!value_) {
            value_ = std::move(value);
        } else if (*value_ && value && **value_ != *value) {
            value_ = fail(Errc::not_supported, fmt::format("{}: the mounts are set up differently", kFolder));
        } else if (!value) {
            value_ = std::move(value);
        }
    }
    void put(const FactSpec& spec, Plan& plan) {
        plan.set(kHost, spec, value_ ? *value_ : fail(Errc::not_supported, fmt::format("{}: no mount", kFolder)));
    }

private:
    std::optional<Result<Value>> value_;
};

void plan_settings(const Host& host, const std::vector<std::string>& clients, Plan& plan) {
    Agreed use, tos, type, fragment, most;
    for (const std::string& client : clients) {
        const std::string file = fmt::format("{}/{}/config", kFolder, client);
        const auto settings = settings_in(host, file);
        const auto of = [&](std::string_view key, Parser parser) -> Result<Value> {
            if (!settings) return tl::unexpected<Error>(settings.error());
            return setting(file, *settings, key, parser);
        };
        use.add(of("connUseRDMA", as_switch));
        tos.add(of("connRDMATypeOfService", as_count));
        type.add(of("connRDMAKeyType", as_label));
        auto part = of("connRDMAFragmentSize", as_count);
        const bool whole = part && std::get<std::int64_t>(*part) == 0;
        if (whole || !part) part = of("connRDMABufSize", as_count);
        fragment.add(std::move(part));
        most.add(of("connMaxInternodeNum", as_count));
    }
    use.put(kUse, plan);
    tos.put(kTos, plan);
    type.put(kKeyType, plan);
    fragment.put(kFragment, plan);
    most.put(kMaximum, plan);
}

struct Server {
    std::string name;
    std::int64_t tcp = 0, rdma = 0;
};

// "TCP: 2 (…" → 2
std::int64_t count_of(std::string_view line, std::string_view protocol) {
    const std::size_t at = line.find(protocol);
    if (at == std::string_view::npos) return 0;
    const std::string_view rest = trim(line.substr(at + protocol.size()));
    return parse_counter(rest.substr(0, rest.find_first_of(" ;("))).value_or(0);
}

// "storage1 [ID: 1]\n   Connections: TCP: 1 (10.0.0.1:8003 [fallback route]); RDMA: 4 (10.9.0.1:8003); \n"
Result<std::vector<Server>> servers_in(const Host& host, const std::string& file) {
    const auto text = host.read(file);
    if (!text) return tl::unexpected<Error>(text.error());
    std::vector<Server> servers;
    for (const std::string_view line : lines(*text)) {
        const std::string_view word = trim(line);
        if (word.empty()) continue;
        if (word.find(" [ID: ") != std::string_view::npos) {
            servers.push_back({std::string(words(word).front()), 0, 0});
        } else if (servers.empty()) {
            return fail(Errc::bad_input, fmt::format("{}: not a server: '{}'", file, printable(word)));
        } else if (word.starts_with("Connections:")) {
            servers.back().tcp = count_of(word, "TCP:");
            servers.back().rdma = count_of(word, "RDMA:");
        }
    }
    return servers;
}

void plan_servers(const Host& host, const std::vector<std::string>& clients, Plan& plan) {
    std::int64_t tcp = 0, rdma = 0;
    std::vector<std::string> on_tcp;
    for (const std::string& client : clients) {
        for (const std::string_view kind : {"meta_nodes", "storage_nodes"}) {
            const auto servers = servers_in(host, fmt::format("{}/{}/{}", kFolder, client, kind));
            if (!servers) {
                for (const FactSpec* spec : {&kRdma, &kTcp, &kMixed}) plan.gap(kHost, *spec, gap_from(servers.error()));
                return;
            }
            for (const Server& server : *servers) {
                tcp += server.tcp;
                rdma += server.rdma;
                if (server.tcp > 0) on_tcp.push_back(server.name);
            }
        }
    }
    plan.put(kHost, kRdma, rdma);
    plan.put(kHost, kTcp, tcp);
    plan.put(kHost, kMixed, rdma > 0 ? listed(std::move(on_tcp)) : std::string("none"));
}

Result<Value> gds_loaded(const Host& host) {
    const auto modules = host.list("/sys/module");
    if (!modules) return tl::unexpected<Error>(modules.error());
    return Value(std::find(modules->begin(), modules->end(), "nvidia_fs") != modules->end());
}

void discover(const Host& host, Plan& plan) {
    plan.set(kHost, kGds, gds_loaded(host));
    auto clients = host.list(kFolder);
    if (clients && clients->size() > kMostClients) {
        clients = fail(Errc::limit, fmt::format("{}: more than {}", kFolder, kMostClients));
    }
    if (!clients) {
        for (const FactSpec& spec : kFacts) {
            if (&spec != &kGds) plan.gap(kHost, spec, gap_from(clients.error()));
        }
        return;
    }
    plan.put(kHost, kClients, static_cast<std::int64_t>(clients->size()));
    plan_settings(host, *clients, plan);
    plan_servers(host, *clients, plan);
}

}  // namespace

// Connections fall back and recover without any folder that changes.
extern const Collector beegfs;
constinit const Collector beegfs{"beegfs", kFacts, {}, Seconds(30), Rediscover::always, discover};

}  // namespace rd::collectors
