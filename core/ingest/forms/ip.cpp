// SPDX-License-Identifier: GPL-2.0-or-later
// ip link and ip address in all their lengths (-d, -s, -br), and ifconfig. Interface indices are those of the text: addresses belong to
// an interface by its index, so only outputs that can show addresses give the file ifindex.
#include <fmt/format.h>

#include <array>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

struct Heading {
    std::string index;  // empty: not printed
    std::string name, below, rest;
};

// "5: ens1f0: <BROADCAST,UP> mtu 9000 …", "7: bond0.100@bond0: <…"
std::optional<Heading> heading_of(std::string_view line) {
    const auto row = words(line);
    if (row.size() < 3 || indented(line) || !row[0].ends_with(':') || !row[1].ends_with(':') || row[2].front() != '<') {
        return std::nullopt;
    }
    const std::string_view index = row[0].substr(0, row[0].size() - 1), name = row[1].substr(0, row[1].size() - 1);
    const std::size_t at = name.find('@');
    if (!is_digits(index) || !is_name(name.substr(0, at))) return std::nullopt;
    Heading heading{std::string(index), std::string(name.substr(0, at)), {}, std::string(line)};
    if (at != std::string_view::npos && is_name(name.substr(at + 1))) heading.below = name.substr(at + 1);
    return heading;
}

bool is_state(std::string_view word) {
    return is_any(word, {"UP", "DOWN", "UNKNOWN", "LOWERLAYERDOWN", "DORMANT", "TESTING", "NOTPRESENT"});
}

// "ens1f0           UP             10.9.0.1/24 …" of -br
bool is_brief(std::string_view line) {
    const auto row = words(line);
    if (row.size() < 2 || indented(line) || !is_state(row[1]) || !is_name(row[0].substr(0, row[0].find('@'))))
        return false;
    return row.size() == 2 || has(row[2], "/") || has(row[2], ":") || has(row[2], "<");
}

class Reader {
public:
    Reader(const Section& section, Answers& answers) : answers_(answers) {
        shows_addresses_ =
            section.command && section.command.filters.empty() && section.command.operand(0).starts_with('a');
        for (const std::string& line : section.lines) {
            if (starts_with_any(trim(line), {"inet ", "inet6 "}) && !section.command) shows_addresses_ = true;
        }
    }

    void take(std::string_view line) {
        if (auto heading = heading_of(line)) return start(*heading);
        if (is_brief(line)) return brief(words(line));
        if (name_.empty()) return;
        const auto row = words(line);
        if (row.empty()) return;
        if (counters_ != 0 && take_counters(row)) return;
        if (row[0].starts_with("link/")) take_hardware(row);
        if ((row[0] == "inet" || row[0] == "inet6") && row.size() > 1) take_address(row);
        if (is_any(row[0], {"RX:", "TX:"})) {
            counters_ = row[0] == "RX:" ? 'r' : 't';
            heads_ = row_text(row);
        }
        take_kind(row, line);
    }

private:
    void field(std::string_view key, std::string_view value) {
        if (value.empty()) return;
        answers_.record("rtnl.link", "ifname", name_, key, value);
    }
    void file(std::string_view name, std::string_view value) {
        answers_.read(fmt::format("/sys/class/net/{}/{}", name_, name), value);
    }

    void begin(std::string_view name) {
        name_ = answers_.netdev(name);
        counters_ = 0;
        if (!name_.empty()) field("partial", "1");
    }

    void start(const Heading& heading) {
        begin(heading.name);
        index_ = heading.index;
        if (name_.empty()) return;
        field("ifindex", index_);
        if (shows_addresses_) file("ifindex", index_);
        flags(heading.rest.substr(heading.rest.find('<') + 1));
        const auto row = words(heading.rest);
        if (const auto mtu = word_behind(row, "mtu"); mtu && is_digits(*mtu)) {
            field("mtu", *mtu);
            file("mtu", *mtu);
        }
        if (const auto state = word_behind(row, "state"); state && is_state(*state)) operstate(*state);
        if (const auto master = word_behind(row, "master"); master && !answers_.netdev(*master).empty()) {
            field("master", *master);
            answers_.link(fmt::format("/sys/class/net/{}/master", name_),
                          fmt::format("/sys/devices/virtual/net/{}", *master));
            answers_.exists(fmt::format("/sys/class/net/{}/lower_{}", *master, name_));
        }
        if (heading.below.empty() || heading.below == "NONE" || heading.below.starts_with("if")) return;
        if (answers_.netdev(heading.below).empty()) return;
        field("link", heading.below);
        answers_.exists(fmt::format("/sys/class/net/{}/lower_{}", name_, heading.below));
    }

    void operstate(std::string_view state) {
        field("operstate", state);
        file("operstate", lower(state));
    }

    void flags(std::string_view list) {
        const auto words_of = split(list.substr(0, list.find('>')), ',');
        const auto set = [&](std::string_view word) {
            return std::find(words_of.begin(), words_of.end(), word) != words_of.end();
        };
        const unsigned value = (set("UP") ? 0x1U : 0U) | 0x1002U | (set("LOWER_UP") ? 0x10040U : 0U);
        field("flags", fmt::format("{:#x}", value));
        file("flags", fmt::format("{:#x}", value));
        if (!set("UP")) return;  // what is switched off shows no carrier
        const std::string_view carrier = set("LOWER_UP") ? "1" : set("NO-CARRIER") ? "0" : "";
        field("carrier", carrier);
        if (!carrier.empty()) file("carrier", carrier);
    }

    void brief(const std::vector<std::string_view>& row) {
        begin(row[0].substr(0, row[0].find('@')));
        index_.clear();
        if (name_.empty()) return;
        operstate(row[1]);
        for (const std::string_view word : row) {
            if (word.starts_with('<')) flags(word.substr(1));
        }
    }

    void take_hardware(const std::vector<std::string_view>& row) {
        const std::string_view kind = row[0].substr(5);
        if (kind == "ether") field("type", "1");
        if (kind == "infiniband") field("type", "32");
        if (kind == "loopback") field("type", "772");
        if (row.size() > 1 && has(row[1], ":")) field("address", row[1]);
    }

    void take_address(const std::vector<std::string_view>& row) {
        const std::size_t slash = row[1].find('/');
        if (slash == std::string_view::npos || index_.empty()) return;
        const std::string_view address = row[1].substr(0, slash), prefix = row[1].substr(slash + 1);
        const auto length = whole_number(prefix);
        const bool ipv6 = row[0] == "inet6";
        if (!length || *length < 0 || *length > (ipv6 ? 128 : 32) || (ipv6 != has(address, ":"))) return;
        if (ipv6 ? !gid_of(address) : !gid_of("::ffff:" + std::string(address))) return;
        answers_.record("rtnl.addr", "address", address, "ifindex", index_);
        answers_.record("rtnl.addr", "address", address, "prefix", prefix);
        answers_.record("rtnl.addr", "address", address, "scope", word_behind(row, "scope").value_or("global"));
    }

    static std::string row_text(const std::vector<std::string_view>& row) {
        std::string text;
        for (std::size_t i = 1; i < row.size(); ++i) text += std::string(row[i]) + " ";
        return text;
    }

    // The line below "RX:  bytes packets errors dropped  missed   mcast"
    bool take_counters(const std::vector<std::string_view>& row) {
        const auto heads = words(heads_);
        const std::string_view prefix = counters_ == 'r' ? "rx" : "tx";
        counters_ = 0;
        if (!is_digits(row[0])) return false;
        for (std::size_t i = 0; i < std::min(heads.size(), row.size()); ++i) {
            if (!is_any(heads[i], {"bytes", "packets", "dropped", "missed"}) || !is_digits(row[i])) continue;
            if (prefix == "tx" && !is_any(heads[i], {"bytes", "packets"})) continue;
            field(fmt::format("{}_{}", prefix, heads[i]), row[i]);
        }
        return true;
    }

    // The details of -d: "vlan protocol 802.1Q id 100 <REORDER_HDR>", "bond mode 802.3ad …"
    void take_kind(const std::vector<std::string_view>& row, std::string_view line) {
        if (row[0] == "vlan" && word_behind(row, "id")) {
            field("kind", "vlan");
            field("vlan_id", *word_behind(row, "id"));
        }
        if (is_any(row[0], {"bond", "veth", "bridge", "macvlan", "ipvlan", "ipoib", "vxlan", "dummy", "tun"}) &&
            indented(line)) {
            field("kind", row[0]);
        }
        if (row[0] != "egress-qos-map") return;
        std::string map;
        for (std::size_t i = 1; i < row.size(); ++i) {
            if (has(row[i], ":")) map += (map.empty() ? "" : ",") + std::string(row[i]);
        }
        field("vlan_egress", map);
    }

    Answers& answers_;
    bool shows_addresses_ = false;
    std::string name_, index_, heads_;
    char counters_ = 0;
};

bool prints_ip(const Command& command) {
    if (!command.is("ip")) return false;
    const std::string_view object = command.operand(0);
    return starts_with_any(object, {"a", "l"}) && (std::string_view("address").starts_with(object) ||
                                                   object == "addr" || std::string_view("link").starts_with(object));
}

Fit begins_ip(std::span<const std::string_view> ahead) {
    if (heading_of(ahead[0])) return Fit::sure;
    const auto row = words(ahead[0]);
    return is_brief(ahead[0]) && row.size() > 2 ? Fit::fair : Fit::none;
}

bool continues_ip(const Section& section, const Line& line) {
    if (heading_of(line.text) || is_brief(line.text)) return true;
    return !section.empty() && indented(line.text) && !line.after_blank;
}

void parse_ip(const Section& section, Answers& answers) {
    Reader reader(section, answers);
    for (const std::string& line : section.lines) reader.take(line);
}

// --- ifconfig -------------------------------------------------------------------------------------------------------------------

// "ens1f0: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 9000"
bool is_ifconfig(std::string_view line) {
    const auto row = words(line);
    return row.size() >= 2 && !indented(line) && row[0].ends_with(':') && row[1].starts_with("flags=") &&
           has(row[1], "<");
}

void parse_ifconfig(const Section& section, Answers& answers) {
    std::string name;
    for (const std::string& line : section.lines) {
        const auto row = words(line);
        if (row.empty()) continue;
        const auto file = [&](std::string_view what, std::string_view value) {
            if (is_digits(value)) answers.read(fmt::format("/sys/class/net/{}/{}", name, what), value);
        };
        if (is_ifconfig(line)) {
            name = answers.netdev(row[0].substr(0, row[0].size() - 1));
            if (name.empty()) continue;
            file("mtu", word_behind(row, "mtu").value_or(""));
            const bool up = has(row[1], "<UP,") || has(row[1], "<UP>");
            answers.read(fmt::format("/sys/class/net/{}/flags", name), up ? "0x1003" : "0x1002");
            if (up) file("carrier", has(row[1], "RUNNING") ? "1" : "0");
        } else if (!name.empty() && row.size() > 2 && is_any(row[0], {"RX", "TX"})) {
            const std::string prefix = row[0] == "RX" ? "rx_" : "tx_";
            if (row[1] == "packets") file("statistics/" + prefix + "packets", row[2]);
            if (row[1] == "packets") file("statistics/" + prefix + "bytes", word_behind(row, "bytes").value_or(""));
            if (row[1] == "errors") file("statistics/" + prefix + "dropped", word_behind(row, "dropped").value_or(""));
        }
    }
}

constexpr Form kForms[] = {
    {"ip", "ip -d -s link; ip address", prints_ip, begins_ip, continues_ip, parse_ip},
    {"ifconfig", "", [](const Command& command) { return command.is("ifconfig"); },
     [](std::span<const std::string_view> ahead) { return is_ifconfig(ahead[0]) ? Fit::sure : Fit::none; },
     [](const Section& section, const Line& line) {
         return is_ifconfig(line.text) || (!section.empty() && indented(line.text));
     },
     parse_ifconfig},
};

}  // namespace

extern const std::span<const Form> ip;
constinit const std::span<const Form> ip{kForms};

}  // namespace rd::ingest::forms
