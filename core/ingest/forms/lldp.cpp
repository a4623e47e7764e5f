// SPDX-License-Identifier: GPL-2.0-or-later
// What LLDP says of the link: lldptool -t of this host, with -n of its neighbour, and lldpcli or lldpctl, which show the neighbour.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

// "3", "3 4", "3,4", "none" → the mask; nullopt for other words.
std::optional<int> mask_of(std::string_view text) {
    std::string list(trim(text));
    std::replace(list.begin(), list.end(), ',', ' ');
    if (list == "none") return 0;
    int mask = 0;
    for (const std::string_view word : words(list)) {
        if (word.size() != 1 || word[0] < '0' || word[0] > '7') return std::nullopt;
        mask |= 1 << (word[0] - '0');
    }
    return list.empty() ? std::nullopt : std::optional(mask);
}

// --- lldptool -t ------------------------------------------------------------------------------------------------------------------

bool is_tlv(std::string_view line) { return !indented(line) && trim(line).ends_with(" TLV") && line.size() < 60; }

bool asks_tool(const Command& command) {
    return command.is("lldptool") && (command.has_option('t') || command.has("get-tlv"));
}

bool of_neighbour(const Command& command) { return command.has_option('n') || command.has("--neighbor"); }

// -ti eth0, -t -i eth0, -tni eth0
std::string_view interface_of(const Command& command) {
    const auto& arguments = command.arguments;
    for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
        const std::string& one = arguments[i];
        if (one.size() > 1 && one[0] == '-' && one[1] != '-' && one.ends_with('i')) return arguments[i + 1];
        if (one == "get-tlv") continue;
    }
    // -tin eth0: the letters may stand in any order.
    for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
        const std::string& one = arguments[i];
        if (one.size() > 2 && one[0] == '-' && one[1] != '-' && has(one, "i")) return arguments[i + 1];
    }
    return {};
}

bool continues_tool(const Section& section, const Line& line) {
    if (is_tlv(line.text) || starts_with_any(line.text, {"enabled=", "willing=", "mode=", "End of LLDPDU"}))
        return true;
    return !section.empty() && indented(line.text);
}

// Selectors of IEEE 802.1Q: 3 is a UDP port, 4 any port. What is not by a port nobody asks for.
struct Application {
    std::string priority, selector, port;

    void take(const Pair& pair) {
        if (pair.key == "Priority") priority = std::string(first_word(pair.value));
        if (pair.key == "Sel") selector = std::string(first_word(pair.value));
        if (has(lower(pair.key), "port")) port = std::string(first_word(pair.value));
    }
    [[nodiscard]] bool whole() const { return is_digits(priority) && is_digits(selector) && is_digits(port); }
};

void parse_tool(const Section& section, Answers& answers) {
    const std::string netdev = answers.netdev(interface_of(section.command));
    if (netdev.empty()) return;
    const bool neighbour = of_neighbour(section.command);
    Fields peer(answers, "lldp/" + netdev);
    std::string tlv, applications;
    Application application;
    const auto flush = [&] {
        if (application.whole()) {
            applications += fmt::format("{}{}:{}:{}", applications.empty() ? "" : ",", application.selector,
                                        application.port, application.priority);
        }
        application = {};
    };
    for (const std::string& line : section.lines) {
        if (is_tlv(line)) {
            flush();
            tlv = std::string(trim(line));
            continue;
        }
        const std::string_view text = trim(line);
        if (text.starts_with("App#")) flush();
        const auto pair = pair_of(text, text.starts_with("enabled=") || text.starts_with("willing=") ? '=' : ':');
        if (pair && has(tlv, "APP")) application.take(*pair);
        const bool pfc = has(tlv, "PFC") || section.command.has("PFC");
        if (pair && pfc && is_any(pair->key, {"PFC enabled", "enabled"})) {
            const auto mask = mask_of(pair->value);
            if (mask && neighbour) peer.put("pfc_enabled", std::to_string(*mask));
            if (mask && !neighbour) Fields(answers, "dcb.pfc/" + netdev).put("enabled", std::to_string(*mask));
        }
        if (!neighbour) continue;
        if (pair && pfc && is_any(pair->key, {"Willing", "willing"})) peer.put("pfc_willing", switch_of(pair->value));
        if (tlv == "Chassis ID TLV" && pair) peer.put("chassis", pair->value);
        if (tlv == "Port ID TLV") peer.put("port", pair ? pair->value : text);
        if (tlv == "System Name TLV") peer.put("hostname", text);
        if (tlv == "Maximum Frame Size TLV") peer.put("max_frame", whole_number(text));
    }
    flush();
    if (neighbour) peer.put("applications", applications);
}

// --- lldpcli, lldpctl -------------------------------------------------------------------------------------------------------------

// "Interface:    ens1f0np0, via: LLDP, RID: 1, Time: 0 day, 00:12:13"
bool is_neighbour_head(std::string_view line) { return line.starts_with("Interface: ") && has(line, "via: LLDP"); }

bool asks_daemon(const Command& command) { return command.is("lldpcli") || command.is("lldpctl"); }

bool continues_daemon(const Section& section, const Line& line) {
    if (is_neighbour_head(line.text) || line.text.find_first_not_of("- ") == std::string_view::npos) return true;
    return starts_with_any(line.text, {"LLDP neighbors:"}) || (!section.empty() && indented(line.text));
}

void parse_daemon(const Section& section, Answers& answers) {
    std::string netdev;
    for (const std::string& line : section.lines) {
        const auto pair = pair_of(line);
        if (!pair) continue;
        if (is_neighbour_head(line)) netdev = answers.netdev(pair->value.substr(0, pair->value.find(',')));
        if (netdev.empty()) continue;
        Fields peer(answers, "lldp/" + netdev);
        // "mac 98:03:9b:aa:bb:cc", "ifname Eth1/7": of which kind it is stands before it.
        const auto bare = [](std::string_view value) {
            const auto row = words(value);
            return row.size() > 1 && is_any(row[0], {"mac", "ifname", "local", "ip"}) ? row[1] : value;
        };
        if (pair->key == "ChassisID") peer.put("chassis", bare(pair->value));
        if (pair->key == "PortID") peer.put("port", bare(pair->value));
        if (pair->key == "SysName") peer.put("hostname", pair->value);
        if (pair->key == "MFS") peer.put("max_frame", whole_number(pair->value));
    }
}

constexpr Form kForms[] = {
    {"lldptool", "lldptool -t -n -i IF", asks_tool,
     [](std::span<const std::string_view> ahead) {
         return is_tlv(ahead[0]) && starts_with_any(ahead[0], {"Chassis ID", "IEEE 8021QAZ", "Port ID"}) ? Fit::sure
                                                                                                         : Fit::none;
     },
     continues_tool, parse_tool},
    {"lldpcli", "lldpcli show neighbors", asks_daemon,
     [](std::span<const std::string_view> ahead) { return is_neighbour_head(ahead[0]) ? Fit::sure : Fit::none; },
     continues_daemon, parse_daemon},
};

}  // namespace

extern const std::span<const Form> lldp;
constinit const std::span<const Form> lldp{kForms};

}  // namespace rd::ingest::forms
