// SPDX-License-Identifier: GPL-2.0-or-later
// The rdma tool of iproute2, as text and as JSON: dev, link, resource, statistic, system; and ibdev2netdev, which tells one thing of it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/ingest/items.h"
#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

struct Place {
    std::string_view device;
    int number = 0;  // 0: the device as a whole
};

// "mlx5_0/1", "mlx5_0/1:", "mlx5_0:"
std::optional<Place> place_of(std::string_view word) {
    if (word.ends_with(':')) word.remove_suffix(1);
    const std::size_t slash = word.find('/');
    Place place{word.substr(0, slash), 0};
    if (!is_name(place.device)) return std::nullopt;
    if (slash == std::string_view::npos) return place;
    const auto number = whole_number(word.substr(slash + 1));
    if (!is_digits(word.substr(slash + 1)) || !number || *number < 1 || *number > 255) return std::nullopt;
    place.number = static_cast<int>(*number);
    return place;
}

// "0:" and "0/1:" in front of rows.
bool is_index(std::string_view word) {
    if (word.size() < 2 || word.back() != ':') return false;
    word.remove_suffix(1);
    const std::size_t slash = word.find('/');
    return is_digits(word.substr(0, slash)) && (slash == std::string_view::npos || is_digits(word.substr(slash + 1)));
}

constexpr std::array<std::string_view, 20> kFirstKeys{"state",
                                                      "physical_state",
                                                      "subnet_prefix",
                                                      "node_type",
                                                      "fw",
                                                      "node_guid",
                                                      "lqpn",
                                                      "cm-idn",
                                                      "cqn",
                                                      "mrn",
                                                      "ctxn",
                                                      "pdn",
                                                      "srqn",
                                                      "pd",
                                                      "cq",
                                                      "qp",
                                                      "cm_id",
                                                      "mr",
                                                      "cqe",
                                                      "lid"};

// A row "link mlx5_0/1 state …", "0: mlx5_0: node_type …", "dev mlx5_0 cqn …", "ifindex 0 ifname mlx5_0 cqn …".
std::optional<Item> row_item(std::string_view line) {
    const auto row = words(line);
    std::size_t name = 0;
    if (row.size() >= 2 && (row[0] == "link" || row[0] == "dev" || is_index(row[0]))) {
        name = 1;
    } else if (row.size() >= 4 && row[0] == "ifindex" && row[2] == "ifname") {
        name = 3;
    } else {
        return std::nullopt;
    }
    const auto place = place_of(row[name]);
    if (!place) return std::nullopt;
    // "link mlx5_0/1" could be nothing else; other beginnings are those of sentences too.
    const bool known =
        name + 1 < row.size() && std::find(kFirstKeys.begin(), kFirstKeys.end(), row[name + 1]) != kFirstKeys.end();
    if (!known && (row[0] != "link" || place->number == 0)) return std::nullopt;
    Item item = item_of(row, name + 1);
    item.set("ifname", place->device);
    if (place->number > 0) item.set("port", std::to_string(place->number));
    return item;
}

// Processes by number; the kernel by module, whose name stands in brackets in some versions.
void put_owner(const Item& item, Record& record) {
    if (item.has("pid")) return record.set("pid", item.get("pid"));
    std::string name(item.get("comm"));
    std::erase_if(name, [](char c) { return c == '[' || c == ']'; });
    if (!name.empty()) record.set("kern", name);
}

struct Column {
    std::string_view from, to;
};
struct Table {
    std::string_view key;  // what its rows have
    std::string_view subject;
    std::array<Column, 8> columns;
};
constexpr std::array<Table, 5> kTables{{
    {"cm_idn",
     "rdma.cm_id",
     {{{"port", "port"},
       {"lqpn", "lqpn"},
       {"qp_type", "type"},
       {"state", "state"},
       {"ps", "ps"},
       {"src_addr", "src"},
       {"dst_addr", "dst"},
       {"cm_idn", "cm_idn"}}}},
    {"lqpn",
     "rdma.qp",
     {{{"port", "port"},
       {"lqpn", "lqpn"},
       {"rqpn", "rqpn"},
       {"type", "type"},
       {"state", "state"},
       {"sq_psn", "sq_psn"},
       {"path_mig_state", "path_mig"},
       {"pdn", "pdn"}}}},
    {"cqn", "rdma.cq", {{{"cqe", "cqe"}, {"users", "users"}, {"cqn", "cqn"}, {"ctxn", "ctxn"}, {}, {}, {}, {}}}},
    {"mrn", "rdma.mr", {{{"mrlen", "length"}, {"mrn", "mrn"}, {"pdn", "pdn"}, {}, {}, {}, {}, {}}}},
    {"ctxn", "rdma.ctx", {{{"ctxn", "ctxn"}, {}, {}, {}, {}, {}, {}, {}}}},
}};

// Whole rows only: one that was cut in the middle has no owner.
bool put_row(const Item& item, const std::string& device, Answers& answers) {
    if (item.has("srqn")) return true;  // no answer has them
    for (const Table& table : kTables) {
        if (!item.has(table.key)) continue;
        if (table.key == "ctxn" && item.has("pdn")) return true;  // a protection domain names its context
        Record record;
        for (const Column& column : table.columns) {
            if (!column.from.empty() && item.has(column.from)) record.set(column.to, item.get(column.from));
        }
        put_owner(item, record);
        answers.append(fmt::format("{}/{}", table.subject, device), std::move(record));
        return true;
    }
    return item.has("pdn");
}

std::string_view node_type(std::string_view word) {
    if (word == "ca") return "1: CA";
    if (word == "switch") return "2: Switch";
    if (word == "rnic") return "4: RNIC";
    return {};
}

void put_device(const Item& item, const std::string& device, Answers& answers) {
    const std::string folder = "/sys/class/infiniband/" + device;
    if (const auto type = node_type(item.get("node_type")); !type.empty()) answers.read(folder + "/node_type", type);
    if (item.has("fw")) answers.read(folder + "/fw_ver", item.get("fw"));
    for (const std::string_view key : {"node_guid", "sys_image_guid"}) {
        if (const auto guid = guid_of(item.get(key)); guid && item.has(key)) {
            answers.read(fmt::format("{}/{}", folder, key), *guid);
        }
    }
    for (const std::string_view key : {"fw", "node_guid", "sys_image_guid", "node_type", "protocol"}) {
        if (item.has(key)) answers.record("rdma.devices", "name", device, key, item.get(key));
    }
    const auto dim = switch_of(item.get("adaptive_moderation"));
    if (!dim.empty()) answers.record("rdma.devices", "name", device, "dim", dim);
}

void put_link(const Item& item, const std::string& device, int number, Answers& answers) {
    const std::string port = answers.port(device, number);
    if (port.empty()) return;
    Fields fields(answers, fmt::format("rdma.port/{}/{}", device, number));
    if (const auto state = port_state(item.get("state")); !state.empty()) {
        answers.read(port + "/state", state);
        fields.put("state", whole_number(state));
    }
    if (const auto state = physical_state(item.get("physical_state")); !state.empty()) {
        answers.read(port + "/phys_state", state);
        fields.put("phys_state", whole_number(state));
    }
    for (const std::string_view key : {"lid", "sm_lid"}) {
        const auto lid = whole_number(item.get(key));
        if (!lid || *lid < 0) continue;
        answers.read(fmt::format("{}/{}", port, key), fmt::format("{:#x}", *lid));
        fields.put(key, lid);
    }
    // Only InfiniBand has a subnet.
    if (item.has("subnet_prefix")) answers.read(port + "/link_layer", "InfiniBand");
    const std::string netdev = item.has("netdev") ? answers.netdev(item.get("netdev")) : std::string();
    if (netdev.empty()) return;
    fields.put("netdev", netdev);
    // The kernel names none for InfiniBand.
    answers.read(port + "/link_layer", "Ethernet");
}

void put_resources(const Item& item, const std::string& device, Answers& answers) {
    Fields fields(answers, "rdma.resources/" + device);
    for (const std::string_view key : {"pd", "cq", "qp", "cm_id", "mr", "ctx", "srq"}) {
        fields.put(key, whole_number(item.get(key)));
    }
}

void put_statistics(const Item& item, const std::string& device, int number, Answers& answers) {
    if (answers.port(device, number).empty()) return;
    Fields fields(answers, fmt::format("rdma.stat/{}/{}", device, number));
    for (const auto& [key, value] : item.values) {
        if (is_any(key, {"ifname", "port", "ifindex"}) || !is_digits(value)) continue;
        fields.put(key, value);
    }
}

void put_item(const Item& item, Answers& answers) {
    if (is_any(item.get("netns"), {"shared", "exclusive"})) {
        Fields fields(answers, "rdma.system");
        fields.put("netns", item.get("netns"));
        fields.put("copy_on_fork", switch_of(item.get("copy_on_fork")));
        fields.put("monitor", switch_of(item.get("monitor")));
        fields.put("qkey", switch_of(item.get("privileged_qkey")));
        return;
    }
    if (!is_name(item.get("ifname"))) return;
    const std::string device = answers.device(item.get("ifname"));
    if (device.empty()) return;
    const int number = static_cast<int>(whole_number(item.get("port")).value_or(0));
    if (number > 0) (void)answers.port(device, number);
    if (put_row(item, device, answers)) return;
    if (item.has("node_type") || item.has("node_guid")) return put_device(item, device, answers);
    if (number > 0 && (item.has("physical_state") || item.has("state"))) return put_link(item, device, number, answers);
    if (item.has("qp") && item.has("cq")) return put_resources(item, device, answers);
    if (number > 0) put_statistics(item, device, number, answers);
}

// The state whose queue pairs a filter let pass, all of them and no others: "| grep -w ERR", "show qp state ERR".
std::string_view only_state(const Command& command) {
    constexpr std::array<std::string_view, 7> kStates{"ERR", "RESET", "INIT", "RTR", "RTS", "SQD", "SQE"};
    std::string_view word = command.filters.empty() ? command.after("state") : std::string_view();
    if (command.filters.size() == 1) {
        const auto row = words(command.filters.front());
        const bool plain = row.size() >= 2 && row.size() <= 3 && row[0] == "grep" &&
                           (row.size() == 2 || is_any(row[1], {"-i", "-w", "-iw", "-wi"}));
        word = plain ? row.back() : std::string_view();
    }
    while (!word.empty() && is_any(word.substr(0, 1), {"\"", "'"})) word.remove_prefix(1);
    while (!word.empty() && (word.ends_with('"') || word.ends_with('\''))) word.remove_suffix(1);
    const auto* const found =
        std::find_if(kStates.begin(), kStates.end(), [&](std::string_view state) { return upper(word) == state; });
    return command.has("lqpn") || command.has("pid") || found == kStates.end() ? std::string_view() : *found;
}

// A filtered table would give counts that are too small.
void mark_filtered(const Section& section, Answers& answers) {
    const std::string_view state = only_state(section.command);
    const bool cut = !section.command.filters.empty() || section.command.has("lqpn") || section.command.has("pid") ||
                     section.command.has("state");
    if (!cut) return;
    std::vector<std::string> tables;
    for (const auto& [subject, piece] : answers.pieces()) {
        if (piece.dump && subject.starts_with("rdma.")) tables.push_back(subject);
    }
    for (const std::string& subject : tables) {
        Record record;
        record.set("truncated", "1");
        record.set("error", "only some of the lines were pasted");
        if (!state.empty() && subject.starts_with("rdma.qp/")) record.set("whole_state", state);
        answers.append(subject, std::move(record));
    }
}

bool is_system_row(std::string_view line) {
    const auto row = words(line);
    return row.size() >= 2 && row[0] == "netns" && is_any(row[1], {"shared", "exclusive"});
}

Fit begins(std::span<const std::string_view> ahead) {
    if (row_item(ahead[0]) || is_system_row(ahead[0])) return Fit::sure;
    if (!is_json_line(ahead[0])) return Fit::none;
    bool named = false;
    for (const std::string_view line : ahead) {
        if (!is_json_line(line)) break;
        named = named || has(line, "\"ifname\"");
        if (named && (has(line, "\"port\"") || has(line, "\"node_guid\"") || has(line, "\"lqpn\""))) return Fit::sure;
    }
    return Fit::none;
}

bool json_section(const Section& section) {
    return (!section.empty() && is_json_line(section.lines.front())) ||
           (section.empty() && (section.command.has_option('j') || section.command.has_option('p')));
}

bool continues(const Section& section, const Line& line) {
    if (json_section(section)) return is_json_line(line.text);
    if (row_item(line.text) || is_system_row(line.text)) return true;
    if (section.empty()) return section.command && is_json_line(line.text);
    // Details of `-d`, and rows that the terminal wrapped.
    return indented(line.text) && !line.after_blank;
}

// The details below a row belong to it.
void parse_rows(const Section& section, Answers& answers) {
    Item open;
    const auto flush = [&] {
        if (!open.values.empty()) put_item(open, answers);
        open = Item();
    };
    for (const std::string& line : section.lines) {
        if (is_system_row(line)) {
            put_item(item_of(words(line), 0), answers);
        } else if (const auto item = row_item(line)) {
            flush();
            open = *item;
        } else if (!open.values.empty()) {
            for (const auto& [key, value] : item_of(words(line), 0).values) open.set(key, value);
        }
    }
    flush();
}

void parse(const Section& section, Answers& answers) {
    if (json_section(section)) {
        std::string text;
        for (const std::string& line : section.lines) text += line + "\n";
        for (const Item& item : json_items(text)) put_item(item, answers);
    } else {
        parse_rows(section, answers);
    }
    mark_filtered(section, answers);
}

bool prints(const Command& command) { return command.is("rdma"); }

// "mlx5_0 port 1 ==> eth01 (Up)", with -v "0000:2f:00.0 mlx5_0 (MT4117 - …) … port 1 (ACTIVE) ==> eth01 (Up)"
bool is_mapping(std::string_view line) { return has(line, " port ") && has(line, " ==> "); }

void parse_mapping(const Section& section, Answers& answers) {
    for (const std::string& line : section.lines) {
        const auto row = words(line);
        const auto number = whole_number(word_behind(row, "port").value_or(""));
        if (!is_mapping(line) || !number || *number < 1 || *number > 255) continue;
        const bool with_address = !is_name(row[0]) && row.size() > 1;
        const std::string device = answers.device(with_address ? row[1] : row[0]);
        const std::string port = answers.port(device, static_cast<int>(*number));
        if (port.empty()) continue;
        if (with_address) answers.on_pci("/sys/class/infiniband/" + device, row[0]);
        const auto name = word_behind(row, "==>");
        const std::string netdev = name ? answers.netdev(*name) : std::string();
        if (netdev.empty()) continue;
        Fields(answers, fmt::format("rdma.port/{}/{}", device, *number)).put("netdev", netdev);
        // It looks for IPoIB too, whose interfaces are called ib0, ibp65s0, ibs1f0; RoCE has the Ethernet one.
        if (!starts_with(netdev, "ib")) answers.read(port + "/link_layer", "Ethernet");
        if (row.back() == "(Up)") answers.read(fmt::format("/sys/class/net/{}/operstate", netdev), "up");
        if (row.back() == "(Down)") answers.read(fmt::format("/sys/class/net/{}/operstate", netdev), "down");
    }
}

constexpr Form kForms[] = {
    {"rdma", "rdma link; rdma dev; rdma resource; rdma statistic", prints, begins, continues, parse},
    {"ibdev2netdev", "ibdev2netdev", [](const Command& command) { return command.is("ibdev2netdev"); },
     [](std::span<const std::string_view> ahead) { return is_mapping(ahead[0]) ? Fit::sure : Fit::none; },
     [](const Section&, const Line& line) { return is_mapping(line.text); }, parse_mapping},
};

}  // namespace

extern const std::span<const Form> rdma;
constinit const std::span<const Form> rdma{kForms};

}  // namespace rd::ingest::forms
