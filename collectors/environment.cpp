// SPDX-License-Identifier: GPL-2.0-or-later
// Variables with which processes that use RDMA were started, as far as they steer UCX, NCCL, Mooncake, libfabric and Open MPI. A program
// may have set others since. What the variables name is looked for elsewhere (derived).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "collectors/common/files.h"
#include "collectors/common/mounts.h"
#include "collectors/common/processes.h"
#include "collectors/common/settings.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec variable(std::string_view name, Type type, std::string_view doc, std::string_view unit = "") {
    return {Kind::process, name, type, Nature::config, unit, doc};
}

constexpr FactSpec kFacts[] = {
    variable("env_ucx_tls", Type::text, "UCX_TLS: transports UCX may use"),
    variable("env_ucx_net_devices", Type::text, "UCX_NET_DEVICES: devices UCX may use"),
    variable("env_ucx_gid_index", Type::integer, "UCX_IB_GID_INDEX as a number; a gap when it is left to UCX"),
    variable("env_ucx_traffic_class", Type::integer, "UCX_IB_TRAFFIC_CLASS as a number"),
    variable("env_ucx_fork_init", Type::text, "UCX_IB_FORK_INIT"),
    variable("env_ucx_rc_timeout", Type::real, "UCX_RC_TIMEOUT", "seconds"),
    variable("env_ucx_rc_retries", Type::integer, "UCX_RC_RETRY_COUNT"),
    variable("env_nccl", Type::boolean, "It has any variable of NCCL"),
    variable("env_nccl_ib_disable", Type::boolean, "NCCL_IB_DISABLE"),
    variable("env_nccl_gid_index", Type::integer, "NCCL_IB_GID_INDEX; a gap when negative: left to NCCL"),
    variable("env_nccl_hca", Type::text, "NCCL_IB_HCA: devices NCCL may use"),
    variable("env_nccl_tc", Type::integer, "NCCL_IB_TC: traffic class"),
    variable("env_nccl_pkey", Type::integer, "NCCL_IB_PKEY: an index, not a key"),
    variable("env_nccl_timeout", Type::integer, "NCCL_IB_TIMEOUT: 4.096 µs × 2 to this power"),
    variable("env_nccl_dmabuf", Type::boolean, "NCCL_DMABUF_ENABLE"),
    variable("env_nccl_gdr_level", Type::text, "NCCL_NET_GDR_LEVEL: how far a GPU may be from the adapter"),
    variable("env_nccl_qps", Type::integer, "NCCL_IB_QPS_PER_CONNECTION"),
    variable("env_mooncake", Type::boolean, "It has any variable of Mooncake (MC_…)"),
    variable("env_mc_gid_index", Type::integer, "MC_GID_INDEX"),
    variable("env_mc_tc", Type::integer, "MC_IB_TC: traffic class"),
    variable("env_fi_mr_monitor", Type::text, "FI_MR_CACHE_MONITOR"),
    variable("env_fi_universe_size", Type::integer, "FI_UNIVERSE_SIZE: peers to expect"),
    variable("env_ompi_btl", Type::text, "OMPI_MCA_btl"),
    variable("env_ompi_openib", Type::text, "Variables of the openib transport (OMPI_MCA_btl_openib_…), or none"),
    variable("env_ompi_openib_gid0", Type::boolean,
             "OMPI_MCA_btl chooses openib, and OMPI_MCA_btl_openib_gid_index is 0 or not set, which is the same"),
    variable("env_mistyped", Type::text, "Variables no release knows, as people write them by mistake, or none"),
    {Kind::host, "declared_nccl_ib_disable", Type::boolean, Nature::config, "", "/etc/nccl.conf, NCCL_IB_DISABLE"},
};

const Entity kHost{Kind::host, ""};
constexpr std::string_view kPasted = "environment";

constexpr const FactSpec& of(std::string_view name) {
    for (const FactSpec& spec : kFacts) {
        if (spec.name == name) return spec;
    }
    throw "no such row";
}

Result<Value> as_whole(std::string_view text) {
    // Numbers of such variables may be written with 0x.
    if (text.starts_with("0x")) return as_hex(text);
    return as_count(text);
}

// "1.0s", "500ms", "2000000us", "0.5m"; plain numbers are seconds.
Result<Value> as_time(std::string_view text) {
    const auto number = leading_number(text);
    if (!number) return tl::unexpected<Error>(number.error());
    const std::string_view unit = text.substr(std::min(text.find_first_not_of("0123456789."), text.size()));
    constexpr std::array<std::pair<std::string_view, double>, 6> kUnits{
        {{"", 1}, {"s", 1}, {"m", 60}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
    for (const auto& [name, factor] : kUnits) {
        if (unit == name) return Value(*number * factor);
    }
    return fail(Errc::bad_input, fmt::format("not a time: '{}'", printable(text)));
}

struct Variable {
    std::string_view name;
    const FactSpec& spec;
    Parser parser;
    bool automatic = false;  // "auto" and negative numbers leave it to the library
};

constexpr Variable kVariables[] = {
    {"UCX_TLS", of("env_ucx_tls"), as_label},
    {"UCX_NET_DEVICES", of("env_ucx_net_devices"), as_label},
    {"UCX_IB_GID_INDEX", of("env_ucx_gid_index"), as_whole, true},
    {"UCX_IB_TRAFFIC_CLASS", of("env_ucx_traffic_class"), as_whole, true},
    {"UCX_IB_FORK_INIT", of("env_ucx_fork_init"), as_label},
    {"UCX_RC_TIMEOUT", of("env_ucx_rc_timeout"), as_time},
    {"UCX_RC_RETRY_COUNT", of("env_ucx_rc_retries"), as_whole},
    {"NCCL_IB_DISABLE", of("env_nccl_ib_disable"), as_switch},
    {"NCCL_IB_GID_INDEX", of("env_nccl_gid_index"), as_whole, true},
    {"NCCL_IB_HCA", of("env_nccl_hca"), as_label},
    {"NCCL_IB_TC", of("env_nccl_tc"), as_whole, true},
    {"NCCL_IB_PKEY", of("env_nccl_pkey"), as_whole},
    {"NCCL_IB_TIMEOUT", of("env_nccl_timeout"), as_whole},
    {"NCCL_DMABUF_ENABLE", of("env_nccl_dmabuf"), as_switch},
    {"NCCL_NET_GDR_LEVEL", of("env_nccl_gdr_level"), as_label},
    {"NCCL_IB_QPS_PER_CONNECTION", of("env_nccl_qps"), as_whole},
    {"MC_GID_INDEX", of("env_mc_gid_index"), as_whole, true},
    {"MC_IB_TC", of("env_mc_tc"), as_whole, true},
    {"FI_MR_CACHE_MONITOR", of("env_fi_mr_monitor"), as_label},
    {"FI_UNIVERSE_SIZE", of("env_fi_universe_size"), as_whole},
    {"OMPI_MCA_btl", of("env_ompi_btl"), as_label},
};

// Seen in reports; each resembles one that exists.
constexpr std::string_view kMistyped[] = {
    "UCX_IB_GID_IDX",       "UCX_IB_TC",       "UCX_NET_DEVICE",        "UCX_TRANSPORTS",
    "UCX_IB_SERVICE_LEVEL", "NCCL_IB_GID_IDX", "NCCL_IB_TRAFFIC_CLASS", "NCCL_IB_HCAS",
    "NCCL_IB_DEVICES",      "NCCL_GID_INDEX",  "NCCL_GDR_LEVEL",        "MC_TC",
    "MC_GID_IDX",           "MC_IB_GID_INDEX", "FI_VERBS_GID_INDEX"};

using Fields = std::vector<std::pair<std::string, std::string>>;

bool begins(const Fields& fields, std::string_view prefix) {
    return std::any_of(fields.begin(), fields.end(),
                       [prefix](const auto& field) { return field.first.starts_with(prefix); });
}

void put_variable(const Entity& entity, const Variable& variable, const Fields& fields, const std::string& subject,
                  Plan& plan) {
    const auto found =
        std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.first == variable.name; });
    if (found == fields.end()) {
        return plan.gap(entity, variable.spec, not_offered(fmt::format("{}: {} is not set", subject, variable.name)));
    }
    const std::string_view text = trim(found->second);
    if (variable.automatic && (text.starts_with('-') || text == "auto")) {
        const std::string why = fmt::format("{}: {} leaves it to the library", subject, variable.name);
        return plan.gap(entity, variable.spec, not_offered(why));
    }
    auto value = variable.parser(text);
    if (!value) value.error().what = fmt::format("{}: {}: {}", subject, variable.name, value.error().what);
    plan.set(entity, variable.spec, std::move(value));
}

std::string_view value_of(const Fields& fields, std::string_view name) {
    for (const auto& [key, value] : fields) {
        if (key == name) return trim(value);
    }
    return {};
}

// "openib,self" chooses it, "^openib" all but it.
bool openib_with_first_gid(const Fields& fields) {
    const std::string_view chosen = value_of(fields, "OMPI_MCA_btl");
    const std::string_view index = value_of(fields, "OMPI_MCA_btl_openib_gid_index");
    const auto names = split(chosen, ',');
    return !chosen.starts_with('^') && std::find(names.begin(), names.end(), "openib") != names.end() &&
           (index.empty() || index == "0");
}

void put_all(const Entity& entity, const Fields& fields, const std::string& subject, Plan& plan) {
    for (const Variable& variable : kVariables) put_variable(entity, variable, fields, subject, plan);
    plan.put(entity, of("env_nccl"), begins(fields, "NCCL_"));
    plan.put(entity, of("env_mooncake"), begins(fields, "MC_"));
    plan.put(entity, of("env_ompi_openib_gid0"), openib_with_first_gid(fields));
    std::vector<std::string> openib, mistyped;
    for (const auto& [name, value] : fields) {
        if (name.starts_with("OMPI_MCA_btl_openib_")) openib.push_back(name);
        if (std::find(std::begin(kMistyped), std::end(kMistyped), name) != std::end(kMistyped))
            mistyped.push_back(name);
    }
    plan.put(entity, of("env_ompi_openib"), listed(std::move(openib)));
    plan.put(entity, of("env_mistyped"), listed(std::move(mistyped)));
}

// Empty: no known variable is set.
Result<Fields> variables_in(const Host& host, const std::string& subject) {
    const auto text = host.read(subject);
    if (!text) return tl::unexpected<Error>(text.error());
    if (trim(*text).empty()) return Fields();
    const auto record = parse_record(*text);
    if (!record) return tl::unexpected<Error>(named(subject, record.error()));
    return record->fields();
}

void plan_process(const Host& host, const Entity& entity, const std::string& subject, Plan& plan) {
    const auto fields = variables_in(host, subject);
    if (fields) return put_all(entity, *fields, subject, plan);
    for (const FactSpec& spec : kFacts) {
        if (spec.kind == Kind::process) plan.gap(entity, spec, gap_from(fields.error()));
    }
}

// Variables in a pasted text: lines of the subject "logs" whose source is the environment. Whose they are is not known.
Fields pasted_variables(const Host& host) {
    Fields fields;
    const auto text = host.read("logs");
    const auto records = text ? parse_records(*text) : Result<std::vector<Record>>(std::vector<Record>{});
    for (const Record& record : records.value_or(std::vector<Record>{})) {
        const std::string line = record.get("text").value_or(std::string());
        const std::size_t equals = line.find('=');
        if (record.get("source") != kPasted || equals == std::string::npos) continue;
        fields.emplace_back(line.substr(0, equals), line.substr(equals + 1));
    }
    return fields;
}

void plan_declared(const Host& host, Plan& plan) {
    const std::string subject = "config.ini/NCCL_IB_DISABLE/etc/nccl.conf";
    const auto settings = read_settings(host, subject);
    std::optional<std::string> last;
    for (const Setting& setting : settings.value_or(std::vector<Setting>{})) last = setting.value;
    const auto value = settings.map([&](const auto&) { return last; });
    put_declared(kHost, {"NCCL_IB_DISABLE", of("declared_nccl_ib_disable"), as_declared_switch}, subject, value, plan);
}

void discover(const Host& host, Plan& plan) {
    plan_declared(host, plan);
    for (const RdmaProcess& process : rdma_processes(host).found) {
        plan_process(host, process.entity, fmt::format("proc.env/{}", process.pid), plan);
    }
    const Fields pasted = pasted_variables(host);
    if (!pasted.empty()) put_all({Kind::process, std::string(kPasted)}, pasted, std::string(kPasted), plan);
}

}  // namespace

extern const Collector environment;
constinit const Collector environment{"environment", kFacts, {}, Seconds(60), Rediscover::always, discover};

}  // namespace rd::collectors
