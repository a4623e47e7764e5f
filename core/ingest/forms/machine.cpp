// SPDX-License-Identifier: GPL-2.0-or-later
// The machine and its kernel: uname, /etc/os-release and what releases of distributions print, lsmod, sysctl, ofed_info, systemctl.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

// --- uname ----------------------------------------------------------------------------------------------------------------------

bool is_release(std::string_view word) {
    // 6.8.0-90-generic, 3.10.0-862.2.3.el7.x86_64: three numbers at least
    std::size_t dots = 0, at = 0;
    while (at < word.size() && (is_digits(word.substr(at, 1)) || word[at] == '.')) dots += word[at++] == '.' ? 1 : 0;
    return dots >= 2 && is_name(word.substr(0, word.find('+'))) && is_digits(word.substr(0, 1));
}

bool is_uname(std::string_view line) {
    const auto row = words(line);
    return row.size() >= 6 && row[0] == "Linux" && is_release(row[2]) && has(line, "#");
}

bool continues_uname(const Section& section, const Line& line) {
    if (!section.empty()) return false;
    return is_uname(line.text) || (section.command && is_release(trim(line.text)));
}

void parse_uname(const Section& section, Answers& answers) {
    const std::string_view line = trim(section.lines.front());
    if (!is_uname(line)) return answers.kernel(line);
    const auto row = words(line);
    if (is_name(row[1])) answers.hostname(row[1]);
    answers.kernel(row[2]);
    for (const std::string_view word : row) {
        if (is_any(word, {"x86_64", "aarch64", "ppc64le", "s390x", "riscv64"})) answers.machine(word);
    }
}

// --- os-release -----------------------------------------------------------------------------------------------------------------

constexpr std::string_view kOsRelease = "/etc/os-release";

bool is_os_line(std::string_view line) {
    const auto pair = pair_of(line, '=');
    return pair && is_any(pair->key, {"NAME",
                                      "VERSION",
                                      "ID",
                                      "ID_LIKE",
                                      "VERSION_ID",
                                      "PRETTY_NAME",
                                      "PLATFORM_ID",
                                      "VERSION_CODENAME",
                                      "CPE_NAME",
                                      "HOME_URL",
                                      "BUG_REPORT_URL",
                                      "SUPPORT_URL",
                                      "ANSI_COLOR",
                                      "LOGO",
                                      "UBUNTU_CODENAME",
                                      "PRIVACY_POLICY_URL",
                                      "DOCUMENTATION_URL",
                                      "SUPPORT_END",
                                      "DISTRIB_ID",
                                      "DISTRIB_RELEASE",
                                      "DISTRIB_CODENAME",
                                      "DISTRIB_DESCRIPTION"});
}

Fit begins_os(std::span<const std::string_view> ahead) {
    if (starts_with_any(ahead[0], {"PRETTY_NAME=\"", "VERSION_ID=\"", "DISTRIB_ID="})) return Fit::sure;
    return is_os_line(ahead[0]) && ahead.size() > 1 && is_os_line(ahead[1]) ? Fit::fair : Fit::none;
}

void parse_os(const Section& section, Answers& answers) {
    std::string text;
    for (const std::string& line : section.lines) text += line + "\n";
    answers.read(kOsRelease, text);
}

// "CentOS Linux release 7.8.2003 (Core)" of /etc/redhat-release
bool is_release_line(std::string_view line) {
    return has(line, " release ") && line.size() < 100 &&
           starts_with_any(line,
                           {"CentOS", "Red Hat Enterprise", "Rocky Linux", "AlmaLinux", "Fedora", "Oracle Linux"});
}

// --- ofed_info ------------------------------------------------------------------------------------------------------------------

bool is_ofed(std::string_view line) {
    return starts_with_any(trim(line), {"MLNX_OFED_LINUX-", "OFED-internal-", "DOCA-OFED", "MLNX_EN-"}) &&
           line.size() < 100;
}

void parse_ofed(const Section& section, Answers& answers) {
    std::string_view version = trim(section.lines.front());
    while (version.ends_with(':')) version.remove_suffix(1);
    version = version.substr(0, version.find_first_of(" ("));
    answers.read("/usr/bin/ofed_info", version);
}

// --- lsmod ----------------------------------------------------------------------------------------------------------------------

// Those that facts ask for: what a filtered list that is empty says about them.
constexpr std::array<std::string_view, 17> kModules{
    "ib_core", "ib_uverbs",      "rdma_cm",    "rdma_ucm", "mlx5_core", "mlx5_ib",    "bnxt_re",
    "irdma",   "rdma_rxe",       "siw",        "ib_ipoib", "nvme_rdma", "nvmet_rdma", "vfio_pci",
    "nvidia",  "nvidia_peermem", "nv_peer_mem"};

bool is_module_row(std::string_view line) {
    const auto row = words(line);
    return row.size() >= 3 && row.size() <= 4 && is_name(row[0]) && is_digits(row[1]) && is_digits(row[2]) &&
           !is_digits(row[0].substr(0, 1));
}

Fit begins_lsmod(std::span<const std::string_view> ahead) {
    const auto row = words(ahead[0]);
    if (row.size() >= 3 && row[0] == "Module" && row[1] == "Size") return Fit::sure;
    if (!is_module_row(ahead[0])) return Fit::none;
    const bool more = ahead.size() > 1 && is_module_row(ahead[1]);
    const bool known = std::find(kModules.begin(), kModules.end(), row[0]) != kModules.end();
    return known ? Fit::fair : more && has(ahead[0], "  ") ? Fit::weak : Fit::none;
}

bool continues_lsmod(const Section&, const Line& line) {
    return is_module_row(line.text) || line.text.starts_with("Module  ");
}

// What `grep -i mlx5` lets pass; nothing where it is no plain word.
std::optional<std::string> plain_filter(const Command& command) {
    if (command.filters.size() != 1) return std::nullopt;
    const auto row = words(command.filters.front());
    if (row.size() < 2 || row[0] != "grep" || has(command.filters.front(), "-v")) return std::nullopt;
    std::string word(row.back());
    std::erase_if(word, [](char c) { return c == '"' || c == '\''; });
    return is_name(word) ? std::optional(word) : std::nullopt;
}

void parse_lsmod(const Section& section, Answers& answers) {
    std::vector<std::string> names;
    for (const std::string& line : section.lines) {
        if (!is_module_row(line)) continue;
        const auto row = words(line);
        names.emplace_back(row[0]);
        answers.read(fmt::format("/sys/module/{}/refcnt", row[0]), row[2]);
    }
    if (section.command && section.command.filters.empty()) return answers.list("/sys/module", names);
    const auto word = plain_filter(section.command);
    if (!word) return;
    // A filter that a module's name passes and that did not show it: it is not loaded.
    for (const std::string_view module : kModules) {
        if (!has(module, *word) || std::find(names.begin(), names.end(), module) != names.end()) continue;
        const std::string path = fmt::format("/sys/module/{}", module);
        answers.failed(path + "/refcnt", Errc::not_found, path + ": lsmod does not show it");
    }
}

// --- sysctl ---------------------------------------------------------------------------------------------------------------------

std::optional<Pair> sysctl_of(std::string_view line) {
    const auto pair = pair_of(line, '=');
    if (!pair || !has(line, " = ") ||
        !starts_with_any(pair->key, {"kernel.", "net.", "vm.", "fs.", "sunrpc.", "dev."})) {
        return std::nullopt;
    }
    const bool good = std::all_of(pair->key.begin(), pair->key.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
               c == '-' || c == '/';
    });
    return good && !has(pair->key, "..") ? pair : std::nullopt;
}

void parse_sysctl(const Section& section, Answers& answers) {
    for (const std::string& line : section.lines) {
        const auto pair = sysctl_of(line);
        if (!pair) continue;
        // Dots within a name ("eth0.100") are written as slashes.
        std::string path = "/proc/sys/";
        for (const char c : pair->key) path += c == '.' ? '/' : c == '/' ? '.' : c;
        answers.read(path, pair->value);
    }
}

// --- systemctl ------------------------------------------------------------------------------------------------------------------

std::optional<std::string> unit_of(std::string_view line) {
    for (const std::string_view word : words(line)) {
        if (word.ends_with(".service") && is_name(word.substr(0, word.find('@')))) return std::string(word);
    }
    return std::nullopt;
}

bool is_unit_heading(std::string_view line) {
    return has(line.substr(0, 8), "\xE2\x97\x8F") || has(line.substr(0, 8), "\xE2\x97\x8B") ||
           has(line.substr(0, 8), "\xC3\x97") || line.starts_with("* ");
}

bool continues_systemctl(const Section& section, const Line& line) {
    if (is_unit_heading(line.text) && unit_of(line.text)) return true;
    if (section.command.has("is-active")) return section.empty();
    const auto pair = pair_of(line.text);
    return indented(line.text) && pair && !section.empty();
}

void parse_systemctl(const Section& section, Answers& answers) {
    std::string unit;
    if (const std::string_view name = section.command.operand(1); is_name(name)) {
        unit = std::string(name) + (has(name, ".") ? "" : ".service");
    }
    for (const std::string& line : section.lines) {
        if (const auto named = unit_of(line); named && is_unit_heading(line)) unit = *named;
        const std::string_view text = trim(line);
        if (unit.empty()) continue;
        const std::string path = "/sys/fs/cgroup/system.slice/" + unit;
        if (text.starts_with("Active: active (running)") || text == "active") answers.exists(path);
        if (starts_with_any(text, {"Active: inactive", "Active: failed", "inactive", "failed"})) {
            answers.failed(path + "/cgroup.procs", Errc::not_found, path + ": the unit does not run");
        }
    }
}

Fit sure_if(bool sure) { return sure ? Fit::sure : Fit::none; }

constexpr Form kForms[] = {
    {"uname", "uname -a", [](const Command& command) { return command.is("uname"); },
     [](std::span<const std::string_view> ahead) { return sure_if(is_uname(ahead[0])); }, continues_uname, parse_uname},
    {"os-release", "cat /etc/os-release",
     [](const Command& command) { return has(command.text, "-release") && (command.is("cat") || command.is("grep")); },
     begins_os, [](const Section&, const Line& line) { return is_os_line(line.text); }, parse_os},
    {"redhat-release", "", nullptr,
     [](std::span<const std::string_view> ahead) { return sure_if(is_release_line(ahead[0])); },
     [](const Section& section, const Line& line) { return section.empty() && is_release_line(line.text); },
     [](const Section& section, Answers& answers) { answers.read("/etc/redhat-release", section.lines.front()); }},
    {"ofed_info", "ofed_info -s", [](const Command& command) { return command.is("ofed_info"); },
     [](std::span<const std::string_view> ahead) { return sure_if(is_ofed(ahead[0])); },
     [](const Section& section, const Line& line) { return section.empty() && is_ofed(line.text); }, parse_ofed},
    {"lsmod", "lsmod", [](const Command& command) { return command.is("lsmod"); }, begins_lsmod, continues_lsmod,
     parse_lsmod, true},
    {"sysctl", "", [](const Command& command) { return command.is("sysctl"); },
     [](std::span<const std::string_view> ahead) { return sure_if(sysctl_of(ahead[0]).has_value()); },
     [](const Section&, const Line& line) { return sysctl_of(line.text).has_value(); }, parse_sysctl},
    {"systemctl", "systemctl status irqbalance",
     [](const Command& command) {
         return command.is("systemctl") && (command.has("status") || command.has("is-active"));
     },
     [](std::span<const std::string_view> ahead) {
         return sure_if(is_unit_heading(ahead[0]) && unit_of(ahead[0]).has_value());
     },
     continues_systemctl, parse_systemctl},
};

}  // namespace

extern const std::span<const Form> machine;
constinit const std::span<const Form> machine{kForms};

}  // namespace rd::ingest::forms
