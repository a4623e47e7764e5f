// SPDX-License-Identifier: GPL-2.0-or-later
// ethtool without an option, and -i -a -c -g -l -k --show-fec: settings of one interface, "key: value" below a heading that names it.
#include <fmt/format.h>

#include <array>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

struct Name {
    std::string_view printed, field;
};

// The interface: what the heading says, else the command, else unnamed.
std::string netdev_of(const Section& section, std::string_view heading, Answers& answers) {
    for (const std::string& line : section.lines) {
        if (!line.starts_with(heading)) continue;
        std::string_view name = trim(std::string_view(line).substr(heading.size()));
        if (name.ends_with(':')) name.remove_suffix(1);
        return answers.netdev(name);
    }
    // In a loop the command names a variable, and the headings above name the interfaces.
    const std::string_view operand = section.command.operand(0);
    return answers.netdev(operand.starts_with('$') ? std::string_view() : operand);
}

bool is_keyed(const Line& line, std::initializer_list<std::string_view> keys) {
    const auto pair = pair_of(line.text);
    return pair && is_any(pair->key, keys);
}

bool option(const Command& command, char letter, std::string_view word) {
    return command.is("ethtool") && (command.has_option(letter) || command.has(word));
}

Fit heading_fit(std::span<const std::string_view> ahead, std::string_view heading) {
    return ahead[0].starts_with(heading) ? Fit::sure : Fit::none;
}

// --- without an option ----------------------------------------------------------------------------------------------------------

constexpr std::string_view kSettings = "Settings for ";

bool prints_settings(const Command& command) {
    if (!command.is("ethtool")) return false;
    for (const std::string& argument : command.arguments) {
        if (argument.starts_with('-')) return false;
    }
    return true;
}

Fit begins_settings(std::span<const std::string_view> ahead) {
    if (ahead[0].starts_with(kSettings)) return Fit::sure;
    const auto pair = pair_of(ahead[0]);
    if (!pair) return Fit::none;
    if (pair->key == "Link detected" && !switch_of(first_word(pair->value)).empty()) return Fit::fair;
    return pair->key == "Speed" && pair->value.ends_with("Mb/s") ? Fit::fair : Fit::none;
}

bool continues_settings(const Section& section, const Line& line) {
    if (line.text.starts_with(kSettings)) return section.empty();
    if (is_keyed(line, {"Supported ports",
                        "Supported link modes",
                        "Supported pause frame use",
                        "Supports auto-negotiation",
                        "Supported FEC modes",
                        "Advertised link modes",
                        "Advertised pause frame use",
                        "Advertised auto-negotiation",
                        "Advertised FEC modes",
                        "Link partner advertised link modes",
                        "Link partner advertised pause frame use",
                        "Link partner advertised auto-negotiation",
                        "Link partner advertised FEC modes",
                        "Speed",
                        "Lanes",
                        "Duplex",
                        "Auto-negotiation",
                        "Port",
                        "PHYAD",
                        "Transceiver",
                        "MDI-X",
                        "Supports Wake-on",
                        "Wake-on",
                        "Current message level",
                        "Link detected",
                        "master-slave cfg",
                        "master-slave status"})) {
        return true;
    }
    return !section.empty() && indented(line.text) && !line.after_blank;
}

// "no (Link training failure, Link partner does not …)" → link_training_failure
std::string reason_of(std::string_view value) {
    const std::size_t begin = value.find('(');
    if (begin == std::string_view::npos) return {};
    std::string reason = lower(value.substr(begin + 1, value.find_first_of(",)", begin) - begin - 1));
    for (char& c : reason) c = c == ' ' ? '_' : c;
    return is_name(reason) ? reason : std::string();
}

void parse_settings(const Section& section, Answers& answers) {
    const std::string netdev = netdev_of(section, kSettings, answers);
    if (netdev.empty()) return;
    Fields fields(answers, "ethtool.link/" + netdev);
    for (const std::string& line : section.lines) {
        const auto pair = pair_of(line);
        if (!pair) continue;
        const auto& [key, value] = *pair;
        if (key == "Speed" && value.ends_with("Mb/s")) fields.put("speed", whole_number(value));
        if (key == "Lanes") fields.put("lanes", whole_number(value));
        if (key == "Duplex" && is_any(value, {"Full", "Half"})) fields.put("duplex", lower(value));
        if (key == "Auto-negotiation") fields.put("autoneg", switch_of(value));
        if (key != "Link detected") continue;
        const auto link = switch_of(first_word(value));
        fields.put("link", link);
        if (!link.empty()) answers.read(fmt::format("/sys/class/net/{}/carrier", netdev), link);
        if (link == "0") fields.put("ext_state", reason_of(value));
    }
}

// --- -i -------------------------------------------------------------------------------------------------------------------------

Fit begins_driver(std::span<const std::string_view> ahead) {
    const auto pair = pair_of(ahead[0]);
    if (!pair || indented(ahead[0])) return Fit::none;
    if (pair->key == "driver" && ahead.size() > 1 && starts_with_any(ahead[1], {"version:", "firmware-version:"})) {
        return Fit::sure;
    }
    return pair->key == "firmware-version" ? Fit::fair : Fit::none;
}

bool continues_driver(const Section& section, const Line& line) {
    if (!section.empty() && line.text.starts_with("driver:")) return false;  // the next interface
    return is_keyed(
        line, {"driver", "version", "firmware-version", "expansion-rom-version", "bus-info", "supports-statistics",
               "supports-test", "supports-eeprom-access", "supports-register-dump", "supports-priv-flags"});
}

void parse_driver(const Section& section, Answers& answers) {
    const std::string netdev = netdev_of(section, "driver information of ", answers);
    if (netdev.empty()) return;
    Fields fields(answers, "ethtool.driver/" + netdev);
    std::string_view driver;
    for (const std::string& line : section.lines) {
        const auto pair = pair_of(line);
        if (!pair) continue;
        const auto& [key, value] = *pair;
        if (key == "driver" && is_name(value)) fields.put(key, driver = value);
        if (key == "version") fields.put(key, value);
        if (key == "firmware-version") fields.put("firmware", value);
        if (key != "bus-info") continue;
        fields.put("bus", value);
        const std::string address = answers.pci(value);
        if (address.empty()) continue;
        answers.on_pci("/sys/class/net/" + netdev, address);
        if (!driver.empty())
            answers.link(fmt::format("/sys/bus/pci/devices/{}/driver", address),
                         fmt::format("/sys/bus/pci/drivers/{}", driver));
    }
    if (!driver.empty()) {
        answers.link(fmt::format("/sys/class/net/{}/device/driver", netdev),
                     fmt::format("/sys/bus/pci/drivers/{}", driver));
    }
}

// --- -a -------------------------------------------------------------------------------------------------------------------------

constexpr std::string_view kPause = "Pause parameters for ";

Fit begins_pause(std::span<const std::string_view> ahead) { return heading_fit(ahead, kPause); }

bool continues_pause(const Section& section, const Line& line) {
    if (line.text.starts_with(kPause)) return section.empty();
    return is_keyed(line, {"Autonegotiate", "RX", "TX", "RX negotiated", "TX negotiated"});
}

void parse_pause(const Section& section, Answers& answers) {
    const std::string netdev = netdev_of(section, kPause, answers);
    if (netdev.empty()) return;
    Fields fields(answers, "ethtool.pause/" + netdev);
    for (const std::string& line : section.lines) {
        const auto pair = pair_of(line);
        if (pair && pair->key == "Autonegotiate") fields.put("autoneg", switch_of(pair->value));
        if (pair && pair->key == "RX") fields.put("rx", switch_of(pair->value));
        if (pair && pair->key == "TX") fields.put("tx", switch_of(pair->value));
    }
}

// --- -c -------------------------------------------------------------------------------------------------------------------------

constexpr std::string_view kCoalesce = "Coalesce parameters for ";
constexpr std::array<Name, 4> kCoalesceNames{{{"rx-usecs", "rx_usecs"},
                                              {"rx-frames", "rx_max_frames"},
                                              {"tx-usecs", "tx_usecs"},
                                              {"tx-frames", "tx_max_frames"}}};

Fit begins_coalesce(std::span<const std::string_view> ahead) {
    if (ahead[0].starts_with("Adaptive RX:")) return Fit::fair;
    return heading_fit(ahead, kCoalesce);
}

bool continues_coalesce(const Section& section, const Line& line) {
    if (line.text.starts_with(kCoalesce)) return section.empty();
    const auto pair = pair_of(line.text);
    return pair && (pair->key == "Adaptive RX" || pair->key.starts_with("rx-") || pair->key.starts_with("tx-") ||
                    is_any(pair->key,
                           {"stats-block-usecs", "sample-interval", "pkt-rate-low", "pkt-rate-high", "CQE mode RX"}));
}

void parse_coalesce(const Section& section, Answers& answers) {
    const std::string netdev = netdev_of(section, kCoalesce, answers);
    if (netdev.empty()) return;
    Fields fields(answers, "ethtool.coalesce/" + netdev);
    for (const std::string& line : section.lines) {
        const auto pair = pair_of(line);
        if (!pair) continue;
        if (pair->key == "Adaptive RX") {  // "Adaptive RX: on  TX: off"
            fields.put("use_adaptive_rx", switch_of(first_word(pair->value)));
            if (const auto tx = behind(pair->value, "TX:")) fields.put("use_adaptive_tx", switch_of(first_word(*tx)));
        }
        for (const Name& name : kCoalesceNames) {
            if (pair->key == name.printed && is_digits(pair->value)) fields.put(name.field, pair->value);
        }
    }
}

// --- -g and -l: what there may be, and what there is ----------------------------------------------------------------------------

constexpr std::string_view kRings = "Ring parameters for ";
constexpr std::string_view kChannels = "Channel parameters for ";

bool continues_two_parts(const Section& section, const Line& line, std::string_view heading) {
    if (line.text.starts_with(heading)) return section.empty();
    if (starts_with_any(line.text, {"Pre-set maximums:", "Current hardware settings:"})) return true;
    return is_keyed(line, {"RX", "RX Mini", "RX Jumbo", "TX", "RX Buf Len", "CQE Size", "TX Push", "RX Push",
                           "TX push buff len", "TCP data split", "Other", "Combined"});
}

void parse_two_parts(const Section& section, std::string_view heading, std::string_view subject,
                     std::span<const Name> names, std::string_view now, Answers& answers) {
    const std::string netdev = netdev_of(section, heading, answers);
    if (netdev.empty()) return;
    Fields fields(answers, fmt::format("{}/{}", subject, netdev));
    std::optional<std::string_view> part;  // numbers without their heading say nothing
    for (const std::string& line : section.lines) {
        if (line.starts_with("Pre-set")) part = "_max";
        if (line.starts_with("Current")) part = now;
        const auto pair = pair_of(line);
        if (!pair || !part || !is_digits(pair->value)) continue;
        for (const Name& name : names) {
            if (pair->key == name.printed) fields.put(fmt::format("{}{}", name.field, *part), pair->value);
        }
    }
}

constexpr std::array<Name, 2> kRingNames{{{"RX", "rx"}, {"TX", "tx"}}};
constexpr std::array<Name, 4> kChannelNames{{{"RX", "rx"}, {"TX", "tx"}, {"Other", "other"}, {"Combined", "combined"}}};

// --- -k -------------------------------------------------------------------------------------------------------------------------

constexpr std::string_view kFeatures = "Features for ";
constexpr std::string_view kOldFeatures = "Offload parameters for ";
// What ethtool calls features by an older name than the kernel does.
constexpr std::array<Name, 3> kFeatureNames{{{"generic-receive-offload", "rx-gro"},
                                             {"large-receive-offload", "rx-lro"},
                                             {"ntuple-filters", "rx-ntuple-filter"}}};

bool is_feature(std::string_view line) {
    const auto pair = pair_of(line);
    return pair && has(pair->key, "-") && is_name(pair->key) && is_any(first_word(pair->value), {"on", "off"});
}

Fit begins_features(std::span<const std::string_view> ahead) {
    if (ahead[0].starts_with(kFeatures) || ahead[0].starts_with(kOldFeatures)) return Fit::sure;
    return is_feature(ahead[0]) ? Fit::fair : Fit::none;
}

bool continues_features(const Section& section, const Line& line) {
    if (line.text.starts_with(kFeatures) || line.text.starts_with(kOldFeatures)) return section.empty();
    return is_feature(line.text);
}

void parse_features(const Section& section, Answers& answers) {
    const bool old = !section.empty() && section.lines.front().starts_with(kOldFeatures);
    const std::string netdev = netdev_of(section, old ? kOldFeatures : kFeatures, answers);
    if (netdev.empty()) return;
    const std::string subject = "ethtool.features/" + netdev;
    for (const std::string& line : section.lines) {
        if (!is_feature(line)) continue;
        const auto pair = pair_of(line);
        std::string_view feature = pair->key;
        for (const Name& name : kFeatureNames) {
            if (feature == name.printed) feature = name.field;
        }
        answers.record(subject, "name", feature, "active", first_word(pair->value) == "on" ? "1" : "0");
    }
    answers.record(subject, "name", "partial", "active", "1");
}

// --- --show-fec -----------------------------------------------------------------------------------------------------------------

constexpr std::string_view kFec = "FEC parameters for ";

std::string fec_mode(std::string_view word) {
    const std::string mode = lower(word);
    if (mode == "off") return "none";
    return is_any(mode, {"none", "rs", "baser", "llrs"}) ? mode : std::string();
}

Fit begins_fec(std::span<const std::string_view> ahead) {
    const auto pair = pair_of(ahead[0]);
    if (pair && (pair->key.ends_with("Configured FEC encodings") || pair->key.starts_with("Active FEC encoding"))) {
        return Fit::sure;
    }
    return heading_fit(ahead, kFec);
}

bool continues_fec(const Section& section, const Line& line) {
    if (line.text.starts_with(kFec)) return section.empty();
    const auto pair = pair_of(line.text);
    return pair && has(pair->key, "FEC encoding");
}

void parse_fec(const Section& section, Answers& answers) {
    const std::string netdev = netdev_of(section, kFec, answers);
    if (netdev.empty()) return;
    Fields fields(answers, "ethtool.fec/" + netdev);
    for (const std::string& line : section.lines) {
        const auto pair = pair_of(line);
        if (!pair || !has(pair->key, "FEC encoding")) continue;
        std::string modes;
        bool automatic = false;
        for (const std::string_view word : words(pair->value)) {
            if (lower(word) == "auto") automatic = true;
            if (const std::string mode = fec_mode(word); !mode.empty()) modes += (modes.empty() ? "" : ",") + mode;
        }
        if (pair->key.starts_with("Active")) {
            fields.put("active", modes);
        } else {
            fields.put("auto", automatic ? "1" : "0");
            fields.put("modes", modes.empty() && automatic ? "auto" : modes);
        }
    }
}

constexpr Form kForms[] = {
    {"ethtool", "ethtool IF", prints_settings, begins_settings, continues_settings, parse_settings},
    {"ethtool -i", "ethtool -i IF", [](const Command& c) { return option(c, 'i', "--driver"); }, begins_driver,
     continues_driver, parse_driver},
    {"ethtool -a", "ethtool -a IF", [](const Command& c) { return option(c, 'a', "--show-pause"); }, begins_pause,
     continues_pause, parse_pause},
    {"ethtool -c", "", [](const Command& c) { return option(c, 'c', "--show-coalesce"); }, begins_coalesce,
     continues_coalesce, parse_coalesce},
    {"ethtool -g", "", [](const Command& c) { return option(c, 'g', "--show-ring"); },
     [](std::span<const std::string_view> ahead) { return heading_fit(ahead, kRings); },
     [](const Section& section, const Line& line) { return continues_two_parts(section, line, kRings); },
     [](const Section& section, Answers& answers) {
         parse_two_parts(section, kRings, "ethtool.rings", kRingNames, "", answers);
     }},
    {"ethtool -l", "", [](const Command& c) { return option(c, 'l', "--show-channels"); },
     [](std::span<const std::string_view> ahead) { return heading_fit(ahead, kChannels); },
     [](const Section& section, const Line& line) { return continues_two_parts(section, line, kChannels); },
     [](const Section& section, Answers& answers) {
         parse_two_parts(section, kChannels, "ethtool.channels", kChannelNames, "_count", answers);
     }},
    {"ethtool -k", "", [](const Command& c) { return option(c, 'k', "--show-features"); }, begins_features,
     continues_features, parse_features},
    {"ethtool --show-fec", "ethtool --show-fec IF",
     [](const Command& c) { return c.is("ethtool") && c.has("--show-fec"); }, begins_fec, continues_fec, parse_fec},
};

}  // namespace

extern const std::span<const Form> ethtool;
constinit const std::span<const Form> ethtool{kForms};

}  // namespace rd::ingest::forms
