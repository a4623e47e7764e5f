// SPDX-License-Identifier: GPL-2.0-or-later
// ethtool -S IF: "NIC statistics:" and a line "     name: value" a counter. Often greped, then without the heading, and with the name
// of the interface before each line or above them when a loop asked several.
#include <optional>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

constexpr std::string_view kHeading = "NIC statistics:";

bool prints(const Command& command) {
    return command.is("ethtool") && (command.has_option('S') || command.has("--statistics"));
}

struct Counter {
    std::string_view netdev;  // "eth2: rx_discards_phy: 0"
    std::string_view name, value;
};

// Names of drivers have spaces and brackets now and then ("[0]: rx_ucast_packets"); the value stands behind the last colon.
std::optional<Counter> counter_of(std::string_view line) {
    line = trim(line);
    const std::size_t colon = line.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return std::nullopt;
    Counter counter{{}, trim(line.substr(0, colon)), trim(line.substr(colon + 1))};
    if (counter.name.size() > 80 || !is_digits(counter.value)) return std::nullopt;
    if (counter.name.empty() || counter.name.front() == '/') return std::nullopt;  // "/sys/class/net/eth2/mtu:9000"
    const auto before = pair_of(counter.name);
    if (before && is_name(before->key) && before->key.size() < 16 && is_name(before->value)) {
        counter.netdev = before->key;
        counter.name = before->value;
    }
    return counter;
}

// Names that no other listing of counters has.
bool is_statistic(std::string_view name) {
    if (name.ends_with("_phy") || name.ends_with(".nic")) return true;
    if (starts_with_any(
            name, {"outbound_pci_", "rx_vport_", "tx_vport_", "rx_steer_", "module_", "dev_out_of", "dev_internal",
                   "rx_pcs_", "rx_fec_", "rx_prio", "tx_prio", "rx_pfc_ena", "tx_pfc_ena", "tx_pause_storm"})) {
        return true;
    }
    return has(name, "global_pause") || has(name, "pci_signal_integrity") || has(name, "pause_ctrl") ||
           is_any(name, {"rx_out_of_buffer", "link_down_events", "rx_pause_frames", "tx_pause_frames", "rx_discards",
                         "rx_fcs_err_frames", "rx_no_buffer_count", "rx_missed_errors"});
}

// A line of the name alone, from a loop: "eth2", "eth2:".
std::string_view name_alone(std::string_view line) {
    line = trim(line);
    if (line.ends_with(':')) line.remove_suffix(1);
    return is_name(line) && line.size() < 16 && !is_digits(line) ? line : std::string_view();
}

bool in_loop(const Section& section) { return section.command.operand(0).starts_with('$'); }

Fit begins(std::span<const std::string_view> ahead) {
    if (trim(ahead[0]) == kHeading) return Fit::sure;
    const auto counter = counter_of(ahead[0]);
    return counter && is_statistic(counter->name) ? Fit::fair : Fit::none;
}

bool continues(const Section& section, const Line& line) {
    if (line.trimmed() == kHeading) return section.empty() || in_loop(section);
    if (in_loop(section) && !name_alone(line.text).empty()) return true;
    return counter_of(line.text).has_value();
}

void parse(const Section& section, Answers& answers) {
    std::string netdev = in_loop(section) ? std::string() : answers.netdev(section.command.operand(0));
    for (const std::string& line : section.lines) {
        if (const std::string_view name = name_alone(line); in_loop(section) && !name.empty())
            netdev = answers.netdev(name);
        const auto counter = counter_of(line);
        if (!counter) continue;
        if (!counter->netdev.empty()) netdev = answers.netdev(counter->netdev);
        if (netdev.empty()) netdev = answers.netdev({});
        Fields(answers, "ethtool.stats/" + netdev).put(counter->name, counter->value);
    }
}

constexpr Form kForms[] = {{"ethtool -S", "ethtool -S IF", prints, begins, continues, parse}};

}  // namespace

extern const std::span<const Form> ethtool_statistics;
constinit const std::span<const Form> ethtool_statistics{kForms};

}  // namespace rd::ingest::forms
