// SPDX-License-Identifier: GPL-2.0-or-later
// NFS over RDMA, both ends: what is declared (fstab, nfs.conf), what the kernel really does (mounts, listeners), and what it counts.
// All of it is software of the host; no server and no device is asked.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "collectors/common/files.h"
#include "collectors/common/mounts.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec text_row(std::string_view name, std::string_view doc) {
    return {Kind::host, name, Type::text, Nature::config, "", doc};
}
constexpr FactSpec config(std::string_view name, std::string_view doc) {
    return {Kind::host, name, Type::integer, Nature::config, "", doc};
}
constexpr FactSpec counter(std::string_view name, std::string_view unit, std::string_view doc) {
    return {Kind::host, name, Type::integer, Nature::counter, unit, doc};
}

constexpr FactSpec kFacts[] = {
    text_row(
        "declared_nfs_rdma",
        "Places where /etc/fstab wants NFS over RDMA (proto=rdma or rdma), or none; those that are not mounted too"),
    text_row("nfs_rdma", "Places where NFS is mounted over RDMA, or none: /proc/self/mounts, option proto=rdma"),
    text_row("nfs_rdma_on_tcp",
             "Places that /etc/fstab wants over RDMA and that are mounted otherwise, or none: /proc/self/mounts"),
    {Kind::host, "nfsd_rdma_wanted", Type::boolean, Nature::config, "",
     "The NFS server is told to listen for RDMA: /etc/nfs.conf and nfs.conf.d, [nfsd] rdma"},
    config("nfsd_threads", "Threads of the NFS server, 0: it does not run: /proc/fs/nfsd/threads"),
    {Kind::host, "nfsd_rdma", Type::boolean, Nature::config, "",
     "The NFS server listens for RDMA: /proc/fs/nfsd/portlist"},
    config("nfs_rdma_slots",
           "Requests a mount over RDMA has under way at most: sysctl sunrpc.rdma_slot_table_entries, absent without "
           "CONFIG_SUNRPC_DEBUG"),
    config("nfsd_rdma_credits", "Requests the server grants each client: sysctl sunrpc.svc_rdma.max_requests"),
    counter("nfsd_rdma_sq_starved", "waits",
            "Waits of the server for room in a send queue: sysctl sunrpc.svc_rdma.rdma_stat_sq_starve"),
    counter("nfs_rdma_connects", "connections", "Connections of mounts over RDMA made: /proc/self/mountstats"),
    counter("nfs_rdma_requests", "requests", "Requests of mounts over RDMA sent: /proc/self/mountstats"),
    counter("nfs_rdma_reply_chunks", "requests",
            "Requests whose answer does not fit inline and got memory of its own: /proc/self/mountstats"),
    counter("nfs_rdma_mrs_lost", "regions",
            "Memory regions of mounts over RDMA thrown away after errors: /proc/self/mountstats, mrs_recycled and "
            "mrs_orphaned"),
    counter(
        "nfs_rdma_failed", "requests",
        "Requests that could not be built and answers that made no sense: /proc/self/mountstats, failed_marshal and "
        "bad_reply"),
};

constexpr const FactSpec& kDeclared = row(kFacts, Kind::host, "declared_nfs_rdma");
constexpr const FactSpec& kMounted = row(kFacts, Kind::host, "nfs_rdma");
constexpr const FactSpec& kOnTcp = row(kFacts, Kind::host, "nfs_rdma_on_tcp");
constexpr const FactSpec& kWanted = row(kFacts, Kind::host, "nfsd_rdma_wanted");
constexpr const FactSpec& kThreads = row(kFacts, Kind::host, "nfsd_threads");
constexpr const FactSpec& kListens = row(kFacts, Kind::host, "nfsd_rdma");

const Entity kHost{Kind::host, ""};
constexpr std::string_view kStatistics = "/proc/self/mountstats";

bool is_nfs(const Mount& mount) { return mount.type == "nfs" || mount.type == "nfs4"; }
bool over_rdma(const Mount& mount) { return is_nfs(mount) && (mount.has("proto=rdma") || mount.has("rdma")); }

void plan_mounts(const Host& host, Plan& plan) {
    const auto declared = read_mounts(host, std::string(kFstab));
    plan.set(kHost, kDeclared, declared.map([](const auto& all) { return Value(places(all, over_rdma)); }));
    const auto mounted = read_mounts(host, "/proc/self/mounts");
    plan.set(kHost, kMounted, mounted.map([](const auto& all) { return Value(places(all, over_rdma)); }));
    if (!declared || !mounted) {
        return plan.gap(kHost, kOnTcp, gap_from(declared ? mounted.error() : declared.error()));
    }
    std::set<std::string> wanted;
    for (const Mount& mount : *declared) {
        if (over_rdma(mount)) wanted.insert(mount.where);
    }
    plan.put(kHost, kOnTcp, places(*mounted, [&](const Mount& mount) {
                 return is_nfs(mount) && !over_rdma(mount) && wanted.contains(mount.where);
             }));
}

// The last setting of rdma in the section [nfsd]; "" when it says nothing.
Result<std::string> setting_in(const std::string& file, std::string_view text) {
    std::string section, found;
    for (const std::string_view line : lines(text)) {
        const std::string_view word = trim(line);
        if (word.empty() || word.front() == '#' || word.front() == ';') continue;
        const std::size_t equals = word.find('=');
        if (word.front() == '[' && word.back() == ']') {
            section = word;
        } else if (equals == std::string_view::npos) {
            // "include file" has none either.
            if (!word.starts_with("include")) {
                return fail(Errc::bad_input, fmt::format("{}: not a setting: '{}'", file, printable(word)));
            }
        } else if (section == "[nfsd]" && trim(word.substr(0, equals)) == "rdma") {
            found = trim(word.substr(equals + 1));
        }
    }
    return found;
}

Result<Value> server_wants_rdma(const Host& host) {
    const std::string file = "/etc/nfs.conf", folder = file + ".d";
    std::vector<std::string> files{file};
    for (const std::string& name : host.list(folder).value_or(std::vector<std::string>{})) {
        if (name.ends_with(".conf")) files.push_back(fmt::format("{}/{}", folder, name));
    }
    std::string setting;
    for (const std::string& one : files) {
        const auto text = host.read(one);
        if (!text) return tl::unexpected<Error>(text.error());
        const auto found = setting_in(one, *text);
        if (!found) return tl::unexpected<Error>(found.error());
        if (!found->empty()) setting = *found;
    }
    // A number above 1 is a port.
    return Value(setting == "y" || setting == "yes" || setting == "true" || setting == "on" || setting == "1" ||
                 parse_counter(setting).value_or(0) > 1 || setting == "nfsrdma");
}

// "rdma 20049\ntcp 2049\n"
Result<Value> as_listens_for_rdma(std::string_view text) {
    bool rdma = false;
    for (const std::string_view line : lines(text)) {
        const auto fields = words(line);
        if (fields.empty()) continue;
        if (fields.size() != 2 || !parse_counter(fields[1])) {
            return fail(Errc::bad_input, fmt::format("not a listener: '{}'", printable(line)));
        }
        rdma |= fields[0].starts_with("rdma");
    }
    return Value(rdma);
}

// Places of a line "xprt: rdma …", counted from behind that word: net/sunrpc/xprtrdma/transport.c, xprt_rdma_print_stats. Ten of
// every transport come first.
struct Column {
    const FactSpec& spec;
    std::array<std::size_t, 2> at;  // added; equal when there is one
};
constexpr Column kColumns[] = {
    {row(kFacts, Kind::host, "nfs_rdma_connects"), {2, 2}},
    {row(kFacts, Kind::host, "nfs_rdma_requests"), {5, 5}},
    {row(kFacts, Kind::host, "nfs_rdma_reply_chunks"), {12, 12}},
    {row(kFacts, Kind::host, "nfs_rdma_failed"), {18, 19}},
    {row(kFacts, Kind::host, "nfs_rdma_mrs_lost"), {21, 22}},
};
constexpr std::size_t kFewest = 23;

// Mounts of one server share a connection, and each shows it.
Result<std::set<std::vector<std::string_view>>> transports_in(std::string_view text) {
    std::set<std::vector<std::string_view>> transports;
    if (!text.empty() && !text.starts_with("device ")) {
        return fail(Errc::bad_input, fmt::format("{}: does not begin with a mount", kStatistics));
    }
    for (const std::string_view line : lines(text)) {
        const auto fields = words(line);
        if (fields.size() < 2 || fields[0] != "xprt:" || fields[1] != "rdma") continue;
        const std::vector<std::string_view> numbers(fields.begin() + 2, fields.end());
        if (numbers.size() < kFewest) {
            return fail(Errc::not_supported, fmt::format("{}: an old kernel: {} numbers of a transport instead of {}",
                                                         kStatistics, numbers.size(), kFewest));
        }
        transports.insert(numbers);
    }
    return transports;
}

Result<Value> sum_of(const std::set<std::vector<std::string_view>>& transports, const Column& column) {
    std::int64_t sum = 0;
    for (const auto& numbers : transports) {
        for (std::size_t i = 0; i < column.at.size(); ++i) {
            if (i > 0 && column.at[i] == column.at[0]) continue;
            const auto number = parse_counter(numbers[column.at[i]]);
            if (!number) return fail(number.error().code, fmt::format("{}: {}", kStatistics, number.error().what));
            if (__builtin_add_overflow(sum, *number, &sum)) return fail(Errc::bad_input, std::string(kStatistics));
        }
    }
    return Value(sum);
}

void plan_statistics(Plan& plan) {
    std::vector<Cover> covers;
    for (const Column& column : kColumns) covers.push_back({kHost, &column.spec});
    plan.decode(std::string(kStatistics), covers, [covers](std::string_view text, Facts& out) {
        const auto transports = transports_in(text);
        if (!transports) return gap_all(covers, gap_from(transports.error()), out);
        for (const Column& column : kColumns) out.set(kHost, column.spec, sum_of(*transports, column));
    });
}

constexpr Source kSysctls[] = {
    {"rdma_slot_table_entries", row(kFacts, Kind::host, "nfs_rdma_slots"), as_count},
    {"svc_rdma/max_requests", row(kFacts, Kind::host, "nfsd_rdma_credits"), as_count},
    {"svc_rdma/rdma_stat_sq_starve", row(kFacts, Kind::host, "nfsd_rdma_sq_starved"), as_count},
};

void discover(const Host& host, Plan& plan) {
    plan_mounts(host, plan);
    plan.set(kHost, kWanted, server_wants_rdma(host));
    plan.read("/proc/fs/nfsd/threads", kHost, kThreads, as_count);
    plan.read("/proc/fs/nfsd/portlist", kHost, kListens, as_listens_for_rdma);
    for (const Source& sysctl : kSysctls) {
        plan.read(fmt::format("/proc/sys/sunrpc/{}", sysctl.name), kHost, sysctl.spec, sysctl.parser);
    }
    plan_statistics(plan);
}

}  // namespace

// Mounts come and go without any folder that could be watched.
extern const Collector nfs;
constinit const Collector nfs{"nfs", kFacts, {}, Seconds(30), Rediscover::always, discover};

}  // namespace rd::collectors
