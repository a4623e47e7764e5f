// SPDX-License-Identifier: GPL-2.0-or-later
// What programs print about themselves: benchmarks (perftest, OSU, nccl-tests), environments, listings of folders. Settings and results
// that no kernel interface holds become lines of a log, so that rules and collectors may look for them.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

Fit sure_if(bool sure) { return sure ? Fit::sure : Fit::none; }

// --- perftest -------------------------------------------------------------------------------------------------------------------

bool is_numbers(std::string_view line) {
    const auto row = words(line);
    return row.size() >= 2 &&
           std::all_of(row.begin(), row.end(), [](std::string_view word) { return parse_number(word).has_value(); });
}

bool is_perftest(std::string_view line) {
    line = trim(line);
    if (line.starts_with("#bytes") ||
        (line.starts_with("-----") && line.find_first_not_of('-') == std::string_view::npos))
        return true;
    if (line.ends_with("Test") && (has(line, "RDMA_") || has(line, "Send ") || has(line, "Atomic"))) return true;
    return starts_with_any(line, {"Dual-port",
                                  "Number of qps",
                                  "Connection type",
                                  "CQ Moderation",
                                  "Mtu ",
                                  "Link type",
                                  "TX depth",
                                  "RX depth",
                                  "Outstand reads",
                                  "Max inline data",
                                  "rdma_cm QPs",
                                  "Data ex. method",
                                  "GID index",
                                  "local address:",
                                  "remote address:",
                                  "GID:",
                                  "Using Enhanced",
                                  "Use ROCm",
                                  "PCIe relax order",
                                  "ibv_wr* API",
                                  "Device ",
                                  "TOS ",
                                  "Transport type",
                                  "* Waiting for client"});
}

bool prints_perftest(const Command& command) {
    return starts_with_any(command.program, {"ib_write_", "ib_read_", "ib_send_", "ib_atomic_", "raw_ethernet_"});
}

Fit begins_perftest(std::span<const std::string_view> ahead) {
    const std::string_view line = trim(ahead[0]);
    if (line.starts_with("#bytes") && has(line, "BW peak")) return Fit::sure;
    if (line.ends_with("BW Test") || line.ends_with("Latency Test")) return Fit::sure;
    const bool rule = line.size() > 20 && line.find_first_not_of('-') == std::string_view::npos;
    return rule && ahead.size() > 1 && is_perftest(ahead[1]) && !trim(ahead[1]).starts_with("---") ? Fit::fair
                                                                                                   : Fit::none;
}

bool continues_perftest(const Section& section, const Line& line) {
    return is_perftest(line.text) || (!section.empty() && is_numbers(line.text));
}

// What a row of a table says is of the unit its head names: "BW average[Gb/sec]", "[MB/sec]" (of 2^20 bytes).
constexpr double kMegabytes = 8.0 * 1048576 / 1e9;

void put_bandwidth(double gbps, std::optional<std::size_t> ports, Answers& answers) {
    if (gbps <= 0 || gbps > 1e5) return;
    std::string line = fmt::format("bandwidth={:.2f}", gbps);
    if (ports) line += fmt::format(" ports={}", *ports);
    answers.log(line, "benchmark");
}

// The highest of the column "BW average"; latencies are none.
double bandwidth_of_perftest(const Section& section) {
    double unit = 0, most = 0;
    for (const std::string& line : section.lines) {
        if (trim(line).starts_with("#bytes")) {
            unit = has(line, "BW average[Gb/sec]") ? 1 : has(line, "BW average[MB/sec]") ? kMegabytes : 0;
        } else if (const auto row = words(line); unit > 0 && is_numbers(line) && row.size() >= 4) {
            most = std::max(most, *parse_number(row[3]) * unit);
        }
    }
    return most;
}

bool has_results(const Section& section) {
    return std::any_of(section.lines.begin(), section.lines.end(),
                       [](const std::string& line) { return is_numbers(line); });
}

void parse_perftest(const Section& section, Answers& answers) {
    std::string name(section.command.after("-d"));
    std::string_view layer, mtu;
    answers.benchmark(has_results(section));
    const bool two_ways = section.command.has_option('b') ||
                          std::any_of(section.lines.begin(), section.lines.end(),
                                      [](const std::string& line) { return has(line, "Bidirectional"); });
    if (!two_ways) put_bandwidth(bandwidth_of_perftest(section), 1, answers);
    for (const std::string& line : section.lines) {
        if (const auto device = behind(line, "Device         :")) name = first_word(*device);
        const auto pair = pair_of(line);
        if (!pair) continue;
        if (pair->key == "Link type") layer = pair->value;
        if (pair->key == "Mtu") mtu = pair->value;
        // Whoever switches it off for a test knows that it is off.
        const bool asked = section.command.has("--disable_pcie_relaxed");
        if (pair->key == "PCIe relax order" && !asked) answers.log(trim(line), "perftest");
    }
    if (!is_name(name)) return;
    const std::string device = answers.device(name);
    if (layer.empty() && mtu.empty() && !has_results(section)) return;
    const auto number = whole_number(section.command.after("-i")).value_or(1);
    const std::string port = answers.port(device, static_cast<int>(number));
    if (port.empty()) return;
    if (has_results(section)) answers.read(port + "/state", "4: ACTIVE");
    if (layer == "IB") answers.read(port + "/link_layer", "InfiniBand");
    if (layer == "Ethernet") answers.read(port + "/link_layer", "Ethernet");
}

// --- OSU and nccl-tests ---------------------------------------------------------------------------------------------------------

bool is_osu(std::string_view line) {
    return (line.starts_with("#") &&
            (has(line, "OSU MPI") || line.starts_with("# Size") || line.starts_with("#Size"))) ||
           is_numbers(line);
}

bool is_nccl_test(std::string_view line) {
    line = trim(line);
    return starts_with_any(line,
                           {"# nThread ", "# Using devices", "#   Rank ", "#  Rank ", "#       size", "#        (B)",
                            "# Out of bounds", "# Avg bus bandwidth", "#                ", "#"}) &&
           line.size() < 200;
}

Fit begins_nccl_test(std::span<const std::string_view> ahead) {
    return sure_if(starts_with_any(ahead[0], {"# nThread ", "# Avg bus bandwidth", "# Using devices"}));
}

// --- environment ----------------------------------------------------------------------------------------------------------------

// Variables that say how RDMA is used, and none that could hold a secret.
bool is_variable(std::string_view name) {
    return starts_with_any(
        name, {"NCCL_", "UCX_", "FI_",           "MC_",        "OMPI_MCA_", "NVSHMEM_", "GLOO_",    "RDMAV_",
               "RDMA_", "IBV_", "MLX5_",         "MLX4_",      "RCCL_",     "HCCL_",    "BNXT_RE_", "PSM2_",
               "PSM3_", "MV2_", "I_MPI_FABRICS", "I_MPI_OFI_", "CRT_",      "DAOS_",    "SHARP_",   "HCOLL_"});
}

std::optional<Pair> variable_of(std::string_view line) {
    line = trim(line);
    for (const std::string_view before : {"export ", "declare -x ", "- "}) {
        if (line.starts_with(before)) line.remove_prefix(before.size());
    }
    const auto pair = pair_of(line, '=');
    if (!pair || line.substr(0, pair->key.size() + 1) != std::string(pair->key) + "=") return std::nullopt;
    const bool name = std::all_of(pair->key.begin(), pair->key.end(), [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
    return name ? pair : std::nullopt;
}

bool prints_environment(const Command& command) {
    return command.is("env") || command.is("printenv") || command.is("export") || command.is("set") ||
           has(command.text, "/environ");
}

void put_variable(const Pair& pair, Answers& answers) {
    if (!is_variable(pair.key)) return;
    std::string_view value = pair.value;
    if (value.size() > 1 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front()) {
        value = value.substr(1, value.size() - 2);
    }
    answers.field("environment", pair.key, value);
    answers.log(fmt::format("{}={}", pair.key, value), "environment");
}

// What was typed: "export A=1", "A=1 program", "mpirun -x A=1".
void put_typed(const Command& command, Answers& answers) {
    for (const std::string_view word : words(command.text)) {
        if (const auto pair = variable_of(word)) put_variable(*pair, answers);
    }
}

void parse_environment(const Section& section, Answers& answers) {
    if (section.command.is("export")) put_typed(section.command, answers);
    for (const std::string& line : section.lines) {
        if (const auto pair = variable_of(line)) put_variable(*pair, answers);
    }
}

void parse_launch(const Section& section, Answers& answers) {
    put_typed(section.command, answers);
    if (!section.empty()) answers.benchmark(has_results(section));
}

// "#   Rank  0 Pid  21817 on     dl-a device  0 [0x3b] Tesla V100": a parallel program has one rank 0, copies of a program have one each.
void parse_nccl_test(const Section& section, Answers& answers) {
    parse_launch(section, answers);
    std::set<std::string_view> hosts;
    for (const std::string& line : section.lines) {
        const auto row = words(line);
        if (row.size() < 7 || row[0] != "#" || row[1] != "Rank" || row[2] != "0") continue;
        const auto on = std::find(row.begin(), row.end(), "on");
        if (on != row.end() && on + 1 != row.end()) hosts.insert(*(on + 1));
    }
    if (hosts.size() > 1) answers.log(fmt::format("rank 0 on {} hosts in one run", hosts.size()), "nccl");
}

// "UCX_NET_DEVICES=mlx5_0:1,mlx5_1:1": how many; what brought a result is ACTIVE.
std::optional<std::size_t> put_ports(const Command& command, Answers& answers) {
    const auto list = behind(command.text, "UCX_NET_DEVICES=");
    if (!list) return std::nullopt;
    std::size_t count = 0;
    for (const std::string_view name : split(first_word(*list), ',')) {
        const auto pair = pair_of(name);
        const auto number = pair ? whole_number(pair->value) : std::nullopt;
        if (!number || !is_name(pair->key) || *number < 1 || *number > 255) return std::nullopt;
        const std::string port = answers.port(answers.device(pair->key), static_cast<int>(*number));
        if (!port.empty()) answers.read(port + "/state", "4: ACTIVE");
        ++count;
    }
    return count;
}

void parse_osu(const Section& section, Answers& answers) {
    parse_launch(section, answers);
    const auto one_way = [](const std::string& line) {
        return has(line, "OSU MPI Bandwidth Test") || has(line, "OSU MPI Multiple Bandwidth");
    };
    if (std::none_of(section.lines.begin(), section.lines.end(), one_way)) return;
    double most = 0;
    for (const std::string& line : section.lines) {
        if (is_numbers(line)) most = std::max(most, *parse_number(words(line)[1]) * 8e6 / 1e9);
    }
    if (most > 0) put_bandwidth(most, put_ports(section.command, answers), answers);
}

// --- listings -------------------------------------------------------------------------------------------------------------------

// "lrwxrwxrwx 1 root root 0 Dec  1 10:00 mlx5_0 -> ../../devices/pci0000:40/0000:40:01.0/0000:41:00.0/infiniband/mlx5_0"
struct Entry {
    std::string_view mode, owner, group, name, target;
};
std::optional<Entry> entry_of(std::string_view line) {
    const auto row = words(line);
    if (row.size() < 8 || row[0].size() < 10 || !is_digits(row[1]) ||
        !is_any(row[0].substr(0, 1), {"l", "c", "d", "-", "b"})) {
        return std::nullopt;
    }
    Entry entry{row[0], row[2], row[3], row.back(), {}};
    for (std::size_t i = 4; i + 1 < row.size(); ++i) {
        if (row[i] == "->" && i > 4) entry.name = row[i - 1], entry.target = row[i + 1];
    }
    return entry;
}

bool is_class_link(const Entry& entry) { return has(entry.target, "devices/") && is_name(entry.name); }
bool is_node(const Entry& entry) {
    return entry.mode.starts_with('c') && starts_with_any(entry.name, {"uverbs", "rdma_cm", "umad", "issm", "ucm"});
}

Fit begins_ls(std::span<const std::string_view> ahead) {
    const auto entry = entry_of(ahead[0]);
    if (!entry) return Fit::none;
    return sure_if(is_node(*entry) ||
                   (is_class_link(*entry) && (has(entry->target, "/infiniband/") || has(entry->target, "/net/"))));
}

bool prints_ls(const Command& command) {
    return (command.is("ls") || command.is("ll")) &&
           (has(command.text, "/dev/infiniband") || has(command.text, "/sys/class/"));
}

// "ls /sys/class/infiniband": the one class folder whose names a listing without details shows.
std::string_view listed_class(const Command& command) {
    if (!command.is("ls") || !command.filters.empty() || !command.operand(1).empty()) return {};
    if (command.has_option('l') || command.has_option('a')) return {};
    std::string_view folder = command.operand(0);
    if (folder.ends_with('/')) folder.remove_suffix(1);
    return is_any(folder, {"/sys/class/infiniband", "/sys/class/net"}) ? folder : std::string_view();
}

bool are_names(std::string_view line) {
    const auto row = words(line);
    return !row.empty() && std::all_of(row.begin(), row.end(),
                                       [](std::string_view word) { return word == "lo" || is_numbered_name(word); });
}

bool continues_ls(const Section& section, const Line& line) {
    if (entry_of(line.text) || line.text.starts_with("total ") || has(line.text, ": No such file or directory"))
        return true;
    return (section.empty() || !line.after_blank) && !listed_class(section.command).empty() && are_names(line.text);
}

std::string octal(std::string_view mode) {
    std::string out = "0";
    for (std::size_t at = 1; at < 10; at += 3) {
        const int bits = (mode[at] == 'r' ? 4 : 0) + (mode[at + 1] == 'w' ? 2 : 0) + (mode[at + 2] == 'x' ? 1 : 0);
        out += static_cast<char>('0' + bits);
    }
    return out;
}

void put_link(const Entry& entry, Answers& answers) {
    // Of "../../devices/…" in a class folder.
    const std::size_t at = entry.target.find("devices/");
    const std::string target = "/sys/" + std::string(entry.target.substr(at));
    for (const std::string_view kind : {"infiniband", "net"}) {
        const std::size_t end = target.find(fmt::format("/{}/{}", kind, entry.name));
        if (end == std::string::npos) continue;
        const std::string folder = fmt::format("/sys/class/{}", kind),
                          name = member_of_class(folder, entry.name, answers);
        if (name.empty()) return;
        const std::string own = folder + "/" + name;
        answers.link(own, target);
        if (has(target, "/virtual/")) return;
        answers.link(own + "/device", target.substr(0, end));
        const std::string address = target.substr(target.rfind('/', end - 1) + 1, 12);
        if (is_pci_address(address)) answers.link("/sys/bus/pci/devices/" + address, target.substr(0, end));
    }
}

void parse_ls(const Section& section, Answers& answers) {
    const std::string_view folder = listed_class(section.command);
    for (const std::string& line : section.lines) {
        // The words themselves are what a rule knows.
        if (has(line, "/dev/infiniband") && has(line, ": No such file or directory")) answers.log(trim(line), "shell");
        const auto entry = entry_of(line);
        if (!entry && !folder.empty() && are_names(line)) {
            for (const std::string_view name : words(line)) (void)member_of_class(folder, name, answers);
        }
        if (!entry) continue;
        if (is_class_link(*entry)) put_link(*entry, answers);
        if (!is_node(*entry)) continue;
        Record record;
        record.set("name", entry->name);
        record.set("mode", octal(entry->mode));
        record.set("uid", entry->owner == "root" ? "0" : entry->owner);
        record.set("gid", entry->group == "root" ? "0" : entry->group);
        answers.append("infiniband.nodes", std::move(record));
    }
    if (has(section.command.text, "/dev/infiniband") && !section.empty() &&
        has(section.lines.front(), "No such file")) {
        answers.empty_dump("infiniband.nodes");
    }
}

constexpr Form kForms[] = {
    {"perftest", "", prints_perftest, begins_perftest, continues_perftest, parse_perftest},
    {"OSU benchmark", "", [](const Command& command) { return has(command.text, "osu_"); },
     [](std::span<const std::string_view> ahead) {
         return sure_if(ahead[0].starts_with("#") && has(ahead[0], "OSU MPI"));
     },
     [](const Section&, const Line& line) { return is_osu(line.text); }, parse_osu},
    {"nccl-tests", "", [](const Command& command) { return has(command.text, "_perf"); }, begins_nccl_test,
     [](const Section& section, const Line& line) {
         return is_nccl_test(line.text) || (!section.empty() && is_numbers(line.text));
     },
     parse_nccl_test},
    {"environment", "env | grep -E 'NCCL|UCX|FI_'", prints_environment,
     [](std::span<const std::string_view> ahead) {
         const auto pair = variable_of(ahead[0]);
         return pair && is_variable(pair->key) ? Fit::sure : Fit::none;
     },
     [](const Section&, const Line& line) { return variable_of(line.text).has_value(); }, parse_environment, true},
    {"ls -l", "ls -l /dev/infiniband /sys/class/infiniband", prints_ls, begins_ls, continues_ls, parse_ls},
};

}  // namespace

extern const std::span<const Form> programs;
constinit const std::span<const Form> programs{kForms};

}  // namespace rd::ingest::forms
