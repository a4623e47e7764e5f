// SPDX-License-Identifier: GPL-2.0-or-later
// What ceph.conf declares about RDMA, per daemon. The database of the monitors may say otherwise, and is not asked: `ceph config get osd.3 KEY`
// shows what holds. One row a setting.
#include <fmt/format.h>

#include <array>
#include <map>

#include "collectors/common/services.h"
#include "collectors/common/settings.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    setting("declared_ms_type", Type::text, "",
            "Ceph's transport for all networks (async+posix, async+rdma): ceph.conf ms_type"),
    setting("declared_ms_public_type", Type::text, "", "Ceph's transport for clients: ceph.conf ms_public_type"),
    setting("declared_ms_cluster_type", Type::text, "", "Ceph's transport among OSDs: ceph.conf ms_cluster_type"),
    setting("declared_ms_async_rdma_device_name", Type::text, "", "RDMA device: ceph.conf ms_async_rdma_device_name"),
    setting("declared_ms_async_rdma_port_num", Type::integer, "", "Its port: ceph.conf ms_async_rdma_port_num"),
    setting("declared_ms_async_rdma_gid_idx", Type::integer, "", "Index of the GID: ceph.conf ms_async_rdma_gid_idx"),
    setting("declared_ms_async_rdma_local_gid", Type::text, "",
            "GID, with experimental verbs only: ceph.conf ms_async_rdma_local_gid"),
    setting("declared_ms_async_rdma_roce_ver", Type::integer, "",
            "Kind of GID, with experimental verbs only: ceph.conf ms_async_rdma_roce_ver"),
    setting("declared_ms_async_rdma_dscp", Type::integer, "",
            "Traffic class, not a DSCP: ceph.conf ms_async_rdma_dscp"),
    setting("declared_ms_async_rdma_cm", Type::boolean, "", "Connect by rdma_cm: ceph.conf ms_async_rdma_cm"),
    setting("declared_ms_async_rdma_type", Type::text, "", "ib or iwarp: ceph.conf ms_async_rdma_type"),
    setting("declared_ms_async_rdma_support_srq", Type::boolean, "",
            "Shared receive queue: ceph.conf ms_async_rdma_support_srq"),
    setting("declared_ms_async_rdma_receive_queue_len", Type::integer, "",
            "Receives posted at once: ceph.conf ms_async_rdma_receive_queue_len"),
    setting("declared_ms_async_rdma_receive_buffers", Type::integer, "",
            "Most receive buffers, 0 no limit: ceph.conf ms_async_rdma_receive_buffers"),
    setting("declared_ms_async_rdma_send_buffers", Type::integer, "",
            "Send buffers: ceph.conf ms_async_rdma_send_buffers"),
    setting("declared_ms_async_rdma_buffer_size", Type::integer, "bytes",
            "Size of a buffer: ceph.conf ms_async_rdma_buffer_size"),
    setting("declared_ms_async_rdma_polling_us", Type::integer, "microseconds",
            "Polling after a wake-up: ceph.conf ms_async_rdma_polling_us"),
    setting("ceph_rdma_declared", Type::boolean, "",
            "ceph.conf asks for RDMA on a network that this program speaks on"),
    setting("ceph_rdma_public", Type::boolean, "", "ceph.conf asks for RDMA on the network of the clients"),
    setting("ceph_gid_index", Type::integer, "",
            "Index of the GID: ceph.conf, else the default 0 where ceph.conf asks for RDMA; a gap where nothing there "
            "is about RDMA"),
    setting("ceph_receive_queue", Type::integer, "",
            "Receives posted at once, a queue pair or SRQ: ceph.conf, else the default 4096"),
    setting("ceph_receive_buffers", Type::integer, "",
            "Most receive buffers, 0 no limit: ceph.conf, else the default 32768"),
    setting("ceph_registers", Type::integer, "bytes",
            "What it registers until it works: send buffers, two queues full of receive buffers, 64 MiB; from "
            "ceph.conf, else the defaults"),
    {Kind::host, "ceph_kernel_clients", Type::integer, Nature::gauge, "",
     "Ceph block devices and file systems of the kernel: /sys/bus/rbd/devices, ceph-N in /sys/class/bdi"},
};

consteval const FactSpec& fact(std::string_view name) { return row(kFacts, Kind::service, name); }

constexpr std::string_view kFile = "/etc/ceph/ceph.conf";

constexpr Declared kSettings[] = {
    {"ms_type", fact("declared_ms_type"), as_label},
    {"ms_public_type", fact("declared_ms_public_type"), as_label},
    {"ms_cluster_type", fact("declared_ms_cluster_type"), as_label},
    {"ms_async_rdma_device_name", fact("declared_ms_async_rdma_device_name"), as_label},
    {"ms_async_rdma_port_num", fact("declared_ms_async_rdma_port_num"), as_count},
    {"ms_async_rdma_gid_idx", fact("declared_ms_async_rdma_gid_idx"), as_count},
    {"ms_async_rdma_local_gid", fact("declared_ms_async_rdma_local_gid"), as_label},
    {"ms_async_rdma_roce_ver", fact("declared_ms_async_rdma_roce_ver"), as_count},
    {"ms_async_rdma_dscp", fact("declared_ms_async_rdma_dscp"), as_count},
    {"ms_async_rdma_cm", fact("declared_ms_async_rdma_cm"), as_declared_switch},
    {"ms_async_rdma_type", fact("declared_ms_async_rdma_type"), as_label},
    {"ms_async_rdma_support_srq", fact("declared_ms_async_rdma_support_srq"), as_declared_switch},
    {"ms_async_rdma_receive_queue_len", fact("declared_ms_async_rdma_receive_queue_len"), as_count},
    {"ms_async_rdma_receive_buffers", fact("declared_ms_async_rdma_receive_buffers"), as_count},
    {"ms_async_rdma_send_buffers", fact("declared_ms_async_rdma_send_buffers"), as_count},
    {"ms_async_rdma_buffer_size", fact("declared_ms_async_rdma_buffer_size"), as_declared_size},
    {"ms_async_rdma_polling_us", fact("declared_ms_async_rdma_polling_us"), as_count},
};

using Text = Result<std::optional<std::string>>;

// All settings of one daemon.
class Conf {
public:
    explicit Conf(const Host& host) {
        for (const Declared& each : kSettings) all_.emplace(each.name, read_settings(host, subject(each.name)));
    }

    static std::string subject(std::string_view name) { return fmt::format("config.ini/{}{}", name, kFile); }

    [[nodiscard]] Text of(std::string_view name, const Service& service) const {
        const auto& settings = all_.find(name)->second;
        if (!settings) return tl::unexpected<Error>(settings.error());
        return of_sections(*settings, sections(service));
    }

private:
    // From the one that counts most: [osd.3], [osd], [global]. Of a system that does not run [osd] stands for all.
    static std::vector<std::string> sections(const Service& service) {
        std::string type = service.program == "radosgw" ? "client" : service.program;
        if (const std::size_t dash = type.rfind('-'); dash != std::string::npos) type = type.substr(dash + 1);
        if (type.empty()) type = "osd";
        return {type + "." + service.instance, type, "global", ""};
    }

    std::map<std::string_view, Result<std::vector<Setting>>> all_;
};

bool is_rdma(const std::optional<std::string>& type) { return type && type->find("rdma") != std::string::npos; }

struct Wish {
    bool any = false, clients = false;
};

// What is not set for one network is what `ms_type` says. Only OSDs speak on the network of the cluster. A file that is not there asks for
// nothing.
Result<Wish> wish_of(const Conf& conf, const Service& service) {
    std::array<std::optional<std::string>, 3> types;
    constexpr std::array<std::string_view, 3> kNames{"ms_type", "ms_public_type", "ms_cluster_type"};
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        auto type = conf.of(kNames[i], service);
        if (!type && type.error().code != Errc::not_found) return tl::unexpected<Error>(type.error());
        if (type) types[i] = std::move(*type);
    }
    const bool on_cluster = service.program.empty() || service.program == "ceph-osd";
    Wish wish;
    wish.clients = is_rdma(types[1] ? types[1] : types[0]);
    wish.any = wish.clients || (on_cluster && is_rdma(types[2] ? types[2] : types[0]));
    return wish;
}

// Who asks for RDMA in the file says the rest there too, or means the default; who does not may say all of it elsewhere.
Result<Value> gid_index(const Conf& conf, const Service& service, const Result<Wish>& wish) {
    constexpr std::string_view kName = "ms_async_rdma_gid_idx";
    const Text text = conf.of(kName, service);
    if (!text && text.error().code != Errc::not_found) return tl::unexpected<Error>(text.error());
    if (text && *text) {
        auto value = as_count(**text);
        if (!value) value.error().what = fmt::format("{}: {}", Conf::subject(kName), value.error().what);
        return value;
    }
    if (!wish) return tl::unexpected<Error>(wish.error());
    if (wish->any) return Value(std::int64_t{0});
    return fail(Errc::not_supported, Conf::subject(kName) + ": not set there");
}

void plan_wish(const Conf& conf, const Service& service, Plan& plan) {
    const auto wish = wish_of(conf, service);
    plan.set(service.entity, fact("ceph_gid_index"), gid_index(conf, service, wish));
    plan.set(service.entity, fact("ceph_rdma_declared"), wish.map([](const Wish& is) { return Value(is.any); }));
    plan.set(service.entity, fact("ceph_rdma_public"), wish.map([](const Wish& is) { return Value(is.clients); }));
}

Result<std::int64_t> number_of(const Conf& conf, const Service& service, std::string_view name, Parser parser,
                               std::int64_t otherwise) {
    const Text text = conf.of(name, service);
    if (!text && text.error().code != Errc::not_found) return tl::unexpected<Error>(text.error());
    if (!text || !*text) return otherwise;
    const auto value = parser(**text);
    if (!value) return fail(value.error().code, fmt::format("{}: {}", Conf::subject(name), value.error().what));
    return std::get<std::int64_t>(*value);
}

constexpr std::int64_t kMiB = 1 << 20;

Result<Value> registers(const Result<std::int64_t>& queue, const Result<std::int64_t>& send,
                        const Result<std::int64_t>& size) {
    for (const Result<std::int64_t>* part : {&queue, &send, &size}) {
        if (!*part) return tl::unexpected<Error>(part->error());
    }
    std::int64_t buffers = 0, bytes = 0;
    const bool too_large =
        __builtin_mul_overflow(*queue, 2, &buffers) || __builtin_add_overflow(buffers, *send, &buffers) ||
        __builtin_mul_overflow(buffers, *size, &bytes) || __builtin_add_overflow(bytes, 64 * kMiB, &bytes);
    if (too_large) return fail(Errc::bad_input, fmt::format("{}: buffers beyond 2^63", kFile));
    return Value(bytes);
}

void plan_sizes(const Conf& conf, const Service& service, Plan& plan) {
    const auto queue = number_of(conf, service, "ms_async_rdma_receive_queue_len", as_count, 4096);
    const auto most = number_of(conf, service, "ms_async_rdma_receive_buffers", as_count, 32768);
    const auto send = number_of(conf, service, "ms_async_rdma_send_buffers", as_count, 1024);
    const auto size = number_of(conf, service, "ms_async_rdma_buffer_size", as_declared_size, 131072);
    const auto value = [](std::int64_t number) { return Value(number); };
    plan.set(service.entity, fact("ceph_receive_queue"), queue.map(value));
    plan.set(service.entity, fact("ceph_receive_buffers"), most.map(value));
    plan.set(service.entity, fact("ceph_registers"), registers(queue, send, size));
}

// Without the module rbd there is no such bus; file systems mounted by the kernel have a backing device each.
Result<Value> kernel_clients(const Host& host) {
    std::int64_t count = 0;
    const auto images = list_subsystem(host, "/sys/bus/rbd/devices", "/sys/bus");
    if (!images) return tl::unexpected<Error>(images.error());
    count += static_cast<std::int64_t>(images->size());
    const auto backing = list_subsystem(host, "/sys/class/bdi", "/sys/class");
    if (!backing) return tl::unexpected<Error>(backing.error());
    for (const std::string& name : *backing) count += name.starts_with("ceph-") ? 1 : 0;
    return Value(count);
}

void discover(const Host& host, Plan& plan) {
    const auto found = services_of(host, "ceph");
    if (found.empty()) {
        return plan.gap({Kind::host, ""}, row(kFacts, Kind::host, "ceph_kernel_clients"),
                        not_collected("no daemon and no configuration of Ceph here"));
    }
    plan.set({Kind::host, ""}, row(kFacts, Kind::host, "ceph_kernel_clients"), kernel_clients(host));
    const Conf conf(host);
    for (const Service& service : found) {
        for (const Declared& each : kSettings) {
            put_declared(service.entity, each, Conf::subject(each.name), conf.of(each.name, service), plan);
        }
        plan_wish(conf, service, plan);
        plan_sizes(conf, service, plan);
    }
}

}  // namespace

extern const Collector ceph;
constinit const Collector ceph{"ceph", kFacts, {}, Seconds(60), Rediscover::always, discover};

}  // namespace rd::collectors
