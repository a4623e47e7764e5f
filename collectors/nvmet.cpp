// SPDX-License-Identifier: GPL-2.0-or-later
// The NVMe target of the kernel as it is set up: what it exports over RDMA, where, and to whom. Whether it listens there is seen from
// the connections of the devices (derived).
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "collectors/common/files.h"
#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec number_row(std::string_view name, std::string_view unit, std::string_view doc) {
    return {Kind::host, name, Type::integer, Nature::config, unit, doc};
}

constexpr FactSpec kFacts[] = {
    {Kind::host, "nvmet_addresses", Type::text, Nature::config, "",
     "Addresses of the ports over RDMA that export something, or none (192.0.2.1:4420): configfs "
     "nvmet/ports/N/addr_trtype, addr_traddr, addr_trsvcid, subsystems"},
    {Kind::host, "nvmet_open_subsystems", Type::text, Nature::config, "",
     "Subsystems exported over RDMA to any host, or none: configfs nvmet/subsystems/NQN/attr_allow_any_host"},
    number_row(
        "nvmet_buffered", "namespaces",
        "Enabled namespaces exported over RDMA that go through the page cache: configfs namespaces/N/buffered_io"),
    number_row(
        "nvmet_inline_size", "bytes",
        "Largest write a port over RDMA is told to take inside a command: configfs ports/N/param_inline_data_size"),
    {Kind::host, "nvmet_use_srq", Type::boolean, Nature::config, "",
     "Queues of the NVMe target share receive buffers: /sys/module/nvmet_rdma/parameters/use_srq"},
};

constexpr const FactSpec& kAddresses = row(kFacts, Kind::host, "nvmet_addresses");
constexpr const FactSpec& kOpen = row(kFacts, Kind::host, "nvmet_open_subsystems");
constexpr const FactSpec& kBuffered = row(kFacts, Kind::host, "nvmet_buffered");
constexpr const FactSpec& kInline = row(kFacts, Kind::host, "nvmet_inline_size");
constexpr const FactSpec& kSrq = row(kFacts, Kind::host, "nvmet_use_srq");

const Entity kHost{Kind::host, ""};
constexpr std::string_view kConfig = "/sys/kernel/config/nvmet";
constexpr std::size_t kMost = 1024;  // ports, subsystems, namespaces of one: beyond that the folder is not believed

using Names = std::vector<std::string>;

Result<Names> names_in(const Host& host, const std::string& folder) {
    auto names = host.list(folder);
    if (names && names->size() > kMost) return fail(Errc::limit, fmt::format("{}: more than {}", folder, kMost));
    return names;
}

std::string joined(const std::set<std::string>& words) {
    return words.empty() ? "none" : fmt::format("{}", fmt::join(words, " "));
}

struct Exports {
    std::set<std::string> addresses;   // of ports with a subsystem
    std::set<std::string> subsystems;  // exported by those
    std::int64_t inline_size = 0;
};

// 192.0.2.1:4420, [fd00::1]:4420
Result<std::string> address_of(const Host& host, const std::string& port) {
    const auto address = read_value(host, port + "/addr_traddr", as_label);
    const auto service = read_value(host, port + "/addr_trsvcid", as_count);
    if (!address) return tl::unexpected<Error>(address.error());
    if (!service) return tl::unexpected<Error>(service.error());
    const auto& text = std::get<std::string>(*address);
    const std::int64_t number = std::get<std::int64_t>(*service);
    return text.find(':') == std::string::npos ? fmt::format("{}:{}", text, number)
                                               : fmt::format("[{}]:{}", text, number);
}

Result<> add_port(const Host& host, const std::string& port, Exports& exports) {
    const auto type = read_word(host, port + "/addr_trtype");
    if (!type) return tl::unexpected<Error>(type.error());
    if (*type != "rdma") return {};
    const auto subsystems = names_in(host, port + "/subsystems");
    if (!subsystems) return tl::unexpected<Error>(subsystems.error());
    if (subsystems->empty()) return {};
    auto address = address_of(host, port);
    if (!address) return tl::unexpected<Error>(address.error());
    exports.addresses.insert(std::move(*address));
    exports.subsystems.insert(subsystems->begin(), subsystems->end());
    // -1: the default of the driver, one page.
    const std::string file = port + "/param_inline_data_size";
    const auto size = read_number(host, file);
    if (!size && size.error().code != Errc::not_found) return tl::unexpected<Error>(size.error());
    exports.inline_size = std::max(exports.inline_size, size.value_or(0));
    return {};
}

Result<Exports> exports_of(const Host& host) {
    Exports exports;
    const std::string folder = fmt::format("{}/ports", kConfig);
    const auto ports = list_subsystem(host, folder, "/sys/kernel/config");
    if (!ports) return tl::unexpected<Error>(ports.error());
    if (ports->size() > kMost) return fail(Errc::limit, fmt::format("{}: more than {}", folder, kMost));
    for (const std::string& port : *ports) {
        if (const auto done = add_port(host, fmt::format("{}/{}", folder, port), exports); !done) {
            return tl::unexpected<Error>(done.error());
        }
    }
    return exports;
}

Result<bool> switched_on(const Host& host, const std::string& path) {
    return read_value(host, path, as_switch).map([](const Value& value) { return std::get<bool>(value); });
}

Result<Value> open_subsystems(const Host& host, const Exports& exports) {
    std::set<std::string> open;
    for (const std::string& nqn : exports.subsystems) {
        const auto any = switched_on(host, fmt::format("{}/subsystems/{}/attr_allow_any_host", kConfig, nqn));
        if (!any) return tl::unexpected<Error>(any.error());
        if (*any) open.insert(printable(nqn, 223));
    }
    return Value(joined(open));
}

Result<Value> buffered(const Host& host, const Exports& exports) {
    std::int64_t count = 0;
    for (const std::string& nqn : exports.subsystems) {
        const std::string folder = fmt::format("{}/subsystems/{}/namespaces", kConfig, nqn);
        const auto namespaces = names_in(host, folder);
        if (!namespaces) return tl::unexpected<Error>(namespaces.error());
        for (const std::string& name : *namespaces) {
            const auto enabled = switched_on(host, fmt::format("{}/{}/enable", folder, name));
            const auto through_cache = switched_on(host, fmt::format("{}/{}/buffered_io", folder, name));
            if (!enabled) return tl::unexpected<Error>(enabled.error());
            if (!through_cache) return tl::unexpected<Error>(through_cache.error());
            count += *enabled && *through_cache;
        }
    }
    return Value(count);
}

void discover(const Host& host, Plan& plan) {
    plan.read("/sys/module/nvmet_rdma/parameters/use_srq", kHost, kSrq, as_switch);
    const auto exports = exports_of(host);
    if (!exports) {
        for (const FactSpec* spec : {&kAddresses, &kOpen, &kBuffered, &kInline}) {
            plan.gap(kHost, *spec, gap_from(exports.error()));
        }
        return;
    }
    plan.put(kHost, kAddresses, joined(exports->addresses));
    plan.put(kHost, kInline, exports->inline_size);
    plan.set(kHost, kOpen, open_subsystems(host, *exports));
    plan.set(kHost, kBuffered, buffered(host, *exports));
}

}  // namespace

// Ports are switched on and off below a folder that stays the same: looked at again and again.
extern const Collector nvmet;
constinit const Collector nvmet{"nvmet", kFacts, {}, Seconds(30), Rediscover::always, discover};

}  // namespace rd::collectors
