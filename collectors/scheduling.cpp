// SPDX-License-Identifier: GPL-2.0-or-later
// How long the threads of processes that use RDMA ran, and how long they were ready and had to wait for a processor. A thread that polls
// and shares its processor shows as waiting; its own counters of completions do not tell.
#include <fmt/format.h>

#include "collectors/common/processes.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::process, "threads", Type::integer, Nature::gauge, "threads", "Threads it has: /proc/PID/task"},
    {Kind::process, "run_time", Type::integer, Nature::counter, "ns",
     "Time its threads ran: /proc/PID/task/TID/schedstat, summed; for at most 128 threads"},
    {Kind::process, "run_wait", Type::integer, Nature::counter, "ns",
     "Time its threads were ready to run and waited for a processor: /proc/PID/task/TID/schedstat, summed"},
};

constexpr const FactSpec& kThreads = row(kFacts, Kind::process, "threads");
constexpr const FactSpec& kRunTime = row(kFacts, Kind::process, "run_time");
constexpr const FactSpec& kRunWait = row(kFacts, Kind::process, "run_wait");

constexpr std::size_t kMostThreads = 128;  // each is a file to read

struct Times {
    std::int64_t run = 0, wait = 0;
};

// "1234567890 4567 89": ran, waited, time slices.
Result<Times> times_of(const std::string& path, std::string_view text) {
    const auto fields = words(text);
    if (fields.size() != 3) return fail(Errc::bad_input, path + ": not three numbers: '" + printable(text) + "'");
    const auto run = parse_counter(fields[0]), wait = parse_counter(fields[1]);
    if (!run) return fail(run.error().code, path + ": " + run.error().what);
    if (!wait) return fail(wait.error().code, path + ": " + wait.error().what);
    return Times{*run, *wait};
}

// Threads that ended meanwhile are left out; their time is then missing, and the sum goes back: a reset, as history takes it.
Result<Times> times_of_all(const Host& host, const std::string& folder, const std::vector<std::string>& threads) {
    Times sum;
    for (const std::string& thread : threads) {
        const std::string path = fmt::format("{}/{}/schedstat", folder, thread);
        const auto text = host.read(path);
        if (!text && text.error().code == Errc::not_found && threads.size() > 1) continue;
        if (!text) return tl::unexpected<Error>(text.error());
        const auto times = times_of(path, *text);
        if (!times) return times;
        sum.run += times->run;
        sum.wait += times->wait;
    }
    return sum;
}

void plan_process(const Host& host, const RdmaProcess& process, Plan& plan) {
    const std::string folder = fmt::format("/proc/{}/task", process.pid);
    const auto threads = host.list(folder);
    const auto both = [&](const Gap& gap) {
        plan.gap(process.entity, kRunTime, gap);
        plan.gap(process.entity, kRunWait, gap);
    };
    if (!threads) {
        plan.gap(process.entity, kThreads, gap_from(threads.error()));
        return both(gap_from(threads.error()));
    }
    plan.put(process.entity, kThreads, static_cast<std::int64_t>(threads->size()));
    if (threads->size() > kMostThreads)
        return both(not_collected(fmt::format("{}: more than {} threads", folder, kMostThreads)));
    const auto times = times_of_all(host, folder, *threads);
    if (!times) return both(gap_from(times.error()));
    plan.put(process.entity, kRunTime, times->run);
    plan.put(process.entity, kRunWait, times->wait);
}

void discover(const Host& host, Plan& plan) {
    const RdmaProcesses processes = rdma_processes(host);
    if (processes.gap) plan.kind_gap(Kind::process, *processes.gap);
    for (const RdmaProcess& process : processes.found) plan_process(host, process, plan);
}

}  // namespace

extern const Collector scheduling;
constinit const Collector scheduling{"scheduling", kFacts, {}, Seconds(2), Rediscover::always, discover};

}  // namespace rd::collectors
