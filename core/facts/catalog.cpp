// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/edit_distance.h"
#include "core/base/enum_names.h"

namespace rd {
namespace {

constexpr std::array<std::string_view, 9> kNatures{
    "config", "gauge", "counter", "counter32", "saturating4", "saturating8", "saturating16", "saturating32", "percent"};

}  // namespace

std::string_view name_of(Nature nature) { return kNatures[static_cast<std::size_t>(nature)]; }
bool nature_from_name(std::string_view name, Nature& out) { return from_name(kNatures, name, out); }

bool is_counter(Nature nature) {
    return nature != Nature::config && nature != Nature::gauge && nature != Nature::percent;
}

bool is_saturating(Nature nature) { return is_counter(nature) && nature >= Nature::saturating4; }

std::int64_t counter_max(Nature nature) {
    switch (nature) {
        case Nature::counter32:
        case Nature::saturating32:
            return (std::int64_t{1} << 32) - 1;
        case Nature::saturating4:
            return 15;
        case Nature::saturating8:
            return 255;
        case Nature::saturating16:
            return 65535;
        case Nature::config:
        case Nature::gauge:
        case Nature::counter:
        case Nature::percent:
            break;
    }
    return 0;
}

Result<Catalog> Catalog::build(std::span<const std::span<const FactSpec>> tables) {
    Catalog catalog;
    for (const auto& table : tables) {
        for (const FactSpec& spec : table) {
            if (!catalog.by_name_.emplace(std::pair{spec.kind, spec.name}, &spec).second) {
                return fail(Errc::bad_input, fmt::format("{}.{} is declared twice", name_of(spec.kind), spec.name));
            }
            if (spec.family) catalog.families_.push_back(&spec);
        }
    }
    for (const auto& [key, spec] : catalog.by_name_) catalog.all_.push_back(spec);
    return catalog;
}

const FactSpec* Catalog::find(Kind kind, std::string_view name) const {
    if (const auto it = by_name_.find({kind, name}); it != by_name_.end()) return it->second;
    for (const FactSpec* spec : families_) {
        if (spec->kind == kind && name.size() > spec->name.size() && name.starts_with(spec->name)) return spec;
    }
    return nullptr;
}

std::vector<std::string> Catalog::similar(Kind kind, std::string_view name) const {
    std::vector<std::pair<std::size_t, std::string>> found;
    for (const FactSpec* spec : all_) {
        if (spec->kind != kind) continue;
        const std::size_t edits = edit_distance(name, spec->name);
        if (edits <= std::max<std::size_t>(2, name.size() / 3)) found.emplace_back(edits, std::string(spec->name));
    }
    std::sort(found.begin(), found.end());
    std::vector<std::string> names;
    for (auto& [edits, text] : found) names.push_back(std::move(text));
    return names;
}

}  // namespace rd
