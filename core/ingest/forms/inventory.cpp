// SPDX-License-Identifier: GPL-2.0-or-later
// Which device sits where, and who asks: mst status -v, lshw -businfo, hostname, id; neighbours that do not answer.
#include <fmt/format.h>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

Fit sure_if(bool sure) { return sure ? Fit::sure : Fit::none; }

// --- mst status -v --------------------------------------------------------------------------------------------------------------

// "ConnectX6(rev:0)  /dev/mst/mt4123_pciconf0  41:00.0  mlx5_0  net-ens1f0  1"
struct MstRow {
    std::string_view address, device, netdev, node;
};
std::optional<MstRow> mst_row(std::string_view line) {
    const auto row = words(line);
    if (row.size() < 4 || !has(row[0], "(rev:")) return std::nullopt;
    MstRow out;
    for (std::size_t i = 1; i < row.size(); ++i) {
        const std::string_view word = row[i];
        if (is_pci_address(std::string(word.size() == 7 ? "0000:" : "") + std::string(word))) {
            out.address = word;
        } else if (word.starts_with("net-")) {
            out.netdev = word.substr(4);
        } else if (!out.address.empty() && starts_with_any(word, {"mlx", "roce", "ib"})) {
            out.device = word;
        }
    }
    if (is_digits(row.back())) out.node = row.back();
    if (out.address.empty()) return std::nullopt;
    return out;
}

bool is_mst(std::string_view line) {
    line = trim(line);
    return mst_row(line) ||
           starts_with_any(
               line, {"DEVICE_TYPE ", "MST modules:", "MST devices:", "PCI devices:", "MST PCI", "-----", "/dev/mst/"});
}

void parse_mst(const Section& section, Answers& answers) {
    for (const std::string& line : section.lines) {
        const auto row = mst_row(line);
        if (!row) continue;
        const std::string address = answers.pci(row->address);
        if (address.empty()) continue;
        if (!row->device.empty()) answers.on_pci("/sys/class/infiniband/" + answers.device(row->device), address);
        const std::string netdev = row->netdev.empty() ? std::string() : answers.netdev(row->netdev);
        if (!netdev.empty()) answers.on_pci("/sys/class/net/" + netdev, address);
        if (!row->node.empty()) answers.read(fmt::format("/sys/bus/pci/devices/{}/numa_node", address), row->node);
    }
}

// --- lshw -businfo --------------------------------------------------------------------------------------------------------------

bool is_businfo(std::string_view line) {
    const auto row = words(line);
    return row.size() >= 3 && row[0].starts_with("pci@") && is_pci_address(row[0].substr(4));
}

void parse_businfo(const Section& section, Answers& answers) {
    for (const std::string& line : section.lines) {
        const auto row = words(line);
        if (!is_businfo(line) || row[2] != "network") continue;
        const std::string netdev = answers.netdev(row[1]);
        if (!netdev.empty()) answers.on_pci("/sys/class/net/" + netdev, row[0].substr(4));
    }
}

// --- hostname, id ---------------------------------------------------------------------------------------------------------------

bool is_id(std::string_view line) { return line.starts_with("uid=") && has(line, "gid="); }

void parse_id(const Section& section, Answers& answers) {
    const std::string_view line = section.lines.front();
    const auto uid = whole_number(is_id(line) ? line.substr(4) : line);
    if (uid && *uid >= 0 && *uid < 0xffffffff) answers.uid(static_cast<std::uint32_t>(*uid));
}

// --- neighbours -----------------------------------------------------------------------------------------------------------------

// "198.51.100.9 dev ens1 lladdr b8:59:9f:00:00:02 REACHABLE"
bool is_neighbour(std::string_view line) {
    const auto row = words(line);
    return row.size() >= 4 && row[1] == "dev" && (has(row[0], ".") || has(row[0], ":")) &&
           is_any(row.back(), {"REACHABLE", "STALE", "DELAY", "PROBE", "FAILED", "INCOMPLETE", "PERMANENT", "NOARP"});
}

void parse_neighbours(const Section& section, Answers& answers) {
    for (const std::string& line : section.lines) {
        if (!is_neighbour(line)) continue;
        const auto row = words(line);
        (void)answers.netdev(row[2]);
        if (is_any(row.back(), {"FAILED", "INCOMPLETE"})) answers.log(trim(line), "ip neighbour");
    }
}

constexpr Form kForms[] = {
    {"mst status", "mst status -v", [](const Command& command) { return command.is("mst"); },
     [](std::span<const std::string_view> ahead) {
         return sure_if(mst_row(ahead[0]).has_value() ||
                        (ahead[0].starts_with("DEVICE_TYPE ") && has(ahead[0], "RDMA")));
     },
     [](const Section&, const Line& line) { return is_mst(line.text); }, parse_mst},
    {"lshw -businfo", "", [](const Command& command) { return command.is("lshw") && has(command.text, "businfo"); },
     [](std::span<const std::string_view> ahead) { return sure_if(is_businfo(ahead[0])); },
     [](const Section& section, const Line& line) {
         return is_businfo(line.text) || (section.command && starts_with_any(line.text, {"Bus info ", "===="}));
     },
     parse_businfo},
    {"hostname", "", [](const Command& command) { return command.is("hostname"); }, nullptr,
     [](const Section& section, const Line& line) {
         return section.empty() && section.first && section.command.arguments.empty() && is_name(trim(line.text));
     },
     [](const Section& section, Answers& answers) { answers.hostname(section.lines.front()); }},
    {"id", "", [](const Command& command) { return command.is("id"); },
     [](std::span<const std::string_view> ahead) { return sure_if(is_id(ahead[0])); },
     [](const Section& section, const Line& line) {
         return section.empty() && (is_id(line.text) || (section.command.has("-u") && is_digits(trim(line.text))));
     },
     parse_id},
    {"ip neighbour", "ip neighbour",
     [](const Command& command) {
         return command.is("ip") && command.operand(0).starts_with("n") && command.operand(0) != "netns";
     },
     [](std::span<const std::string_view> ahead) { return sure_if(is_neighbour(ahead[0])); },
     [](const Section&, const Line& line) { return is_neighbour(line.text); }, parse_neighbours},
};

}  // namespace

extern const std::span<const Form> inventory;
constinit const std::span<const Form> inventory{kForms};

}  // namespace rd::ingest::forms
