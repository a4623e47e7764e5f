// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/layout.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace rd::ingest {
namespace {

// Folders at the root of such an archive; what stands before them is the folder that everything lies in.
constexpr std::array<std::string_view, 13> kRoots{
    "sys",       "proc",       "etc", "sos_commands", "sos_reports",
    "sos_logs",  "var",        "usr", "run",          "commands_txt_output",
    "ethtool_S", "pcie_files", "lib"};
constexpr std::array<std::string_view, 7> kPackedEnds{".gz", ".xz", ".zst", ".bz2", ".tgz", ".zip", ".tar"};

// Programs whose names have an underscore: the others end at the first one.
constexpr std::array kUnderscored{"ibv_devinfo",   "ibv_devices", "show_gids",  "show_counters", "mlnx_qos",
                                  "mlnx_tune",     "ofed_info",   "ucx_info",   "fi_info",       "cma_roce_tos",
                                  "cma_roce_mode", "show_drop",   "nvidia_smi", "rdma_resource"};
constexpr std::array kPlain{"ethtool",   "ibstat",    "ibstatus", "ibdev2netdev", "rdma",    "lspci",      "dcb",
                            "devlink",   "ip",        "dmesg",    "perfquery",    "lsmod",   "uname",      "uptime",
                            "date",      "hostname",  "numactl",  "lscpu",        "ulimit",  "sysctl",     "journalctl",
                            "nvme",      "lctl",      "lnetctl",  "free",         "modinfo", "nvidia-smi", "mstconfig",
                            "mlxconfig", "mlxlink",   "numastat", "ifconfig",     "ps",      "netstat",    "ss",
                            "systemctl", "tuned-adm", "lsblk",    "mount",        "df"};

std::string spaced(std::string_view text) {
    std::string out(text);
    std::replace(out.begin(), out.end(), '_', ' ');
    return out;
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool is_packed_name(std::string_view name) {
    return std::any_of(kPackedEnds.begin(), kPackedEnds.end(),
                       [&](std::string_view end) { return ends_with(name, end); });
}

std::string_view without_folder(std::string_view name) {
    const auto is_root = [](std::string_view part) {
        return std::find(kRoots.begin(), kRoots.end(), part) != kRoots.end();
    };
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos || is_root(name.substr(0, slash))) return name;
    return name.substr(slash + 1);
}

std::string without_ending(std::string_view name) {
    for (const std::string_view end : {".txt", ".log", ".out"}) {
        if (ends_with(name, end)) return std::string(name.substr(0, name.size() - end.size()));
    }
    return std::string(name);
}

Place output(std::string command) { return {Place::What::output, {}, std::move(command)}; }

// The log files that may speak of RDMA; not those of logins and of the web.
bool is_log_of_interest(std::string_view name) {
    const std::string_view base = base_name(name);
    for (const std::string_view start : {"messages", "syslog", "kern.log", "dmesg", "opensm", "boot.log"}) {
        if (starts_with(base, start)) return true;
    }
    return name.find("/ceph/") != std::string_view::npos || name.find("/daos") != std::string_view::npos;
}

Place place_in_sos(std::string_view name) {
    if (starts_with(name, "sys/") || starts_with(name, "proc/") || starts_with(name, "etc/")) {
        return {Place::What::tree, "/" + std::string(name), {}};
    }
    if (starts_with(name, "sos_commands/")) {
        if (is_packed_name(name)) return {Place::What::packed, {}, {}};
        const std::string_view base = base_name(name);
        if (starts_with(base, "journalctl") || starts_with(base, "dmesg")) return output(spaced(base));
        std::string command = command_of_file_name(base);
        return command.empty() ? Place{} : output(std::move(command));
    }
    if (starts_with(name, "var/log/")) {
        if (is_packed_name(name)) return {Place::What::packed, {}, {}};
        if (is_log_of_interest(name)) return output("cat /" + std::string(name));
    }
    return {};
}

Place place_in_sysinfo(std::string_view name) {
    if (is_packed_name(name)) return {Place::What::packed, {}, {}};
    const std::string_view base = base_name(name);
    if (starts_with(name, "ethtool_S/ethtool_S_")) return output("ethtool -S " + std::string(base.substr(10)));
    if (starts_with(name, "commands_txt_output/")) {
        if (base == "interrupts") return {Place::What::tree, "/proc/interrupts", {}};
        return output("");  // the first line says the command
    }
    // Their names have lost dashes: "lspci vvvxxx".
    if (starts_with(name, "pcie_files/"))
        return output(base.find('v') != std::string_view::npos ? "lspci -vvv" : "lspci");
    if (starts_with(name, "rdma_tool/")) return output("rdma " + spaced(base));
    if (starts_with(base, "dmesg")) return output("dmesg");
    if (starts_with(base, "journalctl") || is_log_of_interest(name)) return output("cat /var/log/" + std::string(base));
    if (base == "numa_node" || starts_with(base, "sysctl")) return output("");
    return {};
}

}  // namespace

Layout layout_told_by(std::string_view name) {
    const std::string inner(without_folder(name));
    if (starts_with(inner, "sos_commands/") || starts_with(inner, "sos_reports/")) return Layout::sos;
    if (starts_with(inner, "commands_txt_output/") || starts_with(inner, "ethtool_S/") ||
        starts_with(inner, "status-log-") || starts_with(inner, "err_messages/")) {
        return Layout::sysinfo;
    }
    return Layout::none;
}

Place place_of(Layout layout, std::string_view name) {
    const std::string_view inner = without_folder(name);
    switch (layout) {
        case Layout::sos:
            return place_in_sos(inner);
        case Layout::sysinfo:
            return place_in_sysinfo(inner);
        case Layout::texts:
            if (is_packed_name(name)) return {Place::What::packed, {}, {}};
            return output(command_of_file_name(without_ending(base_name(name))));
        case Layout::none:
            break;
    }
    return {};
}

std::string command_of_file_name(std::string_view name) {
    for (const std::string_view program : kUnderscored) {
        if (!starts_with(name, program)) continue;
        const std::string_view rest = name.substr(program.size());
        if (rest.empty() || rest[0] == '_') return std::string(program) + spaced(rest);
    }
    const std::size_t end = name.find('_');
    const std::string_view program = name.substr(0, end);
    if (std::find(kPlain.begin(), kPlain.end(), program) == kPlain.end()) return {};
    if (end == std::string_view::npos) return std::string(program);
    const std::string_view rest = name.substr(end + 1);
    if (program != "ethtool") return std::string(program) + " " + spaced(rest);
    // The name of an interface may have underscores: it is all that stands behind the option.
    if (rest.empty() || rest[0] != '-') return "ethtool " + std::string(rest);
    const std::size_t option = rest.find('_');
    if (option == std::string_view::npos) return "ethtool " + std::string(rest);
    return "ethtool " + std::string(rest.substr(0, option)) + " " + std::string(rest.substr(option + 1));
}

}  // namespace rd::ingest
