// SPDX-License-Identifier: GPL-2.0-or-later
// What the files of 3FS declare. *_launcher.toml is what a program of this host reads; *_main.toml is only what is uploaded to mgmtd, so what
// stands there is a hint, and `admin_cli get-config` shows what holds.
#include <fmt/format.h>

#include "collectors/common/services.h"
#include "collectors/common/settings.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    setting("declared_device_filter", Type::text, "",
            "RDMA devices or interfaces it is to use; a gap where all: PROGRAM_launcher.toml ib_devices.device_filter"),
    setting("declared_default_traffic_class", Type::integer, "",
            "Traffic class of its queue pairs, 0 unless set: PROGRAM_launcher.toml ib_devices.default_traffic_class"),
    setting("declared_skip_inactive_ports", Type::boolean, "",
            "Ports that are down are left out, true unless set: PROGRAM_launcher.toml ib_devices.skip_inactive_ports"),
    setting("declared_ibsocket_traffic_class", Type::integer, "",
            "Traffic class of its sockets: PROGRAM.toml ibsocket.traffic_class"),
    setting("declared_ibsocket_timeout", Type::integer, "",
            "Ack timeout, 4.096 us times 2 to it, 14 unless set: PROGRAM.toml ibsocket.timeout"),
    setting("declared_ibsocket_rnr_retry", Type::integer, "",
            "RNR retries, 0 unless set: PROGRAM.toml ibsocket.rnr_retry"),
    setting("declared_force_use_tcp", Type::boolean, "", "TCP in the place of RDMA: PROGRAM.toml force_use_tcp"),
    setting("hf3fs_registers", Type::integer, "bytes",
            "What a storage server registers with the default pool: 8 GiB on each device it has open"),
    {Kind::host, "aio_used", Type::integer, Nature::gauge, "",
     "Asynchronous operations that may be in flight: /proc/sys/fs/aio-nr"},
    {Kind::host, "aio_max", Type::integer, Nature::config, "", "Most of them on this host: /proc/sys/fs/aio-max-nr"},
};

consteval const FactSpec& fact(std::string_view name) { return row(kFacts, Kind::service, name); }

constexpr std::string_view kFolder = "/opt/3fs/etc";
constexpr std::int64_t kPool = std::int64_t{8} << 30;

// Of the launcher, or of the template; what a file that is there does not set is the default.
struct Row {
    Declared declared;
    bool launcher;
    std::string_view otherwise;
};
constexpr Row kRows[] = {
    {{"ib_devices.default_traffic_class", fact("declared_default_traffic_class"), as_count}, true, "0"},
    {{"ib_devices.skip_inactive_ports", fact("declared_skip_inactive_ports"), as_declared_switch}, true, "true"},
    {{"ibsocket.traffic_class", fact("declared_ibsocket_traffic_class"), as_count}, false, ""},
    {{"ibsocket.timeout", fact("declared_ibsocket_timeout"), as_count}, false, "14"},
    {{"ibsocket.rnr_retry", fact("declared_ibsocket_rnr_retry"), as_count}, false, "0"},
    {{"force_use_tcp", fact("declared_force_use_tcp"), as_declared_switch}, false, "false"},
};

std::string subject_of(std::string_view name, const Service& service, bool launcher) {
    const std::string_view program = service.program.empty() ? "storage_main" : std::string_view(service.program);
    return fmt::format("config.toml/{}{}/{}{}.toml", name, kFolder, program, launcher ? "_launcher" : "");
}

void plan_row(const Host& host, const Service& service, const Row& each, Plan& plan) {
    const std::string subject = subject_of(each.declared.name, service, each.launcher);
    const auto settings = read_settings(host, subject);
    Result<std::optional<std::string>> value;
    if (!settings) {
        value = tl::unexpected<Error>(settings.error());
    } else if (!settings->empty()) {
        value = std::optional(settings->front().value);
    } else if (!each.otherwise.empty()) {
        value = std::optional(std::string(each.otherwise));
    }
    put_declared(service.entity, each.declared, subject, value, plan);
}

void plan_filter(const Host& host, const Service& service, Plan& plan) {
    const std::string subject = subject_of("ib_devices.device_filter", service, true);
    const auto settings = read_settings(host, subject);
    const FactSpec& spec = fact("declared_device_filter");
    if (!settings) return plan.gap(service.entity, spec, gap_from(settings.error()));
    std::string names;
    for (const Setting& each : *settings) names += (names.empty() ? "" : " ") + printable(each.value);
    if (names.empty()) return plan.gap(service.entity, spec, not_offered(subject + ": every device is used"));
    plan.put(service.entity, spec, names);
}

void discover(const Host& host, Plan& plan) {
    plan.read("/proc/sys/fs/aio-nr", {Kind::host, ""}, row(kFacts, Kind::host, "aio_used"), as_count);
    plan.read("/proc/sys/fs/aio-max-nr", {Kind::host, ""}, row(kFacts, Kind::host, "aio_max"), as_count);
    for (const Service& service : services_of(host, "3fs")) {
        plan_filter(host, service, plan);
        for (const Row& each : kRows) plan_row(host, service, each, plan);
        if (service.program == "storage_main" && !service.devices.empty()) {
            plan.put(service.entity, fact("hf3fs_registers"),
                     kPool * static_cast<std::int64_t>(service.devices.size()));
        } else {
            plan.gap(service.entity, fact("hf3fs_registers"), not_offered("no storage server that has a device open"));
        }
    }
}

}  // namespace

extern const Collector hf3fs;
constinit const Collector hf3fs{"hf3fs", kFacts, {}, Seconds(60), Rediscover::always, discover};

}  // namespace rd::collectors
