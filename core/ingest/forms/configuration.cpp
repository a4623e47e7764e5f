// SPDX-License-Identifier: GPL-2.0-or-later
// Configuration files that are pasted without their names, as far as what stands in them tells which they are. Only the settings that a
// collector asks for are taken out of them (core/host/settings.h).
#include <algorithm>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

// --- ceph.conf ------------------------------------------------------------------------------------------------------------------

std::optional<Pair> setting_of(std::string_view line) {
    const auto pair = pair_of(line, '=');
    if (!pair) return std::nullopt;
    const bool name = std::all_of(pair->key.begin(), pair->key.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == ' ';
    });
    return name && pair->key.size() < 64 ? pair : std::nullopt;
}

bool is_section(std::string_view line) {
    line = trim(line);
    return line.size() > 2 && line.starts_with('[') && line.ends_with(']') && !has(line, " ");
}

// "ms_async_rdma_device_name", which people write with spaces as well.
bool is_of_ceph(std::string_view line) {
    const auto pair = setting_of(line);
    if (!pair) return false;
    std::string key(pair->key);
    std::replace(key.begin(), key.end(), ' ', '_');
    return starts_with_any(key, {"ms_type", "ms_async_", "ms_cluster_type", "ms_public_type", "mon_host",
                                 "mon_initial_members", "osd_pool_default_", "auth_cluster_required"});
}

Fit begins_ceph(std::span<const std::string_view> ahead) {
    const std::string_view first = trim(ahead[0]);
    const bool opens =
        is_section(first) && starts_with_any(first, {"[global]", "[osd", "[mon", "[mgr", "[mds", "[client"});
    if (opens && std::any_of(ahead.begin() + 1, ahead.end(), is_of_ceph)) return Fit::sure;
    return is_of_ceph(first) && starts_with_any(first, {"ms_", "ms "}) ? Fit::sure : Fit::none;
}

bool continues_ceph(const Section&, const Line& line) {
    const std::string_view text = line.trimmed();
    return is_section(text) || setting_of(text).has_value() || starts_with_any(text, {"#", ";", "//"});
}

void parse_ceph(const Section& section, Answers& answers) {
    std::string text;
    for (const std::string& line : section.lines) text.append(trim(line)).append("\n");
    answers.read("/etc/ceph/ceph.conf", text);
}

constexpr Form kForms[] = {
    {"ceph.conf", "cat /etc/ceph/ceph.conf", nullptr, begins_ceph, continues_ceph, parse_ceph},
};

}  // namespace

extern const std::span<const Form> configuration;
constinit const std::span<const Form> configuration{kForms};

}  // namespace rd::ingest::forms
