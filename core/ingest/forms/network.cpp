// SPDX-License-Identifier: GPL-2.0-or-later
// What lies around the adapters: filters of the host, NVMe over fabrics, and outputs of switches, which are of another machine and say
// nothing of this one.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

Fit sure_if(bool sure) { return sure ? Fit::sure : Fit::none; }

// --- switches -------------------------------------------------------------------------------------------------------------------

// Commands of network operating systems, and the heads of their tables.
bool asks_switch(const Command& command) {
    if (command.is("show")) return true;
    return is_any(command.program, {"nv", "net", "iblinkinfo", "ibnetdiscover", "ibdiagnet", "saquery", "ibqueryerrors",
                                    "sminfo", "smpquery", "display"}) &&
           !command.arguments.empty();
}

bool is_switch_head(std::string_view line) {
    const auto row = words(line);
    return row.size() >= 5 && row[0] == "Interface" && is_any(row[1], {"Lanes", "Oper", "Admin"});
}

bool continues_switch(const Section& section, const Line& line) {
    // Its tables may hold anything; an empty line or a prompt ends them.
    return section.empty() || !line.after_blank || indented(line.text);
}

// The extents of the columns of a table, from the rule of dashes below its head.
std::vector<std::pair<std::size_t, std::size_t>> columns_of(std::string_view rule) {
    std::vector<std::pair<std::size_t, std::size_t>> columns;
    for (std::size_t at = 0; at < rule.size();) {
        const std::size_t begin = rule.find('-', at);
        if (begin == std::string_view::npos) break;
        at = std::min(rule.find(' ', begin), rule.size());
        columns.emplace_back(begin, at - begin);
    }
    return columns;
}

std::string_view cell(std::string_view row, const std::pair<std::size_t, std::size_t>& column) {
    return column.first < row.size() ? trim(row.substr(column.first, column.second)) : std::string_view();
}

// "show interfaces status" of SONiC: a port that is switched on and down, and what the switch does there for error correction, is what
// this end has to fit.
void put_down_ports(const Section& section, Answers& answers) {
    for (std::size_t at = 0; at + 2 < section.lines.size(); ++at) {
        const std::string_view head = section.lines[at], rule = section.lines[at + 1];
        if (!has(head, "Oper") || rule.find_first_not_of("- ") != std::string_view::npos) continue;
        std::string_view oper, admin, fec;
        const auto columns = columns_of(rule);
        for (std::size_t row = at + 2; row < section.lines.size(); ++row) {
            const std::string_view line = section.lines[row];
            oper = admin = fec = {};
            for (const auto& column : columns) {
                const std::string_view title = cell(head, column);
                if (title == "Oper") oper = cell(line, column);
                if (title == "Admin") admin = cell(line, column);
                if (title == "FEC") fec = cell(line, column);
            }
            if (oper != "down" || admin != "up" || fec.empty() || columns.empty()) continue;
            answers.log(fmt::format("port {} of the switch: oper {}, admin {}, FEC {}", cell(line, columns.front()),
                                    oper, admin, fec),
                        "switch");
        }
    }
}

void parse_switch(const Section& section, Answers& answers) {
    put_down_ports(section, answers);
    const std::string_view what =
        section.command ? std::string_view(section.command.text) : std::string_view(section.lines.front());
    answers.note(fmt::format("{}: of the network, not of this host: not looked at", printable(trim(what))));
}

// --- filters --------------------------------------------------------------------------------------------------------------------

bool asks_filters(const Command& command) {
    return is_any(command.program, {"iptables", "ip6tables", "nft", "iptables-save", "firewall-cmd", "ufw"});
}

Fit begins_filters(std::span<const std::string_view> ahead) {
    const std::string_view line = trim(ahead[0]);
    if (line.starts_with("Chain ") && has(line, "(policy ")) return Fit::sure;
    if (line.starts_with("-A ") && has(line, " -j ")) return Fit::sure;
    return sure_if(starts_with_any(line, {"table inet ", "table ip ", "*filter"}));
}

bool continues_filters(const Section& section, const Line& line) {
    const std::string_view text = trim(line.text);
    if (section.command) return true;
    return starts_with_any(
               text, {"Chain ", "-A ", "-P ", "table ", "chain ", "*", ":", "COMMIT", "pkts ", "target ", "num "}) ||
           indented(line.text) || text == "}" || has(text, "  --  ") || has(text, " all -- ") || has(text, " udp -- ");
}

// RoCE v2 is UDP to port 4791; rules that name it, or let nothing in, are worth a look.
void parse_filters(const Section& section, Answers& answers) {
    for (const std::string& line : section.lines) {
        const std::string_view text = trim(line);
        const bool closed =
            (text.starts_with("Chain INPUT") || text.starts_with("-P INPUT") || has(text, "hook input")) &&
            (has(text, "DROP") || has(text, "policy drop"));
        if (has(text, "4791") || closed) answers.log(text, "firewall");
    }
}

// --- nvme list-subsys -----------------------------------------------------------------------------------------------------------

// "nvme-subsys1 - NQN=nqn.2016-06.io.spdk:cnode1" and " +- nvme1 rdma traddr=10.0.0.1,trsvcid=4420 live"
bool is_subsystem(std::string_view line) { return line.starts_with("nvme-subsys") && has(line, "NQN="); }

std::string_view controller_in(std::string_view line) {
    const auto rest = behind(line, "+- ");
    return rest && rest->starts_with("nvme") ? first_word(*rest) : std::string_view();
}

bool continues_nvme(const Section& section, const Line& line) {
    const std::string_view text = trim(line.text);
    if (is_subsystem(text) || !controller_in(text).empty()) return true;
    return text == "\\" || (!section.empty() && starts_with_any(text, {"hostnqn", "iopolicy", "type"}));
}

void parse_nvme(const Section& section, Answers& answers) {
    std::string subsystem, nqn;
    for (const std::string& line : section.lines) {
        const std::string_view text = trim(line);
        if (is_subsystem(text)) {
            subsystem = first_word(text);
            nqn = first_word(behind(text, "NQN=").value_or(""));
            if (is_name(subsystem)) answers.read(fmt::format("/sys/class/nvme-subsystem/{}/subsysnqn", subsystem), nqn);
            continue;
        }
        if (const auto policy = behind(text, "iopolicy="); policy && is_name(subsystem)) {
            answers.read(fmt::format("/sys/class/nvme-subsystem/{}/iopolicy", subsystem), first_word(*policy));
        }
        const std::string_view controller = controller_in(text);
        const auto row = words(behind(text, "+- ").value_or(""));
        if (!is_name(controller) || row.size() < 3) continue;
        const std::string folder = fmt::format("/sys/class/nvme/{}", controller);
        if (!nqn.empty()) answers.read(folder + "/subsysnqn", nqn);
        answers.read(folder + "/transport", row[1]);
        // What older versions print with spaces the kernel has with commas.
        std::string address;
        for (const std::string_view word : row) {
            if (has(word, "=")) address += (address.empty() ? "" : ",") + std::string(word);
        }
        if (!address.empty()) answers.read(folder + "/address", address);
        if (is_any(row.back(), {"live", "connecting", "resetting", "new", "deleting", "dead"})) {
            answers.read(folder + "/state", row.back());
        }
    }
}

// --- configuration of network file systems --------------------------------------------------------------------------------------

bool is_nfs_mount(std::string_view line) {
    const auto row = words(line);
    return row.size() >= 4 && !line.starts_with("#") && is_any(row[2], {"nfs", "nfs4"}) && has(row[0], ":/");
}

// "hostA:/pool on /pool type nfs4 (rw,relatime,proto=rdma)"
bool is_mounted(std::string_view line) {
    const auto row = words(line);
    return row.size() >= 6 && row[1] == "on" && row[3] == "type" &&
           is_any(row[4], {"nfs", "nfs4", "cifs", "lustre", "beegfs", "ceph"}) && row[5].starts_with('(') &&
           row.back().ends_with(')');
}

void parse_mount(const Section& section, Answers& answers) {
    std::string text;
    for (const std::string& line : section.lines) {
        const auto row = words(line);
        if (!is_mounted(line)) continue;
        std::string_view options = row[5].substr(1);
        if (options.ends_with(')')) options.remove_suffix(1);
        text += fmt::format("{} {} {} {} 0 0\n", row[0], row[2], row[4], options);
    }
    // A filter that let nothing pass says nothing.
    if (!text.empty() || section.command.filters.empty()) answers.read("/proc/self/mounts", text);
}

void parse_fstab(const Section& section, Answers& answers) {
    std::string text;
    for (const std::string& line : section.lines) text += line + "\n";
    answers.read(has(section.command.text, "/proc/mounts") ? "/proc/self/mounts" : "/etc/fstab", text);
}

constexpr Form kForms[] = {
    {"of the network", "", asks_switch,
     [](std::span<const std::string_view> ahead) { return sure_if(is_switch_head(ahead[0])); }, continues_switch,
     parse_switch},
    {"firewall", "iptables -S; nft list ruleset", asks_filters, begins_filters, continues_filters, parse_filters},
    {"nvme list-subsys", "nvme list-subsys",
     [](const Command& command) { return command.is("nvme") && command.has("list-subsys"); },
     [](std::span<const std::string_view> ahead) { return sure_if(is_subsystem(ahead[0])); }, continues_nvme,
     parse_nvme},
    {"mount", "mount", [](const Command& command) { return command.is("mount"); },
     [](std::span<const std::string_view> ahead) { return sure_if(is_mounted(ahead[0])); },
     [](const Section& section, const Line& line) {
         return is_mounted(line.text) ||
                (section.command.filters.empty() && section.command && has(line.text, " type "));
     },
     parse_mount},
    {"fstab", "",
     [](const Command& command) { return has(command.text, "/etc/fstab") || has(command.text, "/proc/mounts"); },
     [](std::span<const std::string_view> ahead) { return sure_if(is_nfs_mount(ahead[0])); },
     [](const Section& section, const Line& line) { return is_nfs_mount(line.text) || section.command.is("cat"); },
     parse_fstab},
};

}  // namespace

extern const std::span<const Form> network;
constinit const std::span<const Form> network{kForms};

}  // namespace rd::ingest::forms
