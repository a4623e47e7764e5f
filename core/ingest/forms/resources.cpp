// SPDX-License-Identifier: GPL-2.0-or-later
// Memory, CPUs and limits: ulimit, free, /proc/meminfo without its name, numactl -H, lscpu, /proc/interrupts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

Fit sure_if(bool sure) { return sure ? Fit::sure : Fit::none; }

// --- ulimit ---------------------------------------------------------------------------------------------------------------------
// What the shell of whoever pasted it may do; the limits of other processes are their own (prlimit, /proc/PID/limits).

struct LimitName {
    std::string_view printed, line, unit;
    std::int64_t scale;
};
constexpr std::array<LimitName, 4> kLimits{{{"max locked memory", "Max locked memory", "bytes", 1024},
                                            {"open files", "Max open files", "files", 1},
                                            {"max user processes", "Max processes", "processes", 1},
                                            {"stack size", "Max stack size", "bytes", 1024}}};

bool is_limit_line(std::string_view line) {
    const std::size_t open = line.find("(");
    return open != std::string_view::npos && open > 4 && !indented(line) && has(line.substr(open), "-") &&
           has(line.substr(open), ") ") && line.find(')') > open && line.size() < 100 &&
           std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(open), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' ' || c == '-' || c == '/';
           });
}

std::string limit_line(const LimitName& name, std::string_view value) {
    std::string soft(value);
    if (value != "unlimited") {
        const auto number = parse_counter(value);
        if (!number || *number > (std::int64_t{1} << 50)) return {};
        soft = std::to_string(*number * name.scale);
    }
    return fmt::format("{:<26}{:<21}{:<21}{}\n", name.line, soft, soft, name.unit);
}

bool continues_ulimit(const Section& section, const Line& line) {
    if (is_limit_line(line.text)) return true;
    const std::string_view text = trim(line.text);
    return section.empty() && section.command && (text == "unlimited" || is_digits(text));
}

void parse_ulimit(const Section& section, Answers& answers) {
    std::string text;
    for (const std::string& line : section.lines) {
        const auto row = words(line);
        if (row.empty()) continue;
        for (const LimitName& name : kLimits) {
            if (line.starts_with(name.printed)) text += limit_line(name, row.back());
        }
        if (row.size() == 1 && section.command.has_option('l')) text += limit_line(kLimits[0], row[0]);
        if (row.size() == 1 && section.command.has_option('n')) text += limit_line(kLimits[1], row[0]);
    }
    if (!text.empty()) answers.read("/proc/self/limits", text);
}

// --- memory ---------------------------------------------------------------------------------------------------------------------

bool is_meminfo(std::string_view line) {
    const auto pair = pair_of(line);
    if (!pair || !is_name(pair->key.substr(0, pair->key.find('(')))) return false;
    if (starts_with_any(
            pair->key, {"HugePages_", "AnonHugePages", "Hugetlb", "Hugepagesize", "ShmemHugePages", "FileHugePages"})) {
        return true;
    }
    const auto row = words(pair->value);
    return row.size() == 2 && row[1] == "kB" && is_digits(row[0]) &&
           is_any(pair->key,
                  {"MemTotal", "MemFree", "MemAvailable", "Buffers", "Cached", "SwapCached", "SwapTotal", "SwapFree",
                   "Mlocked", "Unevictable", "AnonPages", "Shmem", "Slab", "CommitLimit", "Committed_AS"});
}

void parse_meminfo(const Section& section, Answers& answers) {
    std::string text;
    std::map<std::string, std::int64_t, std::less<>> huge;
    for (const std::string& line : section.lines) {
        text += line + "\n";
        const auto pair = pair_of(line);
        const auto number = pair ? whole_number(pair->value) : std::nullopt;
        if (number) huge.emplace(pair->key, *number);
    }
    answers.read("/proc/meminfo", text);
    const auto size = huge.find("Hugepagesize");
    if (size == huge.end()) return;  // of which size the pages are
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kFiles{
        {{"HugePages_Total", "nr_hugepages"},
         {"HugePages_Free", "free_hugepages"},
         {"HugePages_Rsvd", "resv_hugepages"},
         {"HugePages_Surp", "surplus_hugepages"}}};
    for (const auto& [key, file] : kFiles) {
        const auto found = huge.find(key);
        if (found == huge.end()) continue;
        answers.read(fmt::format("/sys/kernel/mm/hugepages/hugepages-{}kB/{}", size->second, file),
                     std::to_string(found->second));
    }
}

// "Mem:           62Gi        12Gi …"; of `free` without an option in kB.
void parse_free(const Section& section, Answers& answers) {
    for (const std::string& line : section.lines) {
        const auto row = words(line);
        if (row.size() < 7 || row[0] != "Mem:") continue;
        const auto kilobytes = [&](std::string_view text) -> std::int64_t {
            const std::string_view number = number_text(text);
            const auto value = parse_number(number);
            if (!value || *value < 0 || *value > 1e15) return -1;
            const std::string_view unit = text.substr(number.size());
            double scale = section.command.has_option('g') ? 1048576 : section.command.has_option('m') ? 1024 : 1;
            if (section.command.has_option('b')) scale = 1.0 / 1024;
            if (unit.starts_with("T")) scale = 1024.0 * 1048576;
            if (unit.starts_with("G")) scale = 1048576;
            if (unit.starts_with("M")) scale = 1024;
            if (unit.starts_with("B")) scale = 1.0 / 1024;
            return static_cast<std::int64_t>(*value * scale);
        };
        const auto total = kilobytes(row[1]), available = kilobytes(row[6]);
        if (total > 0 && available >= 0) {
            answers.read("/proc/meminfo", fmt::format("MemTotal: {} kB\nMemAvailable: {} kB\n", total, available));
        }
    }
}

// --- NUMA nodes and CPUs --------------------------------------------------------------------------------------------------------

// "node 0 cpus: 0 1 2 3"
bool is_numactl(std::string_view line) {
    const auto row = words(line);
    if (line.starts_with("available: ") && has(line, " nodes (")) return true;
    if (line.starts_with("node distances:")) return true;
    if (row.size() >= 3 && row[0] == "node" && is_digits(row[1]) && is_any(row[2], {"cpus:", "size:", "free:"}))
        return true;
    if (!row.empty() && row[0] == "node" && row.size() > 1 && is_digits(row[1])) return true;
    return row.size() >= 2 && row[0].size() > 1 && row[0].ends_with(':') &&
           is_digits(row[0].substr(0, row[0].size() - 1));
}

void parse_numactl(const Section& section, Answers& answers) {
    for (const std::string& line : section.lines) {
        const auto row = words(line);
        if (row.size() < 3 || row[0] != "node" || !is_digits(row[1])) continue;
        const std::string folder = fmt::format("/sys/devices/system/node/node{}", row[1]);
        if (row[2] == "cpus:") {
            std::string list;
            for (std::size_t i = 3; i < row.size(); ++i) {
                if (is_digits(row[i])) list += (list.empty() ? "" : ",") + std::string(row[i]);
            }
            answers.read(folder + "/cpulist", list);
        } else if (row[2] == "size:" && row.size() > 3 && is_digits(row[3])) {
            if (const auto size = parse_counter(row[3]); size && *size < (std::int64_t{1} << 40)) {
                answers.read(folder + "/meminfo", fmt::format("Node {} MemTotal: {} kB\n", row[1], *size * 1024));
            }
        }
    }
}

bool is_lscpu(std::string_view line) {
    const auto pair = pair_of(line);
    if (!pair) return false;
    return pair->key.starts_with("NUMA node") ||
           is_any(pair->key, {"Architecture",
                              "CPU op-mode(s)",
                              "Byte Order",
                              "CPU(s)",
                              "On-line CPU(s) list",
                              "Off-line CPU(s) list",
                              "Thread(s) per core",
                              "Core(s) per socket",
                              "Socket(s)",
                              "Vendor ID",
                              "Model name",
                              "CPU family",
                              "Model",
                              "Stepping",
                              "CPU MHz",
                              "CPU max MHz",
                              "CPU min MHz",
                              "BogoMIPS",
                              "Hypervisor vendor",
                              "Virtualization type",
                              "Virtualization",
                              "Flags",
                              "Address sizes",
                              "Frequency boost",
                              "L1d cache",
                              "L1i cache",
                              "L2 cache",
                              "L3 cache",
                              "CPU(s) scaling MHz"}) ||
           starts_with_any(pair->key, {"Vulnerability ", "L1d", "L1i", "L2", "L3"});
}

Fit begins_lscpu(std::span<const std::string_view> ahead) {
    const auto pair = pair_of(ahead[0]);
    if (!pair) return Fit::none;
    if (pair->key.starts_with("NUMA node") && pair->key.ends_with("CPU(s)")) return Fit::sure;
    return is_any(pair->key, {"Architecture", "On-line CPU(s) list", "Thread(s) per core", "NUMA node(s)"}) ? Fit::fair
                                                                                                            : Fit::none;
}

void parse_lscpu(const Section& section, Answers& answers) {
    for (const std::string& line : section.lines) {
        const auto pair = pair_of(line);
        if (!pair) continue;
        const auto& [key, value] = *pair;
        if (key == "Architecture") answers.machine(value);
        if (key == "On-line CPU(s) list" && parse_cpulist(value)) answers.read("/sys/devices/system/cpu/online", value);
        if (key == "Thread(s) per core" && is_digits(value)) {
            answers.read("/sys/devices/system/cpu/smt/active", value == "1" ? "0" : "1");
        }
        if (!key.starts_with("NUMA node") || !key.ends_with("CPU(s)")) continue;
        const auto number = whole_number(key.substr(9));
        if (number && *number >= 0 && *number < 4096 && parse_cpulist(value)) {
            answers.read(fmt::format("/sys/devices/system/node/node{}/cpulist", *number), value);
        }
    }
}

// --- /proc/interrupts -----------------------------------------------------------------------------------------------------------

bool is_interrupt(std::string_view line) {
    const auto pair = pair_of(line);
    if (!pair || !(is_digits(pair->key) || pair->key.size() == 3)) return false;
    const auto row = words(pair->value);
    return row.size() >= 2 && is_digits(row[0]) && (is_digits(row[1]) || has(line, "MSI"));
}

bool is_cpu_head(std::string_view line) {
    const auto row = words(line);
    return !row.empty() && row[0].starts_with("CPU") && is_digits(row[0].substr(3)) &&
           std::all_of(row.begin(), row.end(), [](std::string_view word) { return word.starts_with("CPU"); });
}

Fit begins_interrupts(std::span<const std::string_view> ahead) {
    if (is_cpu_head(ahead[0]) && ahead.size() > 1 && is_interrupt(ahead[1])) return Fit::sure;
    return is_interrupt(ahead[0]) && has(ahead[0], "MSI") ? Fit::sure : Fit::none;
}

bool continues_interrupts(const Section& section, const Line& line) {
    return is_interrupt(line.text) || (section.empty() && is_cpu_head(line.text));
}

// Without its heading (`grep mlx5 /proc/interrupts`) the numbers of the columns are not known: they count up where no CPU is offline.
void parse_interrupts(const Section& section, Answers& answers) {
    std::string text;
    if (!is_cpu_head(section.lines.front())) {
        std::size_t columns = 0;
        const auto row = words(pair_of(section.lines.front()).value_or(Pair{}).value);
        while (columns < row.size() && is_digits(row[columns])) ++columns;
        for (std::size_t cpu = 0; cpu < columns; ++cpu) text += fmt::format(" CPU{}", cpu);
        text += "\n";
    }
    std::set<std::string> adapters;
    for (const std::string& line : section.lines) {
        text += line + "\n";
        const auto pair = pair_of(line);
        if (!pair || !is_digits(pair->key)) continue;
        // "mlx5_comp3@pci:0000:41:00.0" says whose vector it is.
        const auto address = behind(line, "@pci:");
        if (!address) continue;
        const std::string function = answers.pci(address->substr(0, 12));
        if (function.empty()) continue;
        answers.exists(fmt::format("/sys/bus/pci/devices/{}/msi_irqs/{}", function, pair->key));
        if (has(line, " mlx5_comp") || has(line, " mlx4-")) adapters.insert(function);
    }
    // Its driver brings an RDMA device with it, which has no name here.
    if (adapters.size() == 1) answers.on_pci("/sys/class/infiniband/" + answers.device({}), *adapters.begin());
    answers.read("/proc/interrupts", text);
}

constexpr Form kForms[] = {
    {"ulimit", "ulimit -a", [](const Command& command) { return command.is("ulimit"); },
     [](std::span<const std::string_view> ahead) {
         return sure_if(is_limit_line(ahead[0]) &&
                        starts_with_any(ahead[0], {"core file size", "max locked memory", "open files"}));
     },
     continues_ulimit, parse_ulimit},
    {"meminfo", "cat /proc/meminfo",
     [](const Command& command) { return has(command.text, "meminfo") && !command.is("numactl"); },
     [](std::span<const std::string_view> ahead) { return is_meminfo(ahead[0]) ? Fit::fair : Fit::none; },
     [](const Section&, const Line& line) {
         const auto pair = pair_of(line.text);
         return is_meminfo(line.text) || (pair && pair->value.ends_with(" kB") && is_name(pair->key.substr(0, 3)));
     },
     parse_meminfo},
    {"free", "", [](const Command& command) { return command.is("free"); },
     [](std::span<const std::string_view> ahead) {
         return sure_if(words(ahead[0]).size() >= 5 && has(ahead[0], "total ") && has(ahead[0], " buff/cache"));
     },
     [](const Section&, const Line& line) {
         return starts_with_any(line.text, {"Mem:", "Swap:"}) || has(line.text, "buff/cache");
     },
     parse_free},
    {"numactl -H", "numactl -H", [](const Command& command) { return command.is("numactl"); },
     [](std::span<const std::string_view> ahead) {
         const auto row = words(ahead[0]);
         return sure_if(is_numactl(ahead[0]) && row.size() > 2 && (row[0] == "available:" || row[2].ends_with(':')));
     },
     [](const Section&, const Line& line) { return is_numactl(line.text); }, parse_numactl},
    {"lscpu", "lscpu", [](const Command& command) { return command.is("lscpu"); }, begins_lscpu,
     [](const Section&, const Line& line) { return is_lscpu(line.text); }, parse_lscpu},
    {"interrupts", "cat /proc/interrupts", [](const Command& command) { return has(command.text, "/proc/interrupts"); },
     begins_interrupts, continues_interrupts, parse_interrupts},
};

}  // namespace

extern const std::span<const Form> resources;
constinit const std::span<const Form> resources{kForms};

}  // namespace rd::ingest::forms
