// SPDX-License-Identifier: GPL-2.0-or-later
// SCSI over RDMA: iSER sessions and SRP ports of the host side, and how long each waits for a lost path. Records of iSCSI targets hold
// passwords: of /etc/iscsi only names of files are looked at.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "collectors/common/files.h"
#include "collectors/common/identity.h"
#include "collectors/common/mounts.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec number_row(std::string_view name, std::string_view unit, std::string_view doc) {
    return {Kind::host, name, Type::integer, Nature::config, unit, doc};
}

constexpr FactSpec kFacts[] = {
    number_row("iser_sessions", "",
               "Sessions of iSCSI over RDMA: /sys/class/iscsi_session, scsi_host/proc_name iscsi_iser"),
    number_row("iser_recovery", "seconds",
               "Longest time one of them holds commands of a lost target: iscsi_session/recovery_tmo"),
    {Kind::host, "iser_on_tcp", Type::text, Nature::config, "",
     "Targets recorded for the interface iser whose session goes over TCP, or none: /etc/iscsi/nodes, "
     "/sys/class/iscsi_session"},
    number_row("iser_max_sectors", "sectors",
               "Largest command of 512-byte sectors: module parameter max_sectors of ib_iser"),
    number_row("multipath_maps", "", "Maps of device mapper multipath: /sys/block/dm-N/dm/uuid"),
    number_row("srp_ports", "", "Connections to SRP targets: /sys/class/srp_remote_ports"),
    {Kind::host, "srp_slow_ports", Type::text, Nature::config, "",
     "Those of them whose commands do not fail before the device is given up, or none: fast_io_fail_tmo off or not "
     "below dev_loss_tmo"},
};

constexpr const FactSpec& kSessions = row(kFacts, Kind::host, "iser_sessions");
constexpr const FactSpec& kRecovery = row(kFacts, Kind::host, "iser_recovery");
constexpr const FactSpec& kOnTcp = row(kFacts, Kind::host, "iser_on_tcp");
constexpr const FactSpec& kMaxSectors = row(kFacts, Kind::host, "iser_max_sectors");
constexpr const FactSpec& kMaps = row(kFacts, Kind::host, "multipath_maps");
constexpr const FactSpec& kPorts = row(kFacts, Kind::host, "srp_ports");
constexpr const FactSpec& kSlow = row(kFacts, Kind::host, "srp_slow_ports");

const Entity kHost{Kind::host, ""};
constexpr std::string_view kSession = "/sys/class/iscsi_session";
constexpr std::string_view kRemotePorts = "/sys/class/srp_remote_ports";
constexpr std::string_view kNodes = "/etc/iscsi/nodes";
constexpr std::size_t kMost = 4096;

struct Session {
    std::string target;
    bool iser = false;
    std::int64_t recovery = 0;
};

// …/host7/session2/iscsi_session/session2 → host7
std::string scsi_host_of(std::string_view path) {
    for (const std::string_view part : split(path, '/')) {
        if (number_after(part, "host") >= 0) return std::string(part);
    }
    return {};
}

Result<Session> session_named(const Host& host, const std::string& name) {
    const std::string folder = fmt::format("{}/{}", kSession, name);
    Session session;
    const auto place = host.link(folder);
    if (!place) return tl::unexpected<Error>(place.error());
    const auto driver = read_word(host, fmt::format("/sys/class/scsi_host/{}/proc_name", scsi_host_of(*place)));
    if (!driver) return tl::unexpected<Error>(driver.error());
    session.iser = *driver == "iscsi_iser";
    auto target = read_word(host, folder + "/targetname");
    if (!target) return tl::unexpected<Error>(target.error());
    session.target = std::move(*target);
    const auto recovery = read_number(host, folder + "/recovery_tmo");
    if (!recovery) return tl::unexpected<Error>(recovery.error());
    session.recovery = *recovery;
    return session;
}

Result<std::vector<Session>> sessions_of(const Host& host) {
    const auto names = list_subsystem(host, kSession, "/sys/class");
    if (!names) return tl::unexpected<Error>(names.error());
    if (names->size() > kMost) return fail(Errc::limit, fmt::format("{}: more than {}", kSession, kMost));
    std::vector<Session> sessions;
    for (const std::string& name : *names) {
        auto session = session_named(host, name);
        if (!session) return tl::unexpected<Error>(session.error());
        sessions.push_back(std::move(*session));
    }
    return sessions;
}

// Targets with a record of the interface "iser": nodes/TARGET/PORTAL/iser.
Result<std::set<std::string>> recorded_for_iser(const Host& host) {
    std::set<std::string> found;
    const auto targets = host.list(kNodes);
    if (!targets) {
        if (targets.error().code == Errc::not_found) return found;
        return tl::unexpected<Error>(targets.error());
    }
    for (const std::string& target : *targets) {
        const std::string folder = fmt::format("{}/{}", kNodes, target);
        for (const std::string& portal : host.list(folder).value_or(std::vector<std::string>{})) {
            const auto names = host.list(fmt::format("{}/{}", folder, portal));
            if (names && std::find(names->begin(), names->end(), "iser") != names->end()) found.insert(target);
        }
    }
    return found;
}

Result<Value> on_tcp(const Host& host, const std::vector<Session>& sessions) {
    // The records are root's: without a session over TCP nobody needs them.
    std::set<std::string> tcp;
    for (const Session& session : sessions) {
        if (!session.iser) tcp.insert(session.target);
    }
    for (const Session& session : sessions) {
        if (session.iser) tcp.erase(session.target);
    }
    if (tcp.empty()) return Value(std::string("none"));
    const auto recorded = recorded_for_iser(host);
    if (!recorded) return tl::unexpected<Error>(recorded.error());
    std::vector<std::string> both;
    for (const std::string& target : tcp) {
        if (recorded->contains(target)) both.push_back(target);
    }
    return Value(listed(std::move(both)));
}

void plan_sessions(const Host& host, Plan& plan) {
    const auto sessions = sessions_of(host);
    if (!sessions) {
        for (const FactSpec* spec : {&kSessions, &kRecovery, &kOnTcp})
            plan.gap(kHost, *spec, gap_from(sessions.error()));
        return;
    }
    std::int64_t count = 0, longest = 0;
    for (const Session& session : *sessions) {
        count += session.iser;
        if (session.iser) longest = std::max(longest, session.recovery);
    }
    plan.put(kHost, kSessions, count);
    if (count > 0) {
        plan.put(kHost, kRecovery, longest);
    } else {
        plan.gap(kHost, kRecovery, not_offered("no session of iSCSI over RDMA"));
    }
    plan.set(kHost, kOnTcp, on_tcp(host, *sessions));
}

Result<Value> maps_of(const Host& host) {
    const auto disks = host.list("/sys/block");
    if (!disks) return tl::unexpected<Error>(disks.error());
    std::int64_t count = 0;
    for (const std::string& disk : *disks) {
        if (!disk.starts_with("dm-")) continue;
        const auto uuid = read_word(host, fmt::format("/sys/block/{}/dm/uuid", disk));
        if (!uuid) return tl::unexpected<Error>(uuid.error());
        count += uuid->starts_with("mpath-");
    }
    return Value(count);
}

// Seconds, or -1 for "off".
Result<std::int64_t> seconds_in(const Host& host, const std::string& path) {
    const auto text = read_word(host, path);
    if (!text) return tl::unexpected<Error>(text.error());
    if (*text == "off") return -1;
    const auto seconds = parse_counter(*text);
    if (!seconds) return tl::unexpected<Error>(named(path, seconds.error()));
    return *seconds;
}

void plan_srp(const Host& host, Plan& plan) {
    const auto ports = list_subsystem(host, kRemotePorts, "/sys/class");
    if (!ports) {
        for (const FactSpec* spec : {&kPorts, &kSlow}) plan.gap(kHost, *spec, gap_from(ports.error()));
        return;
    }
    std::vector<std::string> slow;
    std::int64_t count = 0;
    for (const std::string& port : *ports) {
        const std::string folder = fmt::format("{}/{}", kRemotePorts, port);
        const auto fail_after = seconds_in(host, folder + "/fast_io_fail_tmo");
        // Ports of the target side have no such files.
        if (!fail_after && fail_after.error().code == Errc::not_found) continue;
        const auto lose_after = seconds_in(host, folder + "/dev_loss_tmo");
        if (!fail_after || !lose_after) {
            const Error& error = fail_after ? lose_after.error() : fail_after.error();
            plan.gap(kHost, kPorts, gap_from(error));
            return plan.gap(kHost, kSlow, gap_from(error));
        }
        ++count;
        if (*fail_after < 0 || (*lose_after >= 0 && *fail_after >= *lose_after)) slow.push_back(port);
    }
    plan.put(kHost, kPorts, count);
    plan.put(kHost, kSlow, listed(std::move(slow)));
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kSession));
    plan.watch(std::string(kRemotePorts));
    plan_sessions(host, plan);
    plan_srp(host, plan);
    plan.set(kHost, kMaps, maps_of(host));
    plan.read("/sys/module/ib_iser/parameters/max_sectors", kHost, kMaxSectors, as_count);
}

}  // namespace

extern const Collector scsi_rdma;
constinit const Collector scsi_rdma{"scsi_rdma", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
