// SPDX-License-Identifier: GPL-2.0-or-later
// Counters of one RDMA port: perfquery, and the driver's hw_counters listed by name alone ("out_of_sequence: 12"), as `grep . *` in
// their folder, show_counters and loops print them. Which port that is says the command, else nobody: then the unnamed device.
#include <fmt/format.h>

#include <array>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

struct Name {
    std::string_view printed, file;
};
// As perfquery prints them, those of the extended counters and of versions before 1.4 too.
constexpr std::array<Name, 40> kPma{{{"SymbolErrorCounter", "symbol_error"},
                                     {"SymbolErrors", "symbol_error"},
                                     {"LinkErrorRecoveryCounter", "link_error_recovery"},
                                     {"LinkRecovers", "link_error_recovery"},
                                     {"LinkDownedCounter", "link_downed"},
                                     {"LinkDowned", "link_downed"},
                                     {"PortRcvErrors", "port_rcv_errors"},
                                     {"RcvErrors", "port_rcv_errors"},
                                     {"PortRcvRemotePhysicalErrors", "port_rcv_remote_physical_errors"},
                                     {"RcvRemotePhysErrors", "port_rcv_remote_physical_errors"},
                                     {"PortRcvSwitchRelayErrors", "port_rcv_switch_relay_errors"},
                                     {"RcvSwRelayErrors", "port_rcv_switch_relay_errors"},
                                     {"PortXmitDiscards", "port_xmit_discards"},
                                     {"XmtDiscards", "port_xmit_discards"},
                                     {"PortXmitConstraintErrors", "port_xmit_constraint_errors"},
                                     {"XmtConstraintErrors", "port_xmit_constraint_errors"},
                                     {"PortRcvConstraintErrors", "port_rcv_constraint_errors"},
                                     {"RcvConstraintErrors", "port_rcv_constraint_errors"},
                                     {"LocalLinkIntegrityErrors", "local_link_integrity_errors"},
                                     {"LinkIntegrityErrors", "local_link_integrity_errors"},
                                     {"ExcessiveBufferOverrunErrors", "excessive_buffer_overrun_errors"},
                                     {"ExcBufOverrunErrors", "excessive_buffer_overrun_errors"},
                                     {"VL15Dropped", "VL15_dropped"},
                                     {"PortXmitWait", "port_xmit_wait"},
                                     {"XmtWait", "port_xmit_wait"},
                                     {"PortXmitData", "port_xmit_data"},
                                     {"XmtData", "port_xmit_data"},
                                     {"XmtBytes", "port_xmit_data"},
                                     {"PortRcvData", "port_rcv_data"},
                                     {"RcvData", "port_rcv_data"},
                                     {"RcvBytes", "port_rcv_data"},
                                     {"PortXmitPkts", "port_xmit_packets"},
                                     {"XmtPkts", "port_xmit_packets"},
                                     {"PortRcvPkts", "port_rcv_packets"},
                                     {"RcvPkts", "port_rcv_packets"},
                                     {"PortUnicastXmitPkts", "unicast_xmit_packets"},
                                     {"PortUnicastRcvPkts", "unicast_rcv_packets"},
                                     {"PortMulticastXmitPkts", "multicast_xmit_packets"},
                                     {"PortMulticastRcvPkts", "multicast_rcv_packets"},
                                     {"QP1Dropped", "qp1_dropped"}}};

// "SymbolErrorCounter:..............0"
std::optional<Pair> dotted(std::string_view line) {
    auto pair = pair_of(line);
    if (!pair) return std::nullopt;
    pair->value.remove_prefix(std::min(pair->value.find_first_not_of('.'), pair->value.size()));
    return is_name(pair->key) ? pair : std::nullopt;
}

std::string_view file_of(std::string_view printed) {
    for (const Name& name : kPma) {
        if (name.printed == printed) return name.file;
    }
    return {};
}

bool is_heading(std::string_view line) {
    return line.starts_with("# Port") && has(line, "ounters: ") && has(line, "port ");
}

Fit begins_perfquery(std::span<const std::string_view> ahead) {
    if (is_heading(ahead[0])) return Fit::sure;
    const auto pair = dotted(ahead[0]);
    return pair && has(ahead[0], ":..") && !file_of(pair->key).empty() ? Fit::sure : Fit::none;
}

bool continues_perfquery(const Section& section, const Line& line) {
    if (is_heading(line.text)) return section.empty();
    return dotted(line.text) && has(line.text, ":..");
}

void parse_perfquery(const Section& section, Answers& answers) {
    const Command& command = section.command;
    const bool somebody = command && (!command.operand(0).empty() || command.has_option('G'));
    if (somebody && command.after("-C").empty()) {
        answers.note("perfquery asked a port by its address, and the text does not say whose it is: left out");
        return;
    }
    std::int64_t number = whole_number(command.after("-P")).value_or(1);
    const auto in_heading = section.empty() ? std::nullopt : behind(section.lines.front(), " port ");
    if (is_heading(section.empty() ? "" : section.lines.front()) && in_heading) {
        number = whole_number(*in_heading).value_or(number);
    }
    const std::string port = answers.port(answers.device(command.after("-C")), static_cast<int>(number));
    if (port.empty()) return;
    // Only InfiniBand has performance agents.
    answers.read(port + "/link_layer", "InfiniBand");
    for (const std::string& line : section.lines) {
        const auto pair = dotted(line);
        if (!pair || !is_digits(pair->value)) continue;
        if (const auto file = file_of(pair->key); !file.empty()) {
            answers.read(fmt::format("{}/counters/{}", port, file), pair->value);
        }
    }
}

// --- hw_counters ----------------------------------------------------------------------------------------------------------------

// Names that no other listing has.
bool is_hw_name(std::string_view name) {
    return is_any(name, {"duplicate_request",
                         "implied_nak_seq_err",
                         "local_ack_timeout_err",
                         "out_of_sequence",
                         "packet_seq_err",
                         "rnr_nak_retry_err",
                         "req_cqe_error",
                         "resp_cqe_error",
                         "req_cqe_flush_error",
                         "resp_cqe_flush_error",
                         "req_remote_access_errors",
                         "resp_remote_access_errors",
                         "req_remote_invalid_request",
                         "resp_local_length_error",
                         "out_of_buffer",
                         "np_cnp_sent",
                         "np_ecn_marked_roce_packets",
                         "rp_cnp_handled",
                         "rp_cnp_ignored",
                         "roce_adp_retrans",
                         "roce_adp_retrans_to",
                         "roce_slow_restart",
                         "roce_slow_restart_cnps",
                         "roce_slow_restart_trans",
                         "rx_read_requests",
                         "rx_write_requests",
                         "rx_atomic_requests",
                         "rx_icrc_encapsulated",
                         "rx_dct_connect",
                         "seq_err_naks_rcvd",
                         "max_retry_exceeded",
                         "to_retransmits",
                         "rnr_naks_rcvd",
                         "missing_resp",
                         "retry_exceeded_err",
                         "rcvd_seq_err",
                         "rcvd_rnr_err",
                         "completer_retry_err"});
}

// "name: 1", "name:1", "name = 1", "name 1", with a path before the name.
std::optional<Pair> counter_of(std::string_view line) {
    line = trim(line);
    const std::size_t end = line.find_last_of(": \t=");
    if (end == std::string_view::npos || !is_digits(line.substr(end + 1))) return std::nullopt;
    std::string_view name = line.substr(0, end);
    while (!name.empty() && (name.back() == ':' || name.back() == ' ' || name.back() == '=' || name.back() == '\t')) {
        name.remove_suffix(1);
    }
    if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos) name = name.substr(slash + 1);
    if (!is_name(name)) return std::nullopt;
    return Pair{name, line.substr(end + 1)};
}

// Device and port of "/sys/class/infiniband/mlx5_0/ports/1/hw_counters", wherever it stands in a command.
struct Where {
    std::string_view device;
    int port = 1;
};
Where where_of(std::string_view text) {
    constexpr std::string_view kClass = "/sys/class/infiniband/";
    Where where;
    const std::size_t at = text.find(kClass);
    if (at == std::string_view::npos) return where;
    std::string_view rest = text.substr(at + kClass.size());
    const std::string_view device = rest.substr(0, rest.find_first_of("/ \t"));
    if (!is_name(device)) return where;
    where.device = device;
    where.port = static_cast<int>(whole_number(behind(rest, "/ports/").value_or("")).value_or(1));
    return where;
}

bool prints_hw(const Command& command) {
    return command.is("show_counters") || (has(command.text, "hw_counters") && !command.is("ls"));
}

Fit begins_hw(std::span<const std::string_view> ahead) {
    if (ahead[0].find('/') != std::string_view::npos) return Fit::none;
    const auto counter = counter_of(ahead[0]);
    return counter && is_hw_name(counter->key) ? Fit::fair : Fit::none;
}

bool continues_hw(const Section&, const Line& line) {
    return !trim(line.text).starts_with("/") && counter_of(line.text).has_value();
}

void parse_hw(const Section& section, Answers& answers) {
    Where where = where_of(section.command.text);
    if (section.command.is("show_counters") && where.device.empty()) where.device = section.command.operand(0);
    const std::string device = answers.device(where.device);
    if (answers.port(device, where.port).empty()) return;
    Fields fields(answers, fmt::format("rdma.stat/{}/{}", device, where.port));
    for (const std::string& line : section.lines) {
        const auto counter = counter_of(line);
        if (counter && counter->key != "lifespan") fields.put(counter->key, counter->value);
    }
}

constexpr Form kForms[] = {
    {"perfquery", "perfquery -x", [](const Command& command) { return command.is("perfquery"); }, begins_perfquery,
     continues_perfquery, parse_perfquery},
    {"hw_counters", "grep -H . /sys/class/infiniband/*/ports/*/hw_counters/*", prints_hw, begins_hw, continues_hw,
     parse_hw},
};

}  // namespace

extern const std::span<const Form> port_counters;
constinit const std::span<const Form> port_counters{kForms};

}  // namespace rd::ingest::forms
