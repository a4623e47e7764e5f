// SPDX-License-Identifier: GPL-2.0-or-later
#include "collectors/common/processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/records.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

// The process that looks opens devices itself now and then. In a bundle this is the one that recorded it.
std::int64_t own_pid(const Host& host) {
    const auto text = host.read("/proc/self/status");
    if (!text) return 0;
    const auto field = status_field(*text, "Pid");
    return field ? parse_integer(*field).value_or(0) : 0;
}

Result<std::vector<std::int64_t>> pids_in(const Host& host, const std::string& subject) {
    const auto text = host.read(subject);
    if (!text) return tl::unexpected<Error>(text.error());
    const auto records = parse_records(*text);
    if (!records) return fail(records.error().code, subject + ": " + records.error().what);
    std::vector<std::int64_t> pids;
    for (const Record& record : *records) {
        const auto pid = parse_counter(record.get("pid").value_or(std::string()));
        if (pid && *pid > 0) pids.push_back(*pid);  // absent: of the kernel, or outside this pid namespace
    }
    return pids;
}

struct Holders {
    std::vector<std::int64_t> pids;
    std::optional<Error> unknown;  // there may be more
};

// Older kernels list no contexts, but say whose the queue pairs are (Linux 4.17): who has none uses little. A text may show the one
// without the other; there the list of queue pairs may be a part of them.
Holders holders(const Host& host, const std::string& device) {
    const auto contexts = pids_in(host, "rdma.ctx/" + device);
    if (contexts) return {*contexts, {}};
    const Errc why = contexts.error().code;
    if (why != Errc::not_supported && why != Errc::not_found && why != Errc::not_collected)
        return {{}, contexts.error()};
    auto owners = pids_in(host, "rdma.qp/" + device);
    if (!owners) return {{}, contexts.error()};
    std::sort(owners->begin(), owners->end());
    owners->erase(std::unique(owners->begin(), owners->end()), owners->end());
    return {std::move(*owners), why == Errc::not_collected ? std::optional(contexts.error()) : std::nullopt};
}

}  // namespace

Result<std::string_view> status_field(std::string_view status, std::string_view key) {
    for (const std::string_view line : lines(status)) {
        if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == ':') {
            return trim(line.substr(key.size() + 1));
        }
    }
    return fail(Errc::not_supported, fmt::format("no line {}", key));
}

RdmaProcesses rdma_processes(const Host& host) {
    RdmaProcesses result;
    const auto names = host.list(kInfiniband);
    if (!names) {
        // None, or a source that cannot say.
        if (const auto devices = rdma_devices(host); !devices) result.gap = gap_from(devices.error());
        return result;
    }
    // Asked in every sweep: which device a name stands for is found out only where a process uses one.
    std::map<std::string, std::vector<std::int64_t>, std::less<>> pids_of;
    for (const std::string& name : *names) {
        Holders found = holders(host, name);
        if (found.unknown && !result.gap) result.gap = gap_from(*found.unknown);
        if (!found.pids.empty()) pids_of.emplace(name, std::move(found.pids));
    }
    if (pids_of.empty()) return result;
    auto devices = rdma_devices(host);
    if (!devices) {
        result.gap = gap_from(devices.error());
        return result;
    }
    std::sort(devices->begin(), devices->end(), [](const auto& a, const auto& b) { return a.entity < b.entity; });
    std::map<std::int64_t, std::vector<RdmaDevice>> users;
    for (const RdmaDevice& device : *devices) {
        const auto pids = pids_of.find(device.name);
        if (pids == pids_of.end()) continue;
        for (const std::int64_t pid : pids->second) {
            std::vector<RdmaDevice>& used = users[pid];
            if (used.empty() || used.back().entity != device.entity) used.push_back(device);
        }
    }
    users.erase(own_pid(host));
    for (auto& [pid, used] : users) {
        auto status = host.read(fmt::format("/proc/{}/status", pid));
        if (!status && status.error().code == Errc::not_found) continue;  // it ended meanwhile
        result.found.push_back({pid, {Kind::process, std::to_string(pid)}, std::move(status), std::move(used)});
    }
    return result;
}

}  // namespace rd::collectors
