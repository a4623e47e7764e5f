// SPDX-License-Identifier: GPL-2.0-or-later
// lspci: a head line for each function, and with -v, -vv, -vvv what its capabilities say. Lines below no head line belong to the
// function that -s names; without either nobody knows whose they are, and they are left out: no address is made up.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

struct Named {
    std::string_view words;
    std::string_view id;
};
// As pci.ids words the classes and vendors that matter here.
constexpr std::array<Named, 12> kClasses{{{"Infiniband controller", "0x020700"},
                                          {"InfiniBand", "0x020700"},
                                          {"Ethernet controller", "0x020000"},
                                          {"Network controller", "0x028000"},
                                          {"Fabric controller", "0x020800"},
                                          {"PCI bridge", "0x060400"},
                                          {"Host bridge", "0x060000"},
                                          {"VGA compatible controller", "0x030000"},
                                          {"3D controller", "0x030200"},
                                          {"Display controller", "0x038000"},
                                          {"Processing accelerators", "0x120000"},
                                          {"Non-Volatile memory controller", "0x010802"}}};
constexpr std::array<Named, 8> kVendors{{{"Mellanox Technologies", "0x15b3"},
                                         {"NVIDIA Corporation", "0x10de"},
                                         {"Intel Corporation", "0x8086"},
                                         {"Broadcom Inc. and subsidiaries", "0x14e4"},
                                         {"Chelsio Communications", "0x1425"},
                                         {"Amazon.com", "0x1d0f"},
                                         {"Pensando Systems", "0x1dd8"},
                                         {"Advanced Micro Devices, Inc. [AMD/ATI]", "0x1002"}}};
constexpr std::array<Named, 7> kTypes{{{"Root Port", "root-port"},
                                       {"Upstream Port", "upstream"},
                                       {"Downstream Port", "downstream"},
                                       {"Legacy Endpoint", "legacy-endpoint"},
                                       {"Root Complex Integrated Endpoint", "integrated-endpoint"},
                                       {"PCI-Express to PCI/PCI-X Bridge", "pcie-to-pci-bridge"},
                                       {"Endpoint", "endpoint"}}};
// In the order of their bits.
constexpr std::array<std::string_view, 7> kAcsBits{"SrcValid+",    "TransBlk+",   "ReqRedir+",   "CmpltRedir+",
                                                   "UpstreamFwd+", "EgressCtrl+", "DirectTrans+"};

struct Head {
    std::string_view address;
    std::string_view rest;
};

// "41:00.0 Infiniband controller: …", "0000:41:00.0 0207: 15b3:101b"
std::optional<Head> head_of(std::string_view line) {
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || (space != 7 && space != 12)) return std::nullopt;
    const std::string_view address = line.substr(0, space);
    const std::string full = (space == 7 ? "0000:" : "") + lower(address);
    const std::string_view rest = trim(line.substr(space));
    if (!is_pci_address(full) || !has(rest, ":")) return std::nullopt;
    return Head{address, rest};
}

std::string_view number_in(std::string_view text, std::string_view mark, std::string_view unit) {
    const auto rest = behind(text, mark);
    if (!rest) return {};
    const std::string_view number = number_text(*rest);
    return rest->substr(number.size()).starts_with(unit) ? number : std::string_view();
}

// A function with what is known of its place, until the tree can be told.
struct Function {
    std::string type;
    int bus = -1, secondary = -1;
    std::string domain;
};

class Reader {
public:
    Reader(const Section& section, Answers& answers) : answers_(answers) {
        std::string_view slot = section.command.after("-s");
        const auto& arguments = section.command.arguments;
        for (std::size_t i = 0; slot.empty() && i + 1 < arguments.size(); ++i) {
            if (arguments[i].starts_with("-v") && arguments[i].ends_with('s'))
                slot = arguments[i + 1];  // "-vvs 41:00.0"
        }
        if (slot.ends_with(':')) slot.remove_suffix(1);
        start(slot);
        // Lines of Mellanox functions whose head lines were filtered out: an adapter that the text proves and does not name.
        // Likewise two lines of one function with nothing around them, and `lspci -s 41:00.0 | grep Lnk` (a bridge is no device 00).
        const bool headless = std::none_of(section.lines.begin(), section.lines.end(),
                                           [](const std::string& line) { return head_of(line).has_value(); });
        const bool adapter =
            slot.empty() && headless && (!section.command || section.command.after("-d").starts_with("15b3"));
        const auto links = std::count_if(section.lines.begin(), section.lines.end(),
                                         [](const std::string& line) { return trim(line).starts_with("LnkSta:"); });
        if (adapter && links == 1) nameless_ = fmt::format("/sys/class/infiniband/{}/device", answers.device({}));
        if (headless && links == 1 && address_.size() > 4 && address_.find(":00.") != std::string::npos)
            answers.on_pci("/sys/class/infiniband/" + answers.device({}), address_);
        asked_for_acs_ = std::any_of(section.command.filters.begin(), section.command.filters.end(),
                                     [](std::string_view filter) { return has(filter, "ACS"); });
        whole_ = section.command.filters.empty() && slot.empty() && section.command.after("-d").empty();
    }

    void take(std::string_view line) {
        if (const auto head = head_of(line)) {
            start(head->address);
            if (!address_.empty()) take_head(head->rest);
            return;
        }
        line = trim(line);
        // Where it is nobody knows; that requests between devices are sent up to the processor somewhere is all it says. Who filters for it
        // shows bridges, and not what lies below them.
        if ((address_.empty() || asked_for_acs_) && line.starts_with("ACSCtl:")) answers_.log(line, "lspci");
        if (address_.empty() && nameless_.empty()) return;
        const auto pair = pair_of(line);
        if (pair && is_any(pair->key, {"DevCap", "DevCtl", "LnkCap", "LnkSta", "LnkCap2", "LnkCtl2", "DevSta", "LnkCtl",
                                       "DevCap2", "DevCtl2", "UESta", "CESta", "ACSCap", "ACSCtl"})) {
            part_ = pair->key;
        } else if (line.starts_with("Capabilities:")) {
            part_ = {};
        }
        take_link(line);
        if (address_.empty()) return;
        take_control(line);
        take_rest(line);
    }

    void finish() {
        if (!whole_) return;
        for (const auto& [address, function] : functions_) {
            const std::string path = path_of(address, 0);
            if (!path.empty()) answers_.link("/sys/bus/pci/devices/" + address, "/sys/devices/" + path);
        }
    }

private:
    std::string path(std::string_view name) {
        if (address_.empty()) return fmt::format("{}/{}", nameless_, name);
        return fmt::format("/sys/bus/pci/devices/{}/{}", address_, name);
    }
    Fields config() { return {answers_, "pci.config/" + address_}; }

    void start(std::string_view address) {
        address_ = answers_.pci(address);
        part_ = {};
        if (address_.empty()) return;
        Function& function = functions_[address_];
        function.domain = address_.substr(0, 4);
        function.bus = static_cast<int>(parse_hex(std::string_view(address_).substr(5, 2)).value_or(0));
    }

    void take_head(std::string_view rest) {
        // With -nn and -n the numbers stand there.
        std::string_view vendor_and_device;
        for (const std::string_view word : words(rest)) {
            std::string_view bare = word;
            const bool bracketed = bare.starts_with('[') && bare.find(']') != std::string_view::npos;
            if (bracketed) bare = bare.substr(1, bare.find(']') - 1);
            while (bare.ends_with(':')) bare.remove_suffix(1);
            if (bare.size() == 4 && is_hexadecimal(bare) && word.ends_with(':') && class_.empty()) {
                class_ = fmt::format("0x{}00", lower(bare));
            }
            if (bare.size() == 9 && bare[4] == ':' && is_hexadecimal(bare.substr(0, 4)) &&
                is_hexadecimal(bare.substr(5))) {
                vendor_and_device = bare;
            }
        }
        for (const Named& name : kClasses) {
            if (class_.empty() && rest.starts_with(name.words)) class_ = name.id;
        }
        if (!class_.empty()) answers_.read(path("class"), class_);
        class_.clear();
        if (!vendor_and_device.empty()) {
            answers_.read(path("vendor"), "0x" + lower(vendor_and_device.substr(0, 4)));
            answers_.read(path("device"), "0x" + lower(vendor_and_device.substr(5)));
            return;
        }
        for (const Named& name : kVendors) {
            if (has(rest, name.words)) return answers_.read(path("vendor"), name.id);
        }
    }

    void take_link(std::string_view line) {
        const bool most = part_ == "LnkCap" && line.starts_with("LnkCap:");
        if (most || line.starts_with("LnkSta:")) {
            const std::string_view prefix = most ? "max" : "current";
            if (const auto speed = number_in(line, "Speed ", "GT/s"); !speed.empty()) {
                answers_.read(path(fmt::format("{}_link_speed", prefix)), fmt::format("{} GT/s PCIe", speed));
            }
            if (const auto width = whole_number(behind(line, "Width x").value_or("")); width && *width > 0) {
                answers_.read(path(fmt::format("{}_link_width", prefix)), std::to_string(*width));
            }
        }
        const auto target = number_in(line, "Target Link Speed: ", "GT/s");
        if (!target.empty() && !address_.empty()) {
            const auto speed = parse_number(target);
            if (speed) config().put("target_speed", std::to_string(static_cast<int>(*speed * 10 + 0.5)));
        }
    }

    void flag(std::string_view line, std::string_view name, std::string_view key) {
        if (has(line, std::string(name) + "+")) config().put(key, "1");
        if (has(line, std::string(name) + "-")) config().put(key, "0");
    }

    void take_control(std::string_view line) {
        // MaxReadReq and RlxdOrd stand in Device Control only, MaxPayload in Device Capabilities too.
        if (has(line, "MaxReadReq ")) {
            config().put("mrrs", whole_number(behind(line, "MaxReadReq ").value_or("")));
            config().put("mps", whole_number(behind(line, "MaxPayload ").value_or("")));
        } else if (part_ == "DevCap" && has(line, "MaxPayload ")) {
            config().put("mps_max", whole_number(behind(line, "MaxPayload ").value_or("")));
        }
        if (has(line, "RlxdOrd")) {
            flag(line, "RlxdOrd", "relaxed_ordering");
            flag(line, "ExtTag", "extended_tag");
        }
        if (!line.starts_with("ACSCtl:")) return;
        const auto flags = words(line);
        int control = 0;
        for (std::size_t bit = 0; bit < kAcsBits.size(); ++bit) {
            if (std::find(flags.begin(), flags.end(), kAcsBits[bit]) != flags.end()) control |= 1 << bit;
        }
        config().put("acs_control", std::to_string(control));
    }

    void take_rest(std::string_view line) {
        if (line == "Capabilities: <access denied>") {
            answers_.failed("pci.config/" + address_, Errc::no_privilege,
                            fmt::format("pci.config/{}: only 64 bytes can be read", address_),
                            "paste: sudo lspci -vvv");
            return;
        }
        if (has(line, "Express (v")) {
            config().put("pcie", "1");
            for (const Named& type : kTypes) {
                if (!has(line, type.words)) continue;
                config().put("type", type.id);
                functions_[address_].type = type.id;
                break;
            }
        }
        if (line.starts_with("Bus: primary=")) {
            functions_[address_].secondary =
                static_cast<int>(parse_hex(behind(line, "secondary=").value_or("").substr(0, 2)).value_or(0));
        }
        const auto pair = pair_of(line);
        if (!pair) return;
        const auto& [key, value] = *pair;
        if (key == "NUMA node" && whole_number(value)) answers_.read(path("numa_node"), value);
        if (key == "Kernel driver in use" && is_name(value)) {
            answers_.link(path("driver"), fmt::format("/sys/bus/pci/drivers/{}", value));
        }
        if (key == "IOMMU group" && is_digits(value)) {
            answers_.link(path("iommu_group"), fmt::format("/sys/kernel/iommu_groups/{}", value));
        }
    }

    // "pci0000:40/0000:40:01.0/0000:41:00.0", where every bridge up to a root port is in the text; else empty.
    std::string path_of(const std::string& address, int depth) {
        constexpr int kMostDepth = 16;
        const Function& function = functions_[address];
        if (function.type == "root-port")
            return fmt::format("pci{}:{}/{}", function.domain, address.substr(5, 2), address);
        for (const auto& [above, bridge] : functions_) {
            if (bridge.secondary <= 0 || bridge.secondary != function.bus || bridge.domain != function.domain) continue;
            if (above == address || depth >= kMostDepth) return {};
            const std::string path = path_of(above, depth + 1);
            return path.empty() ? path : path + "/" + address;
        }
        return {};
    }

    Answers& answers_;
    std::string address_, class_, nameless_;
    std::string_view part_;
    std::map<std::string, Function> functions_;
    bool whole_ = false, asked_for_acs_ = false;
};

bool is_detail(std::string_view line) {
    return starts_with_any(trim(line), {"LnkCap:", "LnkSta:", "LnkCtl:", "LnkCap2:", "LnkCtl2:", "LnkSta2:", "DevCap:",
                                        "DevCtl:", "MaxPayload ", "RlxdOrd", "ACSCtl:", "ACSCap:", "NUMA node:",
                                        "Kernel driver in use:", "Kernel modules:", "Subsystem:", "Capabilities: ["});
}

Fit begins(std::span<const std::string_view> ahead) {
    if (const auto head = head_of(ahead[0])) {
        for (const Named& name : kClasses) {
            if (head->rest.starts_with(name.words)) return Fit::sure;
        }
        return ahead.size() > 1 && indented(ahead[1]) ? Fit::fair : Fit::weak;
    }
    const std::string_view line = trim(ahead[0]);
    if (starts_with_any(line, {"LnkCap:", "LnkSta:"}) && has(line, "Speed ")) return Fit::sure;
    return starts_with_any(line, {"DevCtl:", "ACSCtl:", "LnkCtl2:"}) ? Fit::fair : Fit::none;
}

bool continues(const Section& section, const Line& line) {
    if (head_of(line.text) || is_detail(line.text)) return true;
    if (starts_with_any(line.text, {"DeviceName:"})) return true;
    return !section.empty() && indented(line.text);
}

void parse(const Section& section, Answers& answers) {
    Reader reader(section, answers);
    for (const std::string& line : section.lines) reader.take(line);
    reader.finish();
}

constexpr Form kForms[] = {
    {"lspci", "sudo lspci -vvv", [](const Command& command) { return command.is("lspci"); }, begins, continues, parse},
};

}  // namespace

extern const std::span<const Form> lspci;
constinit const std::span<const Form> lspci{kForms};

}  // namespace rd::ingest::forms
