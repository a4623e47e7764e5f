// SPDX-License-Identifier: GPL-2.0-or-later
// Clock and sleep of the processors, as far as they cost latency. A host has hundreds of CPUs that are nearly always set alike, so
// they are summed up: how many are set otherwise, and the worst of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "collectors/common/files.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec text_row(std::string_view name, std::string_view doc) {
    return {Kind::host, name, Type::text, Nature::config, "", doc};
}
constexpr FactSpec count_row(std::string_view name, std::string_view unit, std::string_view doc) {
    return {Kind::host, name, Type::integer, Nature::config, unit, doc};
}

constexpr FactSpec kFacts[] = {
    count_row("cpus", "", "CPUs that are online: /sys/devices/system/cpu/online"),
    count_row("sockets", "", "Processor packages: cpuN/topology/physical_package_id"),
    {Kind::host, "smt", Type::boolean, Nature::config, "",
     "Several threads share a core: /sys/devices/system/cpu/smt/active"},
    text_row("isolated_cpus", "CPUs the scheduler keeps away from, or none: /sys/devices/system/cpu/isolated"),
    text_row("cpufreq_driver",
             "Who sets the clock (intel_pstate, amd-pstate-epp, acpi-cpufreq): cpuN/cpufreq/scaling_driver"),
    text_row("governors", "Governors and how many CPUs have each (performance 64): cpuN/cpufreq/scaling_governor"),
    text_row("energy_preferences",
             "Energy preferences and how many CPUs have each: cpuN/cpufreq/energy_performance_preference"),
    count_row("cpus_slow_governor", "",
              "CPUs whose governor saves power: not performance; with intel_pstate and amd-pstate in active mode, "
              "where powersave "
              "is the ordinary one, only those whose energy preference is power or balance_power"),
    count_row("cpus_capped", "", "CPUs with a limit below what they can do: scaling_max_freq against cpuinfo_max_freq"),
    count_row("cpu_frequency_max", "MHz", "Lowest upper limit of the clock: cpuN/cpufreq/scaling_max_freq"),
    count_row("cpu_frequency_min", "MHz", "Lowest lower limit of the clock: cpuN/cpufreq/scaling_min_freq"),
    text_row("cpuidle_driver",
             "Who puts CPUs to sleep (intel_idle, acpi_idle): /sys/devices/system/cpu/cpuidle/current_driver"),
    count_row("cstate_latency", "microseconds",
              "Longest time an enabled sleep state takes to leave, of all CPUs: cpuN/cpuidle/stateN/latency, disable"),
    text_row("cstate_deepest", "Name of that state (C6): cpuN/cpuidle/stateN/name"),
    count_row(
        "cpu_latency_limit", "microseconds",
        "Longest time to leave a sleep state that programs allow now: /dev/cpu_dma_latency; 2,000 s when none asks"),
};

const Entity kHost{Kind::host, ""};
constexpr std::string_view kCpus = "/sys/devices/system/cpu";
constexpr std::size_t kMostCpus = 4096;

const FactSpec& host_row(std::string_view name) {
    return *std::find_if(std::begin(kFacts), std::end(kFacts),
                         [name](const FactSpec& spec) { return spec.name == name; });
}

// One attribute over all CPUs: what was found, and the first reason why one could not be read.
struct Collected {
    std::map<std::string, std::int64_t> texts;
    std::optional<Error> absent, failed;

    void add(const Result<std::string>& text) {
        if (text && !text->empty()) {
            ++texts[*text];
        } else if (text || text.error().code == Errc::not_found || text.error().code == Errc::not_supported) {
            if (!absent && !text) absent = text.error();
        } else if (!failed) {
            failed = text.error();
        }
    }
    // Why there is nothing to say; nothing: there is.
    [[nodiscard]] std::optional<Error> problem() const {
        if (failed) return failed;
        if (!texts.empty()) return std::nullopt;
        return absent.value_or(Error{Errc::not_supported, fmt::format("{}: no CPU says it", kCpus), {}});
    }
};

Result<Value> summary(const Collected& found) {
    if (const auto problem = found.problem()) return tl::unexpected<Error>(*problem);
    std::string text;
    for (const auto& [name, count] : found.texts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
    return Value(text);
}

bool saves_power(const std::string& driver, const std::string& governor, const std::string& preference) {
    if (governor == "performance") return false;
    const bool active = driver == "intel_pstate" || driver == "amd-pstate-epp" || driver == "amd_pstate_epp";
    if (!active) return true;
    if (const auto number = parse_counter(preference)) return *number > 128;  // 0 performance … 255 power
    return preference == "power" || preference == "balance_power";
}

class Clocks {
public:
    void look(const Host& host, int cpu) {
        const std::string path = fmt::format("{}/cpu{}/cpufreq", kCpus, cpu);
        const auto governor = read_word(host, path + "/scaling_governor");
        governors_.add(governor);
        if (!governor) return;
        const auto driver = read_word(host, path + "/scaling_driver");
        const auto preference = read_word(host, path + "/energy_performance_preference");
        drivers_.add(driver);
        preferences_.add(preference);
        // A kernel has one driver; a paste may show it of one CPU only.
        if (driver) driver_ = *driver;
        const bool ambiguous = !driver_ && driver.error().code == Errc::not_collected && *governor == "powersave";
        if (ambiguous && !unsure_) unsure_ = driver.error();
        slow_ +=
            !ambiguous && saves_power(driver_.value_or(std::string()), *governor, preference.value_or(std::string()));
        const auto most = frequency(host, path + "/scaling_max_freq", highest_);
        static_cast<void>(frequency(host, path + "/scaling_min_freq", lowest_));
        const auto can = read_number(host, path + "/cpuinfo_max_freq");
        if (!can && !cap_error_) cap_error_ = can.error();
        if (most && can) capped_ += *most < *can;
    }

    void put(Plan& plan) const {
        plan.set(kHost, host_row("governors"), summary(governors_));
        plan.set(kHost, host_row("cpufreq_driver"),
                 drivers_.texts.empty() && governors_.problem() ? tl::unexpected<Error>(*governors_.problem())
                                                                : only_name(drivers_));
        plan.set(kHost, host_row("energy_preferences"), summary(preferences_));
        const auto counted = [&](std::int64_t count) -> Result<Value> {
            if (const auto problem = governors_.problem()) return tl::unexpected<Error>(*problem);
            return Value(count);
        };
        plan.set(kHost, host_row("cpus_slow_governor"),
                 unsure_ && !governors_.problem() ? Result<Value>(tl::unexpected<Error>(*unsure_)) : counted(slow_));
        plan.set(
            kHost, host_row("cpus_capped"),
            cap_error_ && !governors_.problem() ? Result<Value>(tl::unexpected<Error>(*cap_error_)) : counted(capped_));
        const auto limit = [&](const Limit& found) -> Result<Value> {
            if (!governors_.problem() && found.error) return tl::unexpected<Error>(*found.error);
            return counted(found.lowest.value_or(0) / 1000);
        };
        plan.set(kHost, host_row("cpu_frequency_max"), limit(highest_));
        plan.set(kHost, host_row("cpu_frequency_min"), limit(lowest_));
    }

private:
    struct Limit {
        std::optional<std::int64_t> lowest;  // kHz
        std::optional<Error> error;
    };
    static Result<std::int64_t> frequency(const Host& host, const std::string& path, Limit& limit) {
        auto value = read_number(host, path);
        if (!value) {
            if (!limit.error) limit.error = value.error();
        } else if (!limit.lowest || *value < *limit.lowest) {
            limit.lowest = *value;
        }
        return value;
    }
    static Result<Value> only_name(const Collected& found) {
        if (const auto problem = found.problem()) return tl::unexpected<Error>(*problem);
        return Value(found.texts.begin()->first);
    }

    Collected governors_, drivers_, preferences_;
    Limit highest_, lowest_;
    std::optional<std::string> driver_;
    std::optional<Error> unsure_;
    std::int64_t slow_ = 0, capped_ = 0;
    std::optional<Error> cap_error_;
};

class Sleep {
public:
    void look(const Host& host, int cpu) {
        const std::string path = fmt::format("{}/cpu{}/cpuidle", kCpus, cpu);
        const auto states = host.list(path);
        if (!states) {
            if (!absent_) absent_ = states.error();
            return;
        }
        for (const std::string& state : *states) {
            if (number_after(state, "state") < 0) continue;
            const std::string folder = fmt::format("{}/{}", path, state);
            const auto disabled = read_number(host, folder + "/disable");
            const auto& latency = latency_of(host, state, folder);
            if (!disabled || !latency) {
                if (!failed_) failed_ = !disabled ? disabled.error() : latency.error();
                continue;
            }
            any_ = true;
            if (*disabled != 0 || *latency < longest_) continue;
            longest_ = *latency;
            deepest_ = folder + "/name";
        }
    }

    void put(const Host& host, Plan& plan) const {
        const auto problem = failed_ ? failed_ : any_ ? std::nullopt : absent_;
        if (problem || !any_) {
            const Error error =
                problem.value_or(Error{Errc::not_supported, fmt::format("{}: no sleep states", kCpus), {}});
            plan.gap(kHost, host_row("cstate_latency"), gap_from(error));
            return plan.gap(kHost, host_row("cstate_deepest"), gap_from(error));
        }
        plan.put(kHost, host_row("cstate_latency"), longest_);
        if (deepest_.empty()) {
            return plan.gap(kHost, host_row("cstate_deepest"), not_offered(fmt::format("{}: all are disabled", kCpus)));
        }
        plan.set(kHost, host_row("cstate_deepest"), read_value(host, deepest_, as_label));
    }

private:
    // The same on every CPU, so it is read once for each state.
    const Result<std::int64_t>& latency_of(const Host& host, const std::string& state, const std::string& folder) {
        const auto known = latencies_.find(state);
        if (known != latencies_.end()) return known->second;
        return latencies_.emplace(state, read_number(host, folder + "/latency")).first->second;
    }

    std::map<std::string, Result<std::int64_t>> latencies_;
    bool any_ = false;
    std::int64_t longest_ = 0;
    std::string deepest_;
    std::optional<Error> absent_, failed_;
};

// Four bytes, a whole number in the order of the machine: little-endian wherever RDMA is used.
Result<Value> latency_limit(const Host& host) {
    constexpr std::string_view kPath = "/dev/cpu_dma_latency";
    const auto text = host.read(kPath);
    if (!text) return tl::unexpected<Error>(text.error());
    if (text->size() != 4) return fail(Errc::bad_input, fmt::format("{}: not four bytes", kPath));
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>((*text)[i]);
    if (value > 0x7fffffff) return fail(Errc::bad_input, fmt::format("{}: negative", kPath));
    return Value(std::int64_t{value});
}

Result<Value> sockets_of(const Host& host, const std::vector<int>& cpus) {
    std::set<std::int64_t> packages;
    for (const int cpu : cpus) {
        const auto package = read_number(host, fmt::format("{}/cpu{}/topology/physical_package_id", kCpus, cpu));
        if (!package) return tl::unexpected<Error>(package.error());
        packages.insert(*package);
    }
    return Value(static_cast<std::int64_t>(packages.size()));
}

void discover(const Host& host, Plan& plan) {
    const std::string online = fmt::format("{}/online", kCpus);
    auto cpus = read_cpulist(host, online);
    if (cpus && cpus->empty()) cpus = fail(Errc::bad_input, online + ": no CPU");
    if (cpus && cpus->size() > kMostCpus)
        cpus = fail(Errc::limit, fmt::format("{}: more than {} CPUs", online, kMostCpus));
    plan.set(kHost, host_row("smt"), read_value(host, fmt::format("{}/smt/active", kCpus), as_switch));
    const auto isolated = read_word(host, fmt::format("{}/isolated", kCpus));
    plan.set(kHost, host_row("isolated_cpus"),
             isolated.map([](const std::string& list) { return Value(list.empty() ? std::string("none") : list); }));
    plan.set(kHost, host_row("cpuidle_driver"),
             read_value(host, fmt::format("{}/cpuidle/current_driver", kCpus), as_label));
    plan.set(kHost, host_row("cpu_latency_limit"), latency_limit(host));
    if (!cpus) {
        for (const std::string_view name :
             {"cpus", "sockets", "cpufreq_driver", "governors", "energy_preferences", "cpus_slow_governor",
              "cpus_capped", "cpu_frequency_max", "cpu_frequency_min", "cstate_latency", "cstate_deepest"}) {
            plan.gap(kHost, host_row(name), gap_from(cpus.error()));
        }
        return;
    }
    plan.put(kHost, host_row("cpus"), static_cast<std::int64_t>(cpus->size()));
    plan.set(kHost, host_row("sockets"), sockets_of(host, *cpus));
    Clocks clocks;
    Sleep sleep;
    for (const int cpu : *cpus) {
        clocks.look(host, cpu);
        sleep.look(host, cpu);
    }
    clocks.put(plan);
    sleep.put(host, plan);
}

}  // namespace

extern const Collector cpu;
constinit const Collector cpu{"cpu", kFacts, {}, Seconds(60), Rediscover::always, discover};

}  // namespace rd::collectors
