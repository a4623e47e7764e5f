// SPDX-License-Identifier: GPL-2.0-or-later
// ethtool -m: the memory of the module or cable in the port, with its measurements and its maker's limits.
#include <fmt/format.h>

#include <array>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

struct Name {
    std::string_view printed, field;
};
// Measurements of each lane; in modules of one lane without "(Channel 1)".
constexpr std::array<Name, 6> kLanes{{{"Laser tx bias current", "bias"},
                                      {"Laser bias current", "bias"},
                                      {"Transmit avg optical power", "tx_power"},
                                      {"Laser output power", "tx_power"},
                                      {"Rcvr signal avg optical power", "rx_power"},
                                      {"Receiver signal average optical power", "rx_power"}}};
constexpr std::array<Name, 5> kLimits{{{"Laser bias current ", "bias"},
                                       {"Laser output power ", "tx_power"},
                                       {"Laser rx power ", "rx_power"},
                                       {"Module temperature ", "temperature"},
                                       {"Module voltage ", "voltage"}}};
constexpr std::array<Name, 4> kBounds{{{"high alarm threshold", "high_alarm"},
                                       {"low alarm threshold", "low_alarm"},
                                       {"high warning threshold", "high_warning"},
                                       {"low warning threshold", "low_warning"}}};

bool prints(const Command& command) {
    return command.is("ethtool") &&
           (command.has_option('m') || command.has("--module-info") || command.has("--dump-module-eeprom"));
}

Fit begins(std::span<const std::string_view> ahead) {
    const auto pair = pair_of(ahead[0]);
    if (!pair) return Fit::none;
    if (pair->key == "Identifier" && has(pair->value, "(")) return Fit::sure;
    return starts_with_any(pair->key, {"Module temperature", "Rcvr signal avg optical power",
                                       "Receiver signal average optical power"})
               ? Fit::sure
               : Fit::none;
}

bool continues(const Section& section, const Line& line) {
    if (!pair_of(line.text)) return false;
    return section.command.is("ethtool") || indented(line.text);
}

// "0x11 (QSFP28)" → QSFP28
std::string_view in_brackets(std::string_view value) {
    const std::size_t open = value.find('('), close = value.find(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
    return value.substr(open + 1, close - open - 1);
}

void take(const Pair& pair, Fields& fields) {
    const auto& [key, value] = pair;
    if (key == "Identifier") {
        const std::string_view name = in_brackets(value);
        return fields.put("identifier", name.substr(0, name.find(' ')));
    }
    if (key == "Vendor name") return fields.put("vendor", value);
    if (key == "Vendor PN") return fields.put("part", value);
    if (is_any(key, {"Transmitter technology", "Device technology", "Cable technology"})) {
        return fields.put("copper", has(value, "opper") ? "1" : "0");
    }
    for (const Name& limit : kLimits) {
        if (!key.starts_with(limit.printed)) continue;
        for (const Name& bound : kBounds) {
            if (key.ends_with(bound.printed))
                return fields.put(fmt::format("{}_{}", limit.field, bound.field), number_text(value));
        }
    }
    if (key == "Module temperature") return fields.put("temperature", number_text(value));
    if (key == "Module voltage") return fields.put("voltage", number_text(value));
    for (const Name& lane : kLanes) {
        if (!key.starts_with(lane.printed) || has(key, "threshold") || has(key, "alarm") || has(key, "warning"))
            continue;
        const auto number = whole_number(behind(key, "Channel ").value_or("1"));
        if (!number || *number < 1 || *number > 16) return;
        return fields.put(fmt::format("{}_{}", lane.field, *number), number_text(value));
    }
}

void parse(const Section& section, Answers& answers) {
    const std::string netdev = answers.netdev(section.command.operand(0));
    if (netdev.empty()) return;
    Fields fields(answers, "ethtool.module/" + netdev);
    for (const std::string& line : section.lines) {
        if (const auto pair = pair_of(line)) take(*pair, fields);
    }
}

constexpr Form kForms[] = {{"ethtool -m", "ethtool -m IF", prints, begins, continues, parse}};

}  // namespace

extern const std::span<const Form> ethtool_module;
constinit const std::span<const Form> ethtool_module{kForms};

}  // namespace rd::ingest::forms
