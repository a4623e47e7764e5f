// SPDX-License-Identifier: GPL-2.0-or-later
// Tools that ask the adapter: mlxlink, mstflint and flint, mlxfwmanager, devlink dev info. They name a PCI function or a device; where
// the RDMA device on that function is not named it is the unnamed one, which the text proves to be there.
#include <fmt/format.h>

#include <algorithm>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

// The RDMA device of a PCI function, /dev/mst/…, or itself: its name, or the unnamed one on that function.
std::string device_at(std::string_view place, Answers& answers) {
    if (place.starts_with("mlx") && is_name(place) && !has(place, ".")) return answers.device(place);
    const std::string device = answers.device({});
    if (place.starts_with("pci/")) place.remove_prefix(4);
    const std::string address = answers.pci(place);
    if (!address.empty()) answers.on_pci("/sys/class/infiniband/" + device, address);
    return device;
}

// --- mlxlink --------------------------------------------------------------------------------------------------------------------

bool is_link_key(std::string_view key) {
    return is_any(key, {"State", "Physical state", "Speed", "Width", "FEC", "Loopback Mode", "Auto Negotiation",
                        "Enabled Link Speed", "Supported Cable Speed", "Enabled Link Speed (Ext.)",
                        "Supported Cable Speed (Ext.)", "Status Opcode", "Group Opcode", "Recommendation"}) ||
           has(key, "BER") || has(key, "Errors") || has(key, "Symbol") || has(key, "Link Down") ||
           has(key, "Link Error");
}

Fit begins_mlxlink(std::span<const std::string_view> ahead) {
    if (is_any(trim(ahead[0]), {"Operational Info", "Troubleshooting Info"})) return Fit::sure;
    if (trim(ahead[0]).starts_with("PCIe Operational (")) return Fit::sure;
    const auto pair = pair_of(ahead[0]);
    return pair && is_any(pair->key, {"Enabled Link Speed", "Supported Cable Speed", "Loopback Mode"}) ? Fit::sure
                                                                                                       : Fit::none;
}

bool continues_mlxlink(const Section&, const Line& line) {
    const std::string_view text = trim(line.text);
    if (text.ends_with(" Info") || text.starts_with("PCIe Operational (") || text.ends_with("Counters and BER Info") ||
        text.find_first_not_of('-') == std::string_view::npos) {
        return true;
    }
    const auto pair = pair_of(line.text);
    return pair && (is_link_key(pair->key) || has(line.text, "  :"));
}

std::string_view fec_of(std::string_view text) {
    if (has(text, "No FEC")) return "none";
    if (has(text, "LL") && has(text, "RS")) return "llrs";
    if (has(text, "RS")) return "rs";
    return has(text, "Firecode") ? "baser" : "";
}

// "16G-Gen 4 (32G-Gen 5)" and "8X (16X)" of `mlxlink --port_type PCIE`: what is, and in brackets what could be.
void put_pcie(const Pair& pair, const std::string& device, Answers& answers) {
    const std::string folder = "/sys/class/infiniband/" + device + "/device/";
    const auto now = whole_number(pair.value), most = whole_number(behind(pair.value, "(").value_or(""));
    const auto put = [&](std::string_view file, const std::optional<std::int64_t>& value, std::string_view unit) {
        if (value && *value > 0) answers.read(fmt::format("{}{}", folder, file), fmt::format("{}{}", *value, unit));
    };
    // The tool writes 2G and 3G for 2.5 GT/s.
    const auto exact = [](std::optional<std::int64_t> speed) { return speed && *speed >= 5 ? speed : std::nullopt; };
    if (pair.key.starts_with("Link Speed Active")) {
        put("current_link_speed", exact(now), ".0 GT/s PCIe");
        put("max_link_speed", exact(most), ".0 GT/s PCIe");
    }
    if (pair.key.starts_with("Link Width Active")) {
        put("current_link_width", now, "");
        put("max_link_width", most, "");
    }
}

void parse_mlxlink(const Section& section, Answers& answers) {
    std::string_view place = section.command.after("-d");
    if (place.empty()) place = section.command.after("--device");
    const std::string device = device_at(place, answers);
    if (std::any_of(section.lines.begin(), section.lines.end(),
                    [](const std::string& line) { return line.starts_with("Link Width Active"); })) {
        for (const std::string& line : section.lines) {
            if (const auto pair = pair_of(line)) put_pcie(*pair, device, answers);
        }
        return;
    }
    const std::string port = answers.port(device, 1);
    std::string_view speed, state, negotiation, fec;
    for (const std::string& line : section.lines) {
        const auto pair = pair_of(line);
        if (!pair) continue;
        if (pair->key == "Speed") speed = pair->value;
        if (pair->key == "State") state = pair->value;
        if (pair->key == "Auto Negotiation") negotiation = switch_of(first_word(pair->value));
        if (pair->key == "FEC") fec = fec_of(pair->value);
        if (pair->key == "Physical state") {
            if (const auto known = physical_state(pair->value); !known.empty())
                answers.read(port + "/phys_state", known);
        }
        // What no answer has: the adapter's own words for the link, for rules that know them.
        const bool of_interest = is_any(pair->key, {"State", "Recommendation"}) || has(pair->key, "BER");
        if (of_interest) answers.log(trim(line), "mlxlink");
    }
    if (!state.empty()) answers.read(port + "/state", state == "Active" ? "4: ACTIVE" : "1: DOWN");
    const bool infiniband = speed.starts_with("IB");
    const auto rate = whole_number(speed);  // "100GbE", "100G"
    if (infiniband) answers.read(port + "/link_layer", "InfiniBand");
    if (infiniband || !rate || !has(speed, "G")) return;
    answers.read(port + "/link_layer", "Ethernet");
    const std::string netdev = answers.netdev({});
    if (const std::string address = answers.pci(place); !address.empty())
        answers.on_pci("/sys/class/net/" + netdev, address);
    Fields link(answers, "ethtool.link/" + netdev);
    link.put("autoneg", negotiation);
    if (!state.empty()) link.put("link", state == "Active" ? "1" : "0");
    if (state == "Active") link.put("speed", std::to_string(*rate * 1000));
    if (!state.empty()) answers.read("/sys/class/net/" + netdev + "/carrier", state == "Active" ? "1" : "0");
    Fields(answers, "ethtool.fec/" + netdev).put("active", fec);
}

// --- mstflint, flint, mlxfwmanager ----------------------------------------------------------------------------------------------

bool prints_flint(const Command& command) {
    return command.is("mstflint") || command.is("flint") || command.is("mlxfwmanager") || command.is("mstfwmanager");
}

bool is_flint(std::string_view line) {
    const auto pair = pair_of(line);
    if (!pair) return false;
    return is_any(pair->key, {"Image type",
                              "FW Version",
                              "FW Version(Running)",
                              "FW Release Date",
                              "Product Version",
                              "Rom Info",
                              "Description",
                              "Base GUID",
                              "Base MAC",
                              "Image VSD",
                              "Device VSD",
                              "PSID",
                              "Security Attributes",
                              "Default Update Method",
                              "Orig PSID",
                              "MIC Version",
                              "Device #1",
                              "Device Type",
                              "Part Number",
                              "PCI Device Name",
                              "Versions",
                              "Status"}) ||
           pair->key.starts_with("Device #");
}

Fit begins_flint(std::span<const std::string_view> ahead) {
    const auto pair = pair_of(ahead[0]);
    if (!pair) return Fit::none;
    if (is_any(pair->key, {"FW Version", "PCI Device Name"})) return Fit::sure;
    return is_any(pair->key, {"PSID", "Image type"}) && !indented(ahead[0]) ? Fit::fair : Fit::none;
}

bool continues_flint(const Section&, const Line& line) {
    const auto row = words(line.text);
    return is_flint(line.text) || (row.size() >= 2 && is_any(row[0], {"FW", "PXE", "UEFI"})) ||
           line.text.find_first_not_of("- ") == std::string_view::npos;
}

void parse_flint(const Section& section, Answers& answers) {
    std::string_view place = section.command.after("-d");
    std::string_view psid;
    std::string device;
    const auto folder = [&] {
        if (device.empty()) device = device_at(place, answers);
        return "/sys/class/infiniband/" + device;
    };
    for (const std::string& line : section.lines) {
        const auto pair = pair_of(line);
        const auto row = words(line);
        if (pair && pair->key.starts_with("Device #")) device.clear();
        if (pair && pair->key == "PCI Device Name") {
            place = pair->value;
            device.clear();
            if (!psid.empty()) answers.read(folder() + "/board_id", psid);
        }
        if (pair && pair->key == "PSID" && is_name(pair->value)) {
            psid = pair->value;
            if (section.command.is("mstflint") || section.command.is("flint") || !place.empty()) {
                answers.read(folder() + "/board_id", psid);
            }
        }
        // With an image on disk that is newer, the running one has a line of its own, which comes later.
        if (pair && starts_with_any(pair->key, {"FW Version"}) && is_digits(pair->value.substr(0, 1))) {
            answers.read(folder() + "/fw_ver", pair->value);
        }
        if (row.size() >= 2 && row[0] == "FW" && is_digits(row[1].substr(0, 1)))
            answers.read(folder() + "/fw_ver", row[1]);
    }
}

// --- devlink dev info -----------------------------------------------------------------------------------------------------------

bool is_devlink_head(std::string_view line) {
    return line.starts_with("pci/") && line.ends_with(':') && line.size() < 40;
}

bool continues_devlink(const Section& section, const Line& line) {
    if (is_devlink_head(line.text)) return true;
    return !section.empty() && indented(line.text) && !line.after_blank;
}

void parse_devlink(const Section& section, Answers& answers) {
    std::string address;
    bool running = false;
    for (const std::string& line : section.lines) {
        const auto row = words(line);
        if (is_devlink_head(line)) address = answers.pci(std::string_view(line).substr(4, line.size() - 5));
        if (address.empty() || row.empty()) continue;
        if (row[0].ends_with(':')) running = row[0] == "running:";
        if (row.size() < 2) continue;
        if (row[0] == "driver" && is_name(row[1])) {
            answers.link(fmt::format("/sys/bus/pci/devices/{}/driver", address),
                         fmt::format("/sys/bus/pci/drivers/{}", row[1]));
        }
        const bool psid = row[0] == "fw.psid", version = running && row[0] == "fw.version";
        if (!psid && !version) continue;
        const std::string folder = "/sys/class/infiniband/" + device_at(address, answers);
        answers.read(folder + (psid ? "/board_id" : "/fw_ver"), row[1]);
    }
}

// --- devlink dev param ------------------------------------------------------------------------------------------------------------

// "  name enable_roce type generic" and below it "      cmode driverinit value false": switches that no other interface shows.
void parse_parameters(const Section& section, Answers& answers) {
    std::string place, name;
    for (const std::string& line : section.lines) {
        const auto row = words(line);
        if (is_devlink_head(line)) place = line.substr(0, line.size() - 1);
        if (row.size() >= 2 && row[0] == "name") name = std::string(row[1]);
        const auto value = word_behind(row, "value");
        if (!value || !is_any(name, {"enable_roce", "enable_iwarp", "enable_rdma"})) continue;
        answers.log(fmt::format("devlink param {} {} {}", place, name, *value), "devlink");
    }
}

// --- devlink health -------------------------------------------------------------------------------------------------------------

bool continues_health(const Section& section, const Line& line) {
    if (is_devlink_head(line.text) || indented(line.text)) return true;
    return section.empty() && starts_with_any(line.text, {"Syndrome:", "reporter"});
}

// No interface of the kernel that is read here has it: what is not healthy becomes a line of a log.
void parse_health(const Section& section, Answers& answers) {
    std::string_view place = section.command.after("diagnose");
    for (const std::string& line : section.lines) {
        if (is_devlink_head(line)) place = std::string_view(line).substr(0, line.size() - 1);
        const auto syndrome = whole_number(behind(line, "Syndrome:").value_or("0"));
        const bool ill = has(line, "state error") || syndrome.value_or(0) != 0;
        if (ill) answers.log(fmt::format("devlink health {}: {}", place, trim(line)), "devlink");
    }
}

// --- mlxconfig ------------------------------------------------------------------------------------------------------------------

// "         ROCE_CC_PRIO_MASK_P1                255": settings in the adapter's own memory, which only its tools show.
std::optional<Pair> setting_of(std::string_view line) {
    auto row = words(line);
    if (!row.empty() && row[0] == "*") row.erase(row.begin());
    if (row.size() < 2 || !indented(line)) return std::nullopt;
    const bool name = row[0].size() > 3 && (has(row[0], "_") || row[0] == "SRIOV_EN") &&
                      row[0].find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string_view::npos;
    return name ? std::optional(Pair{row[0], row.back()}) : std::nullopt;
}

bool asks_settings(const Command& command) { return command.is("mlxconfig") || command.is("mstconfig"); }

bool continues_settings(const Section&, const Line& line) {
    if (setting_of(line.text)) return true;
    return starts_with_any(trim(line.text),
                           {"Device #", "Device type:", "Name:", "Description:", "Device:", "Configurations:", "---"});
}

void parse_settings(const Section& section, Answers& answers) {
    for (const std::string& line : section.lines) {
        const auto setting = setting_of(line);
        if (!setting) continue;
        const bool of_interest = starts_with_any(
            setting->key, {"ROCE_", "PCI_WR_ORDERING", "LINK_TYPE_", "MAX_ACC_OUT_READ", "CNP_", "SRIOV_EN",
                           "NUM_OF_VFS", "ATS_ENABLED", "ADVANCED_PCI", "KEEP_", "MAX_PAYLOAD", "RDMA_SELECTIVE_REPEAT",
                           "CQE_COMPRESSION", "DCBX_", "LLDP_"});
        if (of_interest) answers.log(trim(line), "mlxconfig");
    }
}

constexpr Form kForms[] = {
    {"devlink health", "", [](const Command& command) { return command.is("devlink") && command.has("health"); },
     nullptr, continues_health, parse_health},
    {"mlxconfig", "mlxconfig -d PCI query", asks_settings,
     [](std::span<const std::string_view> ahead) {
         const auto setting = setting_of(ahead[0]);
         return setting && starts_with_any(setting->key, {"ROCE_", "LINK_TYPE_P", "PCI_WR_ORDERING", "NUM_OF_VFS"})
                    ? Fit::sure
                    : Fit::none;
     },
     continues_settings, parse_settings},
    {"mlxlink", "mlxlink -d PCI", [](const Command& command) { return command.is("mlxlink") || command.is("mstlink"); },
     begins_mlxlink, continues_mlxlink, parse_mlxlink},
    {"mstflint", "", prints_flint, begins_flint, continues_flint, parse_flint},
    {"devlink dev param", "devlink dev param show",
     [](const Command& command) { return command.is("devlink") && command.has("param"); },
     [](std::span<const std::string_view> ahead) {
         return is_devlink_head(ahead[0]) && ahead.size() > 1 && trim(ahead[1]).starts_with("name ") ? Fit::sure
                                                                                                     : Fit::none;
     },
     continues_devlink, parse_parameters},
    {"devlink dev info", "", [](const Command& command) { return command.is("devlink") && command.has("info"); },
     [](std::span<const std::string_view> ahead) {
         return is_devlink_head(ahead[0]) && ahead.size() > 1 && has(ahead[1], "driver ") ? Fit::sure : Fit::none;
     },
     continues_devlink, parse_devlink},
};

}  // namespace

extern const std::span<const Form> vendor_tools;
constinit const std::span<const Form> vendor_tools{kForms};

}  // namespace rd::ingest::forms
