// SPDX-License-Identifier: GPL-2.0-or-later
// The tools of infiniband-diags that read sysfs: ibstat and ibstatus. Both print for RoCE what they print for InfiniBand.
#include <fmt/format.h>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

// Where the lines of one port go; a port that no line named is the first one.
class Place {
public:
    explicit Place(Answers& answers) : answers_(answers) {}
    void device(std::string_view name) {
        device_ = answers_.device(name);
        known_ = true;
        port_.clear();
        number_ = 1;
    }
    void number(std::int64_t number) {
        if (number < 1 || number > 255) return;
        number_ = static_cast<int>(number);
        port_.clear();
    }
    std::string folder() {
        if (!known_) device({});
        return fmt::format("/sys/class/infiniband/{}", device_);
    }
    const std::string& port() {
        if (!known_) device({});
        if (port_.empty()) port_ = answers_.port(device_, number_);
        return port_;
    }

private:
    Answers& answers_;
    std::string device_, port_;
    bool known_ = false;
    int number_ = 1;
};

std::string quoted(std::string_view text) {
    const std::size_t begin = text.find('\'');
    if (begin == std::string_view::npos) return {};
    const std::size_t end = text.find('\'', begin + 1);
    return std::string(text.substr(begin + 1, end == std::string_view::npos ? end : end - begin - 1));
}

void put_lid(std::string_view value, const std::string& path, Answers& answers) {
    if (const auto lid = whole_number(value); lid && *lid >= 0) answers.read(path, fmt::format("{:#x}", *lid));
}

void put_common(const Pair& pair, Place& place, Answers& answers) {
    const auto& [key, value] = pair;
    if (is_any(key, {"State", "state"})) {
        if (const auto state = port_state(value); !state.empty()) answers.read(place.port() + "/state", state);
    } else if (is_any(key, {"Physical state", "phys state"})) {
        if (const auto state = physical_state(value); !state.empty()) answers.read(place.port() + "/phys_state", state);
    } else if (is_any(key, {"Rate", "rate"})) {
        const std::string_view number = number_text(value);
        if (number.empty()) return;
        const bool whole = has(value, "Gb/sec");
        answers.read(place.port() + "/rate", whole ? std::string(value) : fmt::format("{} Gb/sec", number));
    } else if (is_any(key, {"Base lid", "base lid"})) {
        put_lid(value, place.port() + "/lid", answers);
    } else if (is_any(key, {"SM lid", "sm lid"})) {
        put_lid(value, place.port() + "/sm_lid", answers);
    } else if (is_any(key, {"Link layer", "link_layer"})) {
        answers.read(place.port() + "/link_layer", value);
    }
}

bool ibstat_key(std::string_view key) {
    return is_any(key, {"CA type", "Number of ports", "Firmware version", "Hardware version", "Node GUID",
                        "System image GUID", "State", "Physical state", "Rate", "Base lid", "LMC", "SM lid",
                        "Capability mask", "Port GUID", "Link layer"});
}

bool is_port_head(std::string_view key) { return key.starts_with("Port ") && is_digits(key.substr(5)); }

Fit begins_ibstat(std::span<const std::string_view> ahead) {
    if (ahead[0].starts_with("CA '")) return Fit::sure;
    const auto pair = pair_of(ahead[0]);
    if (!pair || !indented(ahead[0])) return Fit::none;
    if (is_any(pair->key, {"CA type", "Base lid", "SM lid", "Link layer"})) return Fit::fair;
    if (pair->key == "State" && !port_state(pair->value).empty()) return Fit::weak;
    return pair->key == "Physical state" && !physical_state(pair->value).empty() ? Fit::weak : Fit::none;
}

bool continues_ibstat(const Section&, const Line& line) {
    if (line.text.starts_with("CA '")) return true;
    const auto pair = pair_of(line.text);
    return pair && (ibstat_key(pair->key) || is_port_head(pair->key));
}

void parse_ibstat(const Section& section, Answers& answers) {
    Place place(answers);
    if (is_name(section.command.operand(0))) place.device(section.command.operand(0));
    if (const auto number = whole_number(section.command.operand(1))) place.number(*number);
    for (const std::string& line : section.lines) {
        if (line.starts_with("CA '")) {
            place.device(quoted(line));
            continue;
        }
        const auto pair = pair_of(line);
        if (!pair) continue;
        const auto& [key, value] = *pair;
        if (is_port_head(key)) {
            place.number(whole_number(key.substr(5)).value_or(0));
        } else if (key == "CA type") {
            if (!value.empty()) answers.read(place.folder() + "/hca_type", value);
            // Of mlx4 and mlx5, which make nothing else.
            if (value.starts_with("MT") && is_digits(value.substr(2)))
                answers.read(place.folder() + "/node_type", "1: CA");
        } else if (key == "Firmware version") {
            answers.read(place.folder() + "/fw_ver", value);
        } else if (is_any(key, {"Node GUID", "System image GUID"})) {
            const auto guid = guid_of(value);
            const std::string_view name = key == "Node GUID" ? "node_guid" : "sys_image_guid";
            if (guid) answers.read(fmt::format("{}/{}", place.folder(), name), *guid);
        } else {
            put_common(*pair, place, answers);
        }
    }
}

constexpr std::string_view kStatus = "Infiniband device '";

Fit begins_ibstatus(std::span<const std::string_view> ahead) {
    if (ahead[0].starts_with(kStatus)) return Fit::sure;
    return Fit::none;
}

bool continues_ibstatus(const Section&, const Line& line) {
    if (line.text.starts_with(kStatus)) return true;
    const auto pair = pair_of(line.text);
    return pair &&
           is_any(pair->key, {"default gid", "base lid", "sm lid", "state", "phys state", "rate", "link_layer"});
}

void parse_ibstatus(const Section& section, Answers& answers) {
    Place place(answers);
    const std::string_view operand = section.command.operand(0);
    if (const std::string_view name = operand.substr(0, operand.find(':')); is_name(name)) place.device(name);
    for (const std::string& line : section.lines) {
        if (line.starts_with(kStatus)) {
            place.device(quoted(line));
            place.number(whole_number(behind(line, "' port ").value_or("")).value_or(1));
        } else if (const auto pair = pair_of(line)) {
            put_common(*pair, place, answers);
        }
    }
}

constexpr Form kForms[] = {
    {"ibstat", "ibstat", [](const Command& command) { return command.is("ibstat"); }, begins_ibstat, continues_ibstat,
     parse_ibstat},
    {"ibstatus", "", [](const Command& command) { return command.is("ibstatus"); }, begins_ibstatus, continues_ibstatus,
     parse_ibstatus},
};

}  // namespace

extern const std::span<const Form> ibstat;
constinit const std::span<const Form> ibstat{kForms};

}  // namespace rd::ingest::forms
