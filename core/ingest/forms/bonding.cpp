// SPDX-License-Identifier: GPL-2.0-or-later
// /proc/net/bonding/NAME: a bond and its members, in words that the files of sysfs have as numbers.
#include <fmt/format.h>

#include <array>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

struct Mode {
    std::string_view words, file;
};
constexpr std::array<Mode, 7> kModes{{{"round-robin", "balance-rr 0"},
                                      {"active-backup", "active-backup 1"},
                                      {"(xor)", "balance-xor 2"},
                                      {"(broadcast)", "broadcast 3"},
                                      {"802.3ad", "802.3ad 4"},
                                      {"transmit load balancing", "balance-tlb 5"},
                                      {"adaptive load balancing", "balance-alb 6"}}};

// "/proc/net/bonding/bond0" somewhere in a command.
std::string_view bond_in(std::string_view text) {
    const std::string_view rest = behind(text, "/proc/net/bonding/").value_or("");
    return rest.substr(0, rest.find_first_of(" \t;|&"));
}

Fit begins(std::span<const std::string_view> ahead) {
    if (starts_with_any(ahead[0], {"Ethernet Channel Bonding Driver:", "Bonding Mode:"})) return Fit::sure;
    return ahead[0].starts_with("Slave Interface:") ? Fit::sure : Fit::none;
}

bool continues(const Section& section, const Line& line) {
    if (line.text.starts_with("Ethernet Channel Bonding Driver:")) return section.empty();
    if (line.text == "802.3ad info") return true;
    const auto pair = pair_of(line.text);
    if (!pair || line.text.size() > 160) return false;
    return section.command || indented(line.text) || has(pair->key, "Slave") || has(pair->key, "MII") ||
           is_any(pair->key, {"Bonding Mode",
                              "Transmit Hash Policy",
                              "Up Delay (ms)",
                              "Down Delay (ms)",
                              "Peer Notification Delay (ms)",
                              "LACP active",
                              "LACP rate",
                              "Min links",
                              "Aggregator selection policy (ad_select)",
                              "System priority",
                              "System MAC address",
                              "Active Aggregator Info",
                              "Speed",
                              "Duplex",
                              "Link Failure Count",
                              "Permanent HW addr",
                              "Aggregator ID",
                              "Number of ports",
                              "Actor Key",
                              "Partner Key",
                              "Partner Mac Address",
                              "Primary Slave",
                              "Currently Active Slave",
                              "Actor Churn State",
                              "Partner Churn State",
                              "Actor Churned Count",
                              "Partner Churned Count",
                              "ARP Polling Interval (ms)",
                              "details actor lacp pdu",
                              "details partner lacp pdu"});
}

class Bond {
public:
    Bond(std::string name, Answers& answers) : name_(std::move(name)), answers_(answers) {}

    void take(const Pair& pair) {
        const auto& [key, value] = pair;
        if (key == "Slave Interface") return start(value);
        if (member_.empty()) return of_bond(pair);
        if (key == "MII Status") file(member_, "bonding_slave/mii_status", value);
        if (key == "Link Failure Count" && is_digits(value)) file(member_, "bonding_slave/link_failure_count", value);
        if (key == "Aggregator ID" && is_digits(value)) file(member_, "bonding_slave/ad_aggregator_id", value);
        if (key == "Speed" && value.ends_with("Mbps")) {
            Fields(answers_, "ethtool.link/" + member_).put("speed", whole_number(value));
        }
    }

    void finish() {
        if (!members_.empty() && !name_.empty()) file(name_, "bonding/slaves", members_);
    }

private:
    void file(std::string_view netdev, std::string_view path, std::string_view value) {
        if (!netdev.empty() && !value.empty()) answers_.read(fmt::format("/sys/class/net/{}/{}", netdev, path), value);
    }

    void start(std::string_view name) {
        member_ = answers_.netdev(name);
        if (member_.empty() || name_.empty()) return;
        members_ += (members_.empty() ? "" : " ") + member_;
        answers_.link(fmt::format("/sys/class/net/{}/master", member_), "/sys/devices/virtual/net/" + name_);
        answers_.exists(fmt::format("/sys/class/net/{}/lower_{}", name_, member_));
    }

    // "layer3+4 (1)" → "layer3+4 1"
    static std::string numbered(std::string_view value) {
        std::string out(value);
        std::erase_if(out, [](char c) { return c == '(' || c == ')'; });
        return out;
    }

    void of_bond(const Pair& pair) {
        const auto& [key, value] = pair;
        if (key == "Bonding Mode") {
            for (const Mode& mode : kModes) {
                if (has(value, mode.words)) return file(name_, "bonding/mode", mode.file);
            }
        }
        if (key == "Transmit Hash Policy") file(name_, "bonding/xmit_hash_policy", numbered(value));
        if (key == "MII Polling Interval (ms)" && is_digits(value)) file(name_, "bonding/miimon", value);
        if (key == "LACP rate") file(name_, "bonding/lacp_rate", value == "fast" ? "fast 1" : "slow 0");
        if (key == "Number of ports" && is_digits(value)) file(name_, "bonding/ad_num_ports", value);
        if (key == "Partner Mac Address") file(name_, "bonding/ad_partner_mac", value);
        if (key == "MII Status") file(name_, "carrier", value == "up" ? "1" : value == "down" ? "0" : "");
    }

    std::string name_, member_, members_;
    Answers& answers_;
};

void parse(const Section& section, Answers& answers) {
    const std::string_view name = bond_in(section.command.text);
    // A bond that is not named is not the one interface of a text that names its member only.
    Bond bond(name.empty() ? std::string() : answers.netdev(name), answers);
    for (const std::string& line : section.lines) {
        if (const auto pair = pair_of(line)) bond.take(*pair);
    }
    bond.finish();
}

constexpr Form kForms[] = {
    {"bonding", "cat /proc/net/bonding/BOND", [](const Command& command) { return !bond_in(command.text).empty(); },
     begins, continues, parse},
};

}  // namespace

extern const std::span<const Form> bonding;
constinit const std::span<const Form> bonding{kForms};

}  // namespace rd::ingest::forms
