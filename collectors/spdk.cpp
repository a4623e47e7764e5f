// SPDX-License-Identifier: GPL-2.0-or-later
// What the configuration says that a program of SPDK was started with (--json, -c). What was set through its RPC socket afterwards is not asked:
// `rpc.py save_config` shows what holds.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "collectors/common/services.h"
#include "collectors/common/settings.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec number(std::string_view name, std::string_view unit, std::string_view doc) {
    return setting(name, Type::integer, unit, doc);
}

constexpr FactSpec kFacts[] = {
    {Kind::service, "declared_config", Type::text, Nature::config, "",
     "File that a program of SPDK was started with: --json, -c"},
    number("declared_rdma_transports", "", "nvmf_create_transport of RDMA in its configuration"),
    number("declared_in_capsule_data_size", "bytes",
           "nvmf_create_transport in_capsule_data_size, of RDMA; 4096 unless set"),
    number("declared_max_queue_depth", "", "nvmf_create_transport max_queue_depth, of RDMA; 128 unless set"),
    number("declared_max_srq_depth", "", "nvmf_create_transport max_srq_depth, of RDMA; 4096 unless set"),
    {Kind::service, "declared_no_srq", Type::boolean, Nature::config, "",
     "nvmf_create_transport no_srq, of RDMA; false unless set"},
    number(
        "declared_buffer_cache", "buffers",
        "Large buffers each poll group keeps: nvmf_create_transport iobuf_large_cache_size or buf_cache_size, of RDMA"),
    number("declared_large_pool", "buffers", "iobuf_set_options large_pool_count; 1024 unless set"),
    number("declared_old_buffer_options", "",
           "num_shared_buffers, buf_cache_size and io_unit_size in its configuration: of no use since 26.05"),
    number("declared_rdma_controllers", "", "bdev_nvme_attach_controller of RDMA in its configuration"),
    number("declared_rdma_paths_more", "", "Of these, how many are further paths to a controller of the same name"),
    number("declared_ctrlr_loss_timeout", "seconds", "bdev_nvme_set_options ctrlr_loss_timeout_sec; 0 unless set"),
    number("declared_keep_alive", "ms", "bdev_nvme_set_options keep_alive_timeout_ms; 10000 unless set"),
    number("declared_timeout_us", "microseconds", "bdev_nvme_set_options timeout_us; 0 unless set"),
    number("declared_transport_tos", "", "bdev_nvme_set_options transport_tos; 0 unless set"),
    number("declared_listeners_elsewhere", "",
           "Listeners of RDMA in its configuration whose IPv4 address no GID and no IPoIB interface here has"),
};

consteval const FactSpec& fact(std::string_view name) { return row(kFacts, Kind::service, name); }

struct Params {
    std::string method;
    std::map<std::string, std::string, std::less<>> of;

    [[nodiscard]] bool is_rdma() const {
        const auto type = of.find("trtype");
        return type != of.end() && (type->second == "RDMA" || type->second == "rdma");
    }
};

constexpr std::string_view kTransport = "nvmf_create_transport", kAttach = "bdev_nvme_attach_controller",
                           kOptions = "bdev_nvme_set_options", kBuffers = "iobuf_set_options",
                           kListener = "nvmf_subsystem_add_listener";
constexpr std::string_view kNames[] = {"trtype",
                                       "in_capsule_data_size",
                                       "max_queue_depth",
                                       "max_srq_depth",
                                       "no_srq",
                                       "iobuf_large_cache_size",
                                       "buf_cache_size",
                                       "num_shared_buffers",
                                       "io_unit_size",
                                       "large_pool_count",
                                       "name",
                                       "ctrlr_loss_timeout_sec",
                                       "keep_alive_timeout_ms",
                                       "timeout_us",
                                       "transport_tos",
                                       "listen_address.trtype",
                                       "listen_address.traddr"};

// "subsystems.3.config.0" of the path to a setting in it.
std::string call_of(std::string_view at) {
    std::size_t end = 0, indices = 0;
    for (std::size_t begin = 0; begin <= at.size() && indices < 2;) {
        end = std::min(at.find('.', begin), at.size());
        if (parse_counter(at.substr(begin, end - begin))) ++indices;
        begin = end + 1;
    }
    return std::string(at.substr(0, end));
}

// The calls of the configuration, in its order of paths.
Result<std::vector<Params>> calls_of(const Host& host, const std::string& file) {
    const auto methods = read_settings(host, fmt::format("config.yaml/config.method{}", file));
    if (!methods) return tl::unexpected<Error>(methods.error());
    std::map<std::string, Params> calls;
    for (const Setting& each : *methods) calls[call_of(each.at)].method = each.value;
    for (const std::string_view name : kNames) {
        const auto settings = read_settings(host, fmt::format("config.yaml/params.{}{}", name, file));
        if (!settings) return tl::unexpected<Error>(settings.error());
        const std::string_view leaf = name.substr(name.rfind('.') + 1);
        for (const Setting& each : *settings) calls[call_of(each.at)].of[std::string(leaf)] = each.value;
    }
    std::vector<Params> list;
    for (auto& [at, call] : calls) list.push_back(std::move(call));
    return list;
}

struct Option {
    std::string_view method, name;
    const FactSpec& spec;
    Parser parser;
    std::string_view otherwise;
};
constexpr Option kOptionRows[] = {
    {kTransport, "in_capsule_data_size", fact("declared_in_capsule_data_size"), as_count, "4096"},
    {kTransport, "max_queue_depth", fact("declared_max_queue_depth"), as_count, "128"},
    {kTransport, "max_srq_depth", fact("declared_max_srq_depth"), as_count, "4096"},
    {kTransport, "no_srq", fact("declared_no_srq"), as_declared_switch, "false"},
    {kOptions, "ctrlr_loss_timeout_sec", fact("declared_ctrlr_loss_timeout"), as_integer, "0"},
    {kOptions, "keep_alive_timeout_ms", fact("declared_keep_alive"), as_count, "10000"},
    {kOptions, "timeout_us", fact("declared_timeout_us"), as_count, "0"},
    {kOptions, "transport_tos", fact("declared_transport_tos"), as_count, "0"},
    {kBuffers, "large_pool_count", fact("declared_large_pool"), as_count, "1024"},
};

// The last call that says it. Of transports only RDMA's, and only where there is one.
void put_option(const Service& service, const std::vector<Params>& calls, const Option& option, const std::string& file,
                Plan& plan) {
    std::optional<std::string> value;
    bool any = option.method != kTransport;
    for (const Params& call : calls) {
        if (call.method != option.method || (call.method == kTransport && !call.is_rdma())) continue;
        any = true;
        if (const auto found = call.of.find(option.name); found != call.of.end()) value = found->second;
    }
    if (any && !value) value = std::string(option.otherwise);
    put_declared(service.entity, {option.name, option.spec, option.parser}, file, value, plan);
}

void put_counts(const Service& service, const std::vector<Params>& calls, const std::string& file, Plan& plan) {
    std::int64_t transports = 0, old = 0, controllers = 0, further = 0;
    std::set<std::string> names;
    std::optional<std::string> cache;
    for (const Params& call : calls) {
        if (call.method == kTransport && call.is_rdma()) {
            ++transports;
            for (const std::string_view name : {"num_shared_buffers", "buf_cache_size", "io_unit_size"}) {
                old += call.of.contains(name) ? 1 : 0;
            }
            for (const std::string_view name : {"buf_cache_size", "iobuf_large_cache_size"}) {
                if (const auto found = call.of.find(name); found != call.of.end()) cache = found->second;
            }
        }
        if (call.method != kAttach || !call.is_rdma()) continue;
        ++controllers;
        const auto name = call.of.find("name");
        further += name != call.of.end() && !names.insert(name->second).second ? 1 : 0;
    }
    plan.put(service.entity, fact("declared_rdma_transports"), transports);
    plan.put(service.entity, fact("declared_old_buffer_options"), old);
    plan.put(service.entity, fact("declared_rdma_controllers"), controllers);
    plan.put(service.entity, fact("declared_rdma_paths_more"), further);
    put_declared(service.entity, {"iobuf_large_cache_size", fact("declared_buffer_cache"), as_count}, file, cache,
                 plan);
}

// 10.9.0.1 as the GID that the kernel makes of it; empty: no IPv4 address.
std::string gid_of(std::string_view address) {
    std::array<std::int64_t, 4> bytes{};
    const auto parts = split(address, '.');
    if (parts.size() != bytes.size()) return {};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const auto byte = parse_counter(parts[i]);
        if (!byte || *byte > 255) return {};
        bytes[i] = *byte;
    }
    return fmt::format("0000:0000:0000:0000:0000:ffff:{:02x}{:02x}:{:02x}{:02x}", bytes[0], bytes[1], bytes[2],
                       bytes[3]);
}

// The kernel makes a GID of each address of an interface that carries RoCE, VLANs and bonds above it included.
Result<std::set<std::string>> all_gids(const Host& host) {
    const auto devices = rdma_devices(host);
    if (!devices) return tl::unexpected<Error>(devices.error());
    std::set<std::string> gids;
    for (const RdmaDevice& device : *devices) {
        const std::string subject = "verbs.gids/" + device.name;
        const auto text = host.read(subject);
        if (!text) return tl::unexpected<Error>(text.error());
        const auto records = parse_records(*text);
        if (!records) return fail(records.error().code, subject + ": " + records.error().what);
        for (const Record& record : *records) gids.insert(record.get("gid").value_or(std::string()));
    }
    return gids;
}

// InfiniBand makes none: there the interface is one of IPoIB.
Result<std::set<std::string>> ipoib_addresses(const Host& host) {
    constexpr std::string_view kInfinibandType = "32";  // ARPHRD_INFINIBAND
    std::set<std::string> interfaces, addresses;
    for (const std::string_view subject : {"rtnl.link", "rtnl.addr"}) {
        const auto text = host.read(subject);
        if (!text) return tl::unexpected<Error>(text.error());
        const auto records = parse_records(*text);
        if (!records) return fail(records.error().code, fmt::format("{}: {}", subject, records.error().what));
        for (const Record& record : *records) {
            const std::string index = record.get("ifindex").value_or(std::string());
            if (record.get("type") == kInfinibandType) interfaces.insert(index);
            const auto address = record.get("address");
            if (subject == "rtnl.addr" && address && interfaces.contains(index)) addresses.insert(*address);
        }
    }
    return addresses;
}

bool is_any(std::string_view address) { return address == "0.0.0.0" || address == "::"; }

void put_listeners(const Host& host, const Service& service, const std::vector<Params>& calls, Plan& plan) {
    const FactSpec& spec = fact("declared_listeners_elsewhere");
    std::vector<std::string> wanted;
    for (const Params& call : calls) {
        const auto address = call.of.find("traddr");
        if (call.method != kListener || !call.is_rdma() || address == call.of.end() || is_any(address->second))
            continue;
        if (!gid_of(address->second).empty()) wanted.push_back(address->second);
    }
    if (wanted.empty())
        return plan.gap(service.entity, spec, not_offered("no listener of RDMA with an IPv4 address of its own"));
    const auto gids = all_gids(host);
    const auto ipoib = ipoib_addresses(host);
    if (!gids) return plan.gap(service.entity, spec, gap_from(gids.error()));
    if (!ipoib) return plan.gap(service.entity, spec, gap_from(ipoib.error()));
    plan.put(service.entity, spec,
             static_cast<std::int64_t>(std::count_if(wanted.begin(), wanted.end(), [&](const auto& one) {
                 return !gids->contains(gid_of(one)) && !ipoib->contains(one);
             })));
}

Result<std::string> config_of(const Host& host, const Service& service) {
    if (service.pid == 0) return fail(Errc::not_supported, "it does not run, as far as was looked");
    for (const std::string_view option : {"--json", "--config", "-c"}) {
        const std::string subject = fmt::format("proc.option/{}/{}", service.pid, option);
        const auto text = host.read(subject);
        if (!text) return tl::unexpected<Error>(text.error());
        const auto record = parse_record(*text);
        if (!record) return fail(record.error().code, subject + ": " + record.error().what);
        const auto value = record->get("value");
        if (value && value->starts_with('/')) return *value;
        if (value) return fail(Errc::not_supported, subject + ": not an absolute path");
    }
    return fail(Errc::not_supported, fmt::format("/proc/{}/cmdline: no configuration file", service.pid));
}

void plan_service(const Host& host, const Service& service, Plan& plan) {
    const auto gap_rest = [&](const Error& error, bool file_known) {
        for (const FactSpec& spec : kFacts) {
            if (!file_known || spec.name != "declared_config") plan.gap(service.entity, spec, gap_from(error));
        }
    };
    const auto file = config_of(host, service);
    if (!file) return gap_rest(file.error(), false);
    plan.put(service.entity, fact("declared_config"), printable(*file, 200));
    const auto calls = calls_of(host, *file);
    if (!calls) return gap_rest(calls.error(), true);
    for (const Option& option : kOptionRows) put_option(service, *calls, option, *file, plan);
    put_counts(service, *calls, *file, plan);
    put_listeners(host, service, *calls, plan);
}

void discover(const Host& host, Plan& plan) {
    for (const Service& service : services_of(host, "spdk")) plan_service(host, service, plan);
}

}  // namespace

extern const Collector spdk;
constinit const Collector spdk{"spdk", kFacts, {}, Seconds(60), Rediscover::always, discover};

}  // namespace rd::collectors
