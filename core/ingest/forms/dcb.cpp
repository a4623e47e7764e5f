// SPDX-License-Identifier: GPL-2.0-or-later
// Data centre bridging: mlnx_qos, the dcb tool of iproute2, and the tools of the vendor's package for the traffic class of rdma_cm.
#include <fmt/format.h>

#include <array>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

std::vector<std::string_view> parts_of(std::string_view list) {
    std::vector<std::string_view> parts;
    for (const std::string_view part : split(list, ',')) {
        if (!trim(part).empty()) parts.push_back(trim(part));
    }
    return parts;
}

// "10 Gbps", "25Gbit", "unlimited" → kbit/s
std::optional<std::int64_t> rate_of(std::string_view text) {
    if (text.starts_with("unlimited")) return 0;
    const std::string_view number = number_text(text);
    const auto value = parse_number(number);
    if (!value || *value < 0 || *value > 1e6) return std::nullopt;
    const std::string unit = lower(trim(text.substr(number.size())));
    if (unit.starts_with("g")) return static_cast<std::int64_t>(*value * 1e6);
    if (unit.starts_with("m")) return static_cast<std::int64_t>(*value * 1e3);
    return std::nullopt;
}

std::string append_dscp(std::int64_t dscp, std::int64_t priority) {
    return fmt::format("selector=dscp protocol={} priority={}\n", dscp, priority);
}

// --- mlnx_qos -------------------------------------------------------------------------------------------------------------------

class Qos {
public:
    Qos(std::string netdev, Answers& answers) : netdev_(std::move(netdev)), answers_(answers) {}

    void take(std::string_view line) {
        const auto pair = pair_of(line);
        const auto row = words(line);
        if (row.empty()) return;
        if (in_pfc_ && row.size() == 9 && is_any(row[0], {"enabled", "buffer"})) return take_pfc(row);
        if (row[0] == "priority" && row.size() == 9) {
            in_pfc_ = true;
            return;
        }
        if (!pair) return;
        const auto& [key, value] = *pair;
        if (key == "DCBX mode") {
            if (value.starts_with("OS")) fields("dcbx").put("host", "1");
            if (value.starts_with("Firmware")) fields("dcbx").put("host", "0");
        } else if (key == "Priority trust state") {
            if (is_any(value, {"pcp", "dscp"}))
                answers_.read(fmt::format("/sys/class/net/{}/qos/trust", netdev_), value);
        } else if (key == "Cable len") {
            fields("pfc").put("delay", whole_number(value));
        } else if (key.starts_with("Receive buffer size")) {
            take_sizes(value);
        } else if (key == "prio") {
            take_dscps(value);
        } else if (key == "tc") {
            take_class(value);
        } else if (key == "priority" && class_) {
            for (const std::string_view word : words(value)) {
                if (is_digits(word)) fields("ets").put(fmt::format("prio_tc_{}", word), std::to_string(*class_));
            }
        }
    }

    void finish() {
        if (!dscps_.empty()) answers_.read("dcb.app/" + netdev_, dscps_);
    }

private:
    Fields fields(std::string_view part) { return {answers_, fmt::format("dcb.{}/{}", part, netdev_)}; }

    void take_pfc(const std::vector<std::string_view>& row) {
        int mask = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            if (!is_digits(row[i + 1])) return;
            if (row[0] == "buffer") fields("buffer").put(fmt::format("prio_buffer_{}", i), row[i + 1]);
            if (row[i + 1] == "1") mask |= 1 << i;
        }
        if (row[0] == "enabled") fields("pfc").put("enabled", std::to_string(mask));
    }

    void take_sizes(std::string_view value) {
        std::size_t number = 0;
        for (const std::string_view size : parts_of(value)) {
            if (!is_digits(size) || number > 7) break;
            fields("buffer").put(fmt::format("size_{}", number++), size);
        }
    }

    // "prio:3 dscp:31,30,29,28,"
    void take_dscps(std::string_view value) {
        const auto priority = whole_number(value);
        const auto list = behind(value, "dscp:");
        if (!priority || !list || *priority < 0 || *priority > 7) return;
        for (const std::string_view part : parts_of(*list)) {
            const auto dscp = whole_number(part);
            if (dscp && *dscp >= 0 && *dscp < 64) dscps_ += append_dscp(*dscp, *priority);
        }
    }

    // "tc: 0 ratelimit: unlimited, tsa: ets, bw: 10%"
    void take_class(std::string_view value) {
        class_ = whole_number(value);
        if (!class_ || *class_ < 0 || *class_ > 7) {
            class_.reset();
            return;
        }
        if (const auto tsa = behind(value, "tsa:")) {
            const std::string_view word = tsa->substr(0, tsa->find_first_of(", "));
            if (is_any(word, {"ets", "strict", "cbs", "vendor"}))
                fields("ets").put(fmt::format("tc_tsa_{}", *class_), word);
        }
        if (const auto share = behind(value, "bw:"))
            fields("ets").put(fmt::format("tc_bw_{}", *class_), whole_number(*share));
        if (const auto rate = behind(value, "ratelimit:")) {
            fields("maxrate").put(fmt::format("tc_maxrate_{}", *class_), rate_of(*rate));
        }
    }

    std::string netdev_;
    Answers& answers_;
    bool in_pfc_ = false;
    std::optional<std::int64_t> class_;
    std::string dscps_;
};

bool is_qos_line(std::string_view line) {
    line = trim(line);
    const auto row = words(line);
    return starts_with_any(line, {"DCBX mode:", "Priority trust state:", "default priority:", "dscp2prio mapping:",
                                  "prio:", "Receive buffer size", "Cable len:", "PFC configuration:", "tc: ",
                                  "priority:", "max_buffer_size=", "total_size=", "is_enabled"}) ||
           (row.size() == 9 && is_any(row[0], {"priority", "enabled", "buffer"}));
}

Fit begins_qos(std::span<const std::string_view> ahead) {
    const std::string_view line = trim(ahead[0]);
    if (starts_with_any(line, {"DCBX mode:", "Priority trust state:", "PFC configuration:"})) return Fit::sure;
    const auto row = words(line);
    return row.size() == 9 && row[0] == "priority" && row[1] == "0" ? Fit::fair : Fit::none;
}

void parse_qos(const Section& section, Answers& answers) {
    std::string_view name = section.command.after("-i");
    if (name.empty()) name = section.command.after("--interface");
    const std::string netdev = answers.netdev(name);
    if (netdev.empty()) return;
    Qos qos(netdev, answers);
    for (const std::string& line : section.lines) qos.take(line);
    qos.finish();
}

// --- dcb ------------------------------------------------------------------------------------------------------------------------

// "CS3" "AF31" "EF" or a number.
std::optional<std::int64_t> dscp_of(std::string_view word) {
    if (is_digits(word)) return whole_number(word);
    if (word == "EF") return 46;
    if (word == "VA") return 44;
    const auto digit = [&](std::size_t at) { return static_cast<std::int64_t>(word[at] - '0'); };
    if (word.size() == 3 && word.starts_with("CS") && is_digits(word.substr(2))) return digit(2) * 8;
    if (word.size() == 4 && word.starts_with("AF") && is_digits(word.substr(2))) return digit(2) * 8 + digit(3) * 2;
    return std::nullopt;
}

// "10Kb", "1Mb", "512b"; K is 1,024.
std::optional<std::int64_t> bytes_of(std::string_view text) {
    const std::string_view number = number_text(text);
    const auto value = parse_number(number);
    if (!value || *value < 0 || *value > 1e9) return std::nullopt;
    const std::string_view unit = text.substr(number.size());
    const double scale = unit.starts_with("K") ? 1024 : unit.starts_with("M") ? 1024.0 * 1024 : 1;
    return static_cast<std::int64_t>(*value * scale);
}

struct DcbRow {
    std::string_view heading;
    std::string_view part;
    std::string_view field;  // N is put behind it
};
constexpr std::array<DcbRow, 8> kRows{{{"prio-tc", "ets", "prio_tc_"},
                                       {"tc-tsa", "ets", "tc_tsa_"},
                                       {"tc-bw", "ets", "tc_bw_"},
                                       {"prio-buffer", "buffer", "prio_buffer_"},
                                       {"buffer-size", "buffer", "size_"},
                                       {"tc-maxrate", "maxrate", "tc_maxrate_"},
                                       {"requests", "pfc", "requests_"},
                                       {"indications", "pfc", "indications_"}}};

bool is_dcb_line(std::string_view line) {
    const std::string_view word = first_word(line);
    for (const DcbRow& row : kRows) {
        if (word == row.heading) return true;
    }
    return is_any(word, {"pfc-cap", "prio-pfc", "ets-cap", "willing", "dscp-prio", "ethtype-prio", "port-prio",
                         "stream-port-prio", "dgram-port-prio", "default-prio", "pcp-prio", "reco-prio-tc",
                         "reco-tc-tsa", "reco-tc-bw", "total-size"});
}

Fit begins_dcb(std::span<const std::string_view> ahead) {
    if (!is_dcb_line(ahead[0]) || !has(ahead[0], ":")) return first_word(ahead[0]) == "pfc-cap" ? Fit::sure : Fit::none;
    return starts_with_any(trim(ahead[0]), {"requests", "indications"}) ? Fit::weak : Fit::sure;
}

bool continues_dcb(const Section& section, const Line& line) {
    return is_dcb_line(line.text) || (section.command && has(section.command.text, "dcbx") && section.empty());
}

std::string_view value_in(const DcbRow& row, std::string_view value, std::string& space) {
    std::optional<std::int64_t> number;
    if (row.field == "tc_tsa_") return value;
    if (row.field == "size_") number = bytes_of(value);
    if (row.field == "tc_maxrate_") number = rate_of(value);
    if (row.field != "size_" && row.field != "tc_maxrate_") number = whole_number(value);
    space = number ? std::to_string(*number) : std::string();
    return space;
}

void take_dcb(const std::vector<std::string_view>& row, const std::string& netdev, std::string& dscps,
              Answers& answers) {
    const auto fields = [&](std::string_view part) { return Fields(answers, fmt::format("dcb.{}/{}", part, netdev)); };
    if (row[0] == "pfc-cap") {
        fields("pfc").put("cap", whole_number(word_behind(row, "pfc-cap").value_or("")));
        fields("pfc").put("mbc", switch_of(word_behind(row, "macsec-bypass").value_or("")));
        fields("pfc").put("delay", whole_number(word_behind(row, "delay").value_or("")));
        return;
    }
    if (row[0] == "total-size" && row.size() > 1) return fields("buffer").put("total", bytes_of(row[1]));
    int mask = 0;
    bool any = false;
    for (std::size_t i = 1; i < row.size(); ++i) {
        const auto pair = pair_of(row[i]);
        if (!pair) continue;
        if (row[0] == "prio-pfc" && is_digits(pair->key) && pair->key.size() == 1) {
            any = true;
            if (pair->value == "on" && pair->key[0] < '8') mask |= 1 << (pair->key[0] - '0');
        }
        if (row[0] == "dscp-prio") {
            const auto dscp = dscp_of(pair->key), priority = whole_number(pair->value);
            if (dscp && priority && *dscp < 64 && *priority < 8) dscps += append_dscp(*dscp, *priority);
        }
        for (const DcbRow& one : kRows) {
            std::string space;
            if (row[0] != one.heading || !is_digits(pair->key) || pair->key.size() > 1) continue;
            fields(one.part).put(fmt::format("{}{}", one.field, pair->key), value_in(one, pair->value, space));
        }
    }
    if (any) fields("pfc").put("enabled", std::to_string(mask));
}

void parse_dcb(const Section& section, Answers& answers) {
    const std::string netdev = answers.netdev(section.command.after("dev"));
    if (netdev.empty()) return;
    std::string dscps;
    for (const std::string& line : section.lines) {
        const auto row = words(line);
        if (row.empty()) continue;
        if (has(section.command.text, "dcbx")) {
            Fields fields(answers, "dcb.dcbx/" + netdev);
            for (const std::string_view mode : {"host", "lld", "cee", "ieee", "static"}) {
                const std::string_view word = mode == "lld" ? "lld-managed" : mode;
                fields.put(mode, std::find(row.begin(), row.end(), word) != row.end() ? "1" : "0");
            }
        } else {
            take_dcb(row, netdev, dscps, answers);
        }
    }
    if (!dscps.empty()) answers.read("dcb.app/" + netdev, dscps);
}

// --- cma_roce_mode, cma_roce_tos ------------------------------------------------------------------------------------------------

bool prints_cma(const Command& command) { return command.is("cma_roce_mode") || command.is("cma_roce_tos"); }

void parse_cma(const Section& section, Answers& answers) {
    const std::string device = answers.device(section.command.after("-d"));
    const auto number = whole_number(section.command.after("-p")).value_or(1);
    if (answers.port(device, static_cast<int>(number)).empty()) return;
    const std::string folder = fmt::format("/sys/kernel/config/rdma_cm/{}/ports/{}/", device, number);
    const std::string_view value = trim(section.lines.front());
    if (section.command.is("cma_roce_tos") && is_digits(value)) answers.read(folder + "default_roce_tos", value);
    if (section.command.is("cma_roce_mode") && has(value, "RoCE")) answers.read(folder + "default_roce_mode", value);
}

constexpr Form kForms[] = {
    {"mlnx_qos", "mlnx_qos -i IF", [](const Command& command) { return command.is("mlnx_qos"); }, begins_qos,
     [](const Section&, const Line& line) { return is_qos_line(line.text); }, parse_qos},
    {"dcb", "dcb pfc show dev IF; dcb ets show dev IF; dcb app show dev IF",
     [](const Command& command) { return command.is("dcb"); }, begins_dcb, continues_dcb, parse_dcb},
    {"cma_roce_tos", "", prints_cma, nullptr, [](const Section& section, const Line&) { return section.empty(); },
     parse_cma},
};

}  // namespace

extern const std::span<const Form> dcb;
constinit const std::span<const Form> dcb{kForms};

}  // namespace rd::ingest::forms
