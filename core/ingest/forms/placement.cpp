// SPDX-License-Identifier: GPL-2.0-or-later
// What is near to what, and how fast processors may run: nvidia-smi topo -m, cpupower frequency-info; and outputs that are often pasted
// beside others and of which nothing is asked: routes, queueing disciplines, modinfo.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

Fit sure_if(bool sure) { return sure ? Fit::sure : Fit::none; }

// --- nvidia-smi topo -m -----------------------------------------------------------------------------------------------------------

// From the nearest on: one PCIe switch, several, one host bridge, one NUMA node, the link between sockets.
constexpr std::array<std::string_view, 5> kDistances{"PIX", "PXB", "PHB", "NODE", "SYS"};

bool is_gpu(std::string_view word) { return word.starts_with("GPU") && is_digits(word.substr(3)); }
bool is_adapter(std::string_view word) {
    return (word.starts_with("NIC") && is_digits(word.substr(3))) ||
           (starts_with_any(word, {"mlx", "bnxt_re", "roce", "ib", "irdma", "erdma"}) && is_name(word));
}

bool is_matrix_head(std::string_view line) {
    const auto row = words(line);
    return row.size() >= 2 && is_gpu(row[0]) && (is_gpu(row[1]) || is_adapter(row[1]) || row[1] == "CPU") &&
           has(line, "CPU Affinity");
}

bool is_matrix_row(std::string_view line) {
    const auto row = words(line);
    return row.size() >= 2 && (is_gpu(row[0]) || is_adapter(row[0])) &&
           (row[1] == "X" || row[1].starts_with("NV") ||
            std::find(kDistances.begin(), kDistances.end(), row[1]) != kDistances.end());
}

bool continues_matrix(const Section& section, const Line& line) {
    if (is_matrix_head(line.text) || is_matrix_row(line.text)) return true;
    const std::string_view text = line.trimmed();
    return !section.empty() && (starts_with_any(text, {"Legend:", "NIC Legend:", "X ", "X\t", "SYS ", "NODE ", "PHB ",
                                                       "PXB ", "PIX ", "NV# ", "NIC"}));
}

void parse_matrix(const Section& section, Answers& answers) {
    std::vector<std::string_view> head;
    std::map<std::string, std::size_t> nearest;  // of each GPU to any adapter, as a place in kDistances
    bool any_adapter = false;
    for (const std::string& line : section.lines) {
        const auto row = words(line);
        if (is_matrix_head(line)) {
            head = row;
            head.resize(static_cast<std::size_t>(std::find(head.begin(), head.end(), "CPU") - head.begin()));
            any_adapter = std::any_of(head.begin(), head.end(), is_adapter);
        } else if (const auto pair = pair_of(line); pair && is_adapter(pair->key) && is_adapter(pair->value)) {
            (void)answers.device(pair->value);  // "NIC0: mlx5_0"
        }
        if (!is_matrix_row(line) || row.size() <= head.size()) continue;
        if (is_adapter(row[0]) && !row[0].starts_with("NIC")) (void)answers.device(row[0]);
        if (!is_gpu(row[0])) continue;
        for (std::size_t i = 0; i < head.size(); ++i) {
            const auto* const found = std::find(kDistances.begin(), kDistances.end(), row[i + 1]);
            if (!is_adapter(head[i]) || found == kDistances.end()) continue;
            const auto distance = static_cast<std::size_t>(found - kDistances.begin());
            const auto [at, fresh] = nearest.try_emplace(std::string(row[0]), distance);
            at->second = std::min(at->second, distance);
        }
    }
    if (!any_adapter) return;
    for (const auto& [gpu, distance] : nearest) {
        if (kDistances[distance] == "SYS")
            answers.log(fmt::format("nvidia-smi topo: {}: no adapter is nearer than SYS", gpu), "nvidia-smi");
    }
}

// --- cpupower frequency-info ------------------------------------------------------------------------------------------------------

bool is_frequency_head(std::string_view line) { return line.starts_with("analyzing CPU ") && line.ends_with(':'); }

// "3.50 GHz" in kHz
std::optional<std::int64_t> kilohertz(std::string_view text) {
    const auto row = words(trim(text));
    const auto number = row.empty() ? Result<double>(fail(Errc::bad_input, {})) : parse_number(row[0]);
    if (!number || row.size() < 2 || *number < 0 || *number > 1e5) return std::nullopt;
    const double scale = row[1].starts_with("GHz") ? 1e6 : row[1].starts_with("MHz") ? 1e3 : 0;
    return scale > 0 ? std::optional(static_cast<std::int64_t>(*number * scale + 0.5)) : std::nullopt;
}

void parse_frequency(const Section& section, Answers& answers) {
    std::string folder;
    std::vector<std::string> cpus;
    const auto put = [&](std::string_view file, const std::optional<std::int64_t>& value) {
        if (value) answers.read(fmt::format("{}/{}", folder, file), std::to_string(*value));
    };
    for (const std::string& line : section.lines) {
        if (is_frequency_head(line)) {
            const auto number = whole_number(std::string_view(line).substr(14));
            folder.clear();
            if (!number || *number < 0 || *number > 65535) continue;
            folder = fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq", *number);
            cpus.push_back(std::to_string(*number));
        }
        if (folder.empty()) continue;
        const auto pair = pair_of(line);
        if (pair && pair->key == "driver" && is_name(pair->value))
            answers.read(folder + "/scaling_driver", pair->value);
        if (pair && pair->key == "hardware limits") {
            put("cpuinfo_min_freq", kilohertz(pair->value.substr(0, pair->value.find(" - "))));
            put("cpuinfo_max_freq", kilohertz(behind(pair->value, " - ").value_or("")));
        }
        if (pair && pair->key == "current policy") {
            put("scaling_max_freq", kilohertz(behind(pair->value, " and ").value_or("")));
        }
        if (const auto governor = behind(line, "The governor \"")) {
            const std::string_view name = governor->substr(0, governor->find('"'));
            if (is_name(name)) answers.read(folder + "/scaling_governor", name);
        }
    }
    std::string list;
    for (const std::string& cpu : cpus) list += (list.empty() ? "" : ",") + cpu;
    if (!list.empty()) answers.read("/sys/devices/system/cpu/online", list);
}

// --- what nothing is asked of -----------------------------------------------------------------------------------------------------

bool is_route(std::string_view line) {
    const auto row = words(line);
    const bool to = !row.empty() && (row[0] == "default" || is_digits(row[0].substr(0, 1)) || row[0] == "unreachable" ||
                                     row[0] == "local");
    return to && row.size() >= 3 && std::find(row.begin(), row.end(), "dev") != row.end() &&
           (has(line, " via ") || has(line, " scope ") || has(line, " proto ") || has(line, " src "));
}
bool is_rule(std::string_view line) {
    const auto row = words(line);
    return row.size() >= 4 && row[0].ends_with(':') && is_digits(row[0].substr(0, row[0].size() - 1)) &&
           row[1] == "from" && has(line, "lookup ");
}
bool asks_routes(const Command& command) {
    const std::string_view object = command.operand(0);
    return command.is("ip") && (object.starts_with("r") || object == "ru") && !object.empty();
}

bool is_discipline(std::string_view line) {
    const auto row = words(line);
    return row.size() >= 3 && is_any(row[0], {"qdisc", "class", "filter"}) && (has(line, " dev ") || has(row[2], ":"));
}

bool is_module_info(std::string_view line) {
    const auto pair = pair_of(line);
    return pair && is_any(pair->key, {"filename", "version", "license",   "description", "author",       "srcversion",
                                      "alias",    "depends", "retpoline", "intree",      "name",         "vermagic",
                                      "parm",     "sig_id",  "signer",    "sig_key",     "sig_hashalgo", "signature",
                                      "firmware", "basedon", "import_ns", "softdep"});
}

void say_nothing(const Section&, Answers&) {}

constexpr Form kForms[] = {
    {"nvidia-smi topo", "nvidia-smi topo -m",
     [](const Command& command) { return command.is("nvidia-smi") && command.has("topo"); },
     [](std::span<const std::string_view> ahead) { return sure_if(is_matrix_head(ahead[0])); }, continues_matrix,
     parse_matrix},
    {"cpupower", "cpupower frequency-info",
     [](const Command& command) { return command.is("cpupower") && command.has("frequency-info"); },
     [](std::span<const std::string_view> ahead) { return sure_if(is_frequency_head(ahead[0])); },
     [](const Section& section, const Line& line) {
         return is_frequency_head(line.text) || (!section.empty() && indented(line.text));
     },
     parse_frequency},
    {"ip route", "", asks_routes,
     [](std::span<const std::string_view> ahead) {
         return is_route(ahead[0]) || is_rule(ahead[0]) ? Fit::fair : Fit::none;
     },
     [](const Section& section, const Line& line) {
         return is_route(line.text) || is_rule(line.text) ||
                (!section.empty() && (indented(line.text) || starts_with_any(line.trimmed(), {"cache"})));
     },
     say_nothing},
    {"tc", "", [](const Command& command) { return command.is("tc"); },
     [](std::span<const std::string_view> ahead) { return sure_if(is_discipline(ahead[0])); },
     [](const Section& section, const Line& line) {
         return is_discipline(line.text) || (!section.empty() && indented(line.text));
     },
     say_nothing},
    {"modinfo", "", [](const Command& command) { return command.is("modinfo"); },
     [](std::span<const std::string_view> ahead) {
         return sure_if(ahead[0].starts_with("filename:") && has(ahead[0], ".ko"));
     },
     [](const Section& section, const Line& line) {
         return is_module_info(line.text) || (!section.empty() && indented(line.text));
     },
     say_nothing},
};

}  // namespace

extern const std::span<const Form> placement;
constinit const std::span<const Form> placement{kForms};

}  // namespace rd::ingest::forms
