// SPDX-License-Identifier: GPL-2.0-or-later
// What libibverbs says of devices: ibv_devinfo [-v], ibv_devices, show_gids. The tools open the device, so whoever pasted this could.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

// Limits whose names are those of the answer, but one.
constexpr std::array<std::string_view, 8> kLimits{"max_qp",    "max_cq",  "max_mr",         "max_mr_size",
                                                  "max_qp_wr", "max_sge", "max_qp_rd_atom", "phys_port_cnt"};

constexpr std::array<std::string_view, 22> kKeys{
    "hca_id",         "transport",  "fw_ver",       "node_guid",   "sys_image_guid", "vendor_id",
    "vendor_part_id", "hw_ver",     "board_id",     "port",        "state",          "max_mtu",
    "active_mtu",     "sm_lid",     "port_lid",     "port_lmc",    "link_layer",     "phys_state",
    "phys_port_cnt",  "atomic_cap", "active_width", "active_speed"};

bool is_gid_line(std::string_view line) { return trim(line).starts_with("GID["); }

bool known_key(std::string_view line) {
    const auto pair = pair_of(line);
    if (!pair) return false;
    return is_gid_line(line) || std::find(kKeys.begin(), kKeys.end(), pair->key) != kKeys.end() ||
           pair->key.starts_with("max_") || pair->key == "gid_tbl_len";
}

// One device of the output, while its lines come.
class Reader {
public:
    Reader(const Section& section, Answers& answers) : answers_(answers) {
        start(section.command.after("-d").empty() ? section.command.after("--ib-dev") : section.command.after("-d"));
        if (const auto number = whole_number(section.command.after("-i"))) number_ = static_cast<int>(*number);
    }

    void take(std::string_view line) {
        if (trim(line) == "ODP_SUPPORT") odp_ = "1";
        if (is_gid_line(line)) return take_gid(line);
        const auto pair = pair_of(line);
        if (!pair) return;
        if (pair->key == "general_odp_caps") {
            odp_ = "0";
        } else if (odp_ && pair->key.ends_with("_odp_caps")) {
            limit("odp", *odp_);
        }
        if (pair->key == "hca_id") return start(pair->value);
        if (pair->key == "port") return take_number(pair->value);
        if (!take_device(*pair)) take_port(*pair);
    }

    void end() {
        end_port();
        flush();
    }

private:
    struct PortField {
        int number;
        std::string key;
        std::int64_t value;
    };

    void end_port() {
        if (const auto length = table_; length && !port_.empty()) {
            constexpr std::int64_t kMost = 4096;
            std::vector<std::string> names;
            for (std::int64_t i = 0; i < std::min(*length, kMost); ++i) {
                names.push_back(std::to_string(i));
                if (gids_.contains(i)) continue;
                answers_.read(fmt::format("{}/gids/{}", port_, i), "0000:0000:0000:0000:0000:0000:0000:0000");
            }
            if (!gids_.empty()) answers_.list(port_ + "/gids", names);
        }
        gids_.clear();
        table_.reset();
    }

    void limit(std::string_view key, std::string_view value) {
        if (!value.empty()) limits_.emplace_back(key, value);
    }
    const std::string& device() {
        if (!named_) device_ = answers_.device(wanted_);
        named_ = true;
        return device_;
    }
    std::string folder() { return fmt::format("/sys/class/infiniband/{}", device()); }

    // The record of the device comes first: it is the one without a port.
    void flush() {
        if (limits_.empty() && ports_.empty()) return;
        const std::string subject = "verbs.device/" + device();
        for (const auto& [key, value] : limits_) answers_.field(subject, key, value);
        answers_.field(subject, "partial", "1");
        for (const PortField& one : ports_) {
            const std::string id = std::to_string(one.number);
            answers_.record(subject, "port", id, one.key, std::to_string(one.value));
            answers_.record(subject, "port", id, "partial", "1");
        }
        limits_.clear();
        ports_.clear();
    }

    void start(std::string_view name) {
        end();
        wanted_ = name;
        named_ = false;
        port_.clear();
        speed_.clear();
        lanes_.reset();
        number_ = 1;
        if (!name.empty()) device();
    }

    void take_number(std::string_view value) {
        end_port();
        port_.clear();
        lanes_.reset();
        speed_.clear();
        if (const auto number = whole_number(value); number && *number > 0 && *number < 256) {
            number_ = static_cast<int>(*number);
        }
    }

    bool take_device(const Pair& pair) {
        const auto& [key, value] = pair;
        if (key == "transport") {
            if (value.starts_with("iWARP")) answers_.read(folder() + "/node_type", "4: RNIC");
            if (value.starts_with("InfiniBand")) answers_.read(folder() + "/node_type", "1: CA");
        } else if (key == "fw_ver") {
            answers_.read(folder() + "/fw_ver", value);
            limit("fw", value);
        } else if (key == "board_id") {
            answers_.read(folder() + "/board_id", value);
        } else if (key == "node_guid" || key == "sys_image_guid") {
            if (const auto guid = guid_of(value)) answers_.read(fmt::format("{}/{}", folder(), key), *guid);
        } else if (key == "vendor_id") {
            vendor_ = value;
            // What soft-RoCE and soft-iWARP call themselves.
            if (value == "0xffffff" || value == "0x626d74") software();
        } else if (key == "vendor_part_id") {
            if (vendor_ == "0x02c9") answers_.read(folder() + "/hca_type", fmt::format("MT{}", value));
        } else if (key == "atomic_cap") {
            limit("atomic", lower(value.substr(0, value.find(' '))).substr(value.starts_with("ATOMIC_") ? 7 : 0));
        } else if (std::find(kLimits.begin(), kLimits.end(), key) != kLimits.end()) {
            if (value == "0xffffffffffffffff") {
                limit(key, "18446744073709551615");
            } else if (const auto number = whole_number(value); number && *number >= 0) {
                limit(key, std::to_string(*number));
            }
        } else {
            return false;
        }
        return true;
    }

    void software() { answers_.link(folder(), "/sys/devices/virtual/infiniband/" + device()); }

    const std::string& port() {
        if (port_.empty()) port_ = answers_.port(device(), number_);
        return port_;
    }

    void field(std::string_view key, const std::optional<std::int64_t>& value) {
        if (!value) return;
        ports_.push_back({number_, std::string(key), *value});
    }

    void take_port(const Pair& pair) {
        const auto& [key, value] = pair;
        if (key == "state") {
            if (const std::string state = port_state(value); !state.empty()) {
                answers_.read(port() + "/state", state);
                field("state", whole_number(state));
            }
        } else if (key == "phys_state") {
            if (const std::string state = physical_state(value); !state.empty())
                answers_.read(port() + "/phys_state", state);
        } else if (key == "active_mtu" || key == "max_mtu") {
            port();
            field(key, whole_number(value));
        } else if (key == "link_layer") {
            answers_.read(port() + "/link_layer", value);
        } else if (key == "sm_lid" || key == "port_lid") {
            if (const auto lid = whole_number(value)) {
                answers_.read(fmt::format("{}/{}", port(), key == "sm_lid" ? "sm_lid" : "lid"),
                              fmt::format("{:#x}", *lid));
            }
        } else if (key == "gid_tbl_len") {
            port();
            table_ = whole_number(value);
            field("gid_tbl_len", table_);
        } else if (key == "active_width") {
            lanes_ = whole_number(value);
            rate();
        } else if (key == "active_speed") {
            speed_ = number_text(value);
            rate();
        }
    }

    // The file rate is the product of both.
    void rate() {
        const auto speed = parse_number(speed_);
        if (!speed || !lanes_) return;
        answers_.read(port() + "/rate",
                      fmt::format("{:g} Gb/sec ({}X)", *speed * static_cast<double>(*lanes_), *lanes_));
    }

    // "GID[  0]:  fe80:0000:…, RoCE v1"
    void take_gid(std::string_view line) {
        const auto index = whole_number(line.substr(line.find('[') + 1));
        const auto rest = behind(line, "]:");
        if (!index || *index < 0 || *index > 65'535 || !rest) return;
        const std::size_t comma = rest->find(',');
        const auto gid = gid_of(rest->substr(0, comma));
        if (!gid) return;
        gids_.insert(*index);
        answers_.read(fmt::format("{}/gids/{}", port(), *index), *gid);
        if (comma == std::string_view::npos) return;
        const std::string_view type = trim(rest->substr(comma + 1));
        const std::string types = fmt::format("{}/gid_attrs/types/{}", port(), *index);
        if (type == "RoCE v2") answers_.read(types, "RoCE v2");
        if (type == "RoCE v1" || type == "IB/RoCE v1") answers_.read(types, "IB/RoCE v1");
    }

    Answers& answers_;
    std::string wanted_, device_, port_, vendor_, speed_;
    bool named_ = false;
    int number_ = 1;
    std::optional<std::string> odp_;
    std::optional<std::int64_t> lanes_, table_;
    std::set<std::int64_t> gids_;
    std::vector<std::pair<std::string, std::string>> limits_;
    std::vector<PortField> ports_;
};

bool prints_devinfo(const Command& command) { return command.is("ibv_devinfo") || command.is("hca_self_test.ofed"); }

Fit begins_devinfo(std::span<const std::string_view> ahead) {
    const std::string_view line = ahead[0];
    if (line.starts_with("hca_id:")) return Fit::sure;
    if (is_gid_line(line) &&
        gid_of(behind(line, "]:").value_or("").substr(0, behind(line, "]:").value_or("").find(',')))) {
        return Fit::fair;
    }
    const auto pair = pair_of(line);
    if (!pair || !indented(line)) return Fit::none;
    if (is_any(pair->key, {"active_mtu", "max_mtu"}) && has(pair->value, "(")) return Fit::fair;
    if (is_any(pair->key, {"state"}) && pair->value.starts_with("PORT_")) return Fit::fair;
    return Fit::none;
}

bool continues_devinfo(const Section& section, const Line& line) {
    if (known_key(line.text)) return true;
    // Its parts are indented, and some stand behind an empty line.
    return !section.empty() && indented(line.text) && (!line.after_blank || section.lines.size() > 8);
}

void parse_devinfo(const Section& section, Answers& answers) {
    Reader reader(section, answers);
    for (const std::string& line : section.lines) reader.take(line);
    reader.end();
}

// "    mlx5_0          	248a0703009c0afe"
bool is_device_row(std::string_view line) {
    const auto row = words(line);
    return row.size() == 2 && is_name(row[0]) && row[1].size() == 16 && is_hexadecimal(row[1]);
}

Fit begins_devices(std::span<const std::string_view> ahead) {
    const auto row = words(ahead[0]);
    if (row.size() == 3 && row[0] == "device" && row[1] == "node" && row[2] == "GUID") return Fit::sure;
    return Fit::none;
}

bool continues_devices(const Section&, const Line& line) {
    const auto row = words(line.text);
    const bool head = row.size() >= 2 && (row[0] == "device" || row[0].starts_with("---"));
    return head || is_device_row(line.text);
}

void parse_devices(const Section& section, Answers& answers) {
    for (const std::string& line : section.lines) {
        if (!is_device_row(line)) continue;
        const auto row = words(line);
        const std::string name = answers.device(row[0]);
        if (const auto guid = guid_of(row[1]); guid && !name.empty()) {
            answers.read(fmt::format("/sys/class/infiniband/{}/node_guid", name), *guid);
        }
    }
}

// "mlx5_0	1	3	0000:…:ffff:c000:0224	192.0.2.36  	v2	eth01"
bool is_gid_row(std::string_view line) {
    const auto row = words(line);
    return row.size() >= 4 && is_name(row[0]) && is_digits(row[1]) && is_digits(row[2]) && row[3].size() == 39 &&
           gid_of(row[3]);
}

Fit begins_gids(std::span<const std::string_view> ahead) {
    const auto row = words(ahead[0]);
    if (row.size() >= 4 && row[0] == "DEV" && row[1] == "PORT" && row[2] == "INDEX") return Fit::sure;
    return is_gid_row(ahead[0]) ? Fit::sure : Fit::none;
}

bool continues_gids(const Section&, const Line& line) {
    return is_gid_row(line.text) || starts_with_any(line.text, {"DEV\t", "DEV ", "---", "n_gids_found"});
}

void parse_gids(const Section& section, Answers& answers) {
    for (const std::string& line : section.lines) {
        if (trim(line) == "n_gids_found=0") answers.log(trim(line), "show_gids");
        if (!is_gid_row(line)) continue;
        const auto row = words(line);
        const auto number = whole_number(row[1]), index = whole_number(row[2]);
        if (!number || !index || *number < 1 || *number > 255 || *index > 65'535) continue;
        const std::string device = answers.device(row[0]);
        const std::string port = answers.port(device, static_cast<int>(*number));
        if (port.empty()) continue;
        answers.read(fmt::format("{}/gids/{}", port, *index), *gid_of(row[3]));
        // Only RoCE has versions.
        if (std::any_of(row.begin() + 4, row.end(), [](auto word) { return word == "v1" || word == "v2"; }))
            answers.read(fmt::format("/sys/class/infiniband/{}/node_type", device), "1: CA");
        for (std::size_t i = 4; i < row.size(); ++i) {
            const std::string types = fmt::format("{}/gid_attrs/types/{}", port, *index);
            if (row[i] == "v1") answers.read(types, "IB/RoCE v1");
            if (row[i] == "v2") answers.read(types, "RoCE v2");
            if ((row[i - 1] != "v1" && row[i - 1] != "v2") || i + 1 != row.size()) continue;
            const std::string netdev = answers.netdev(row[i]);
            if (netdev.empty()) continue;
            answers.read(fmt::format("{}/gid_attrs/ndevs/{}", port, *index), netdev);
            answers.read(port + "/link_layer", "Ethernet");
        }
    }
}

constexpr Form kForms[] = {
    {"ibv_devinfo", "ibv_devinfo -v", prints_devinfo, begins_devinfo, continues_devinfo, parse_devinfo},
    {"ibv_devices", "", [](const Command& command) { return command.is("ibv_devices"); }, begins_devices,
     continues_devices, parse_devices},
    {"show_gids", "show_gids", [](const Command& command) { return command.is("show_gids"); }, begins_gids,
     continues_gids, parse_gids},
};

}  // namespace

extern const std::span<const Form> verbs_tools;
constinit const std::span<const Form> verbs_tools{kForms};

}  // namespace rd::ingest::forms
