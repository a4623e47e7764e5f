// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/path.h"

#include <deque>
#include <set>

#include "core/base/nearest.h"
#include "core/base/text.h"

namespace rd {
namespace {

// The shortest chain of references from `scope` to a kind that has `fact`: the commonest mistake is a name without its way.
std::string chain_to(std::string_view fact, Kind scope, const Catalog& catalog) {
    struct Step {
        Kind kind;
        std::string prefix;
    };
    std::deque<Step> open{{scope, ""}};
    std::set<Kind> seen{scope};
    while (!open.empty()) {
        const Step step = open.front();
        open.pop_front();
        const FactSpec* spec = catalog.find(step.kind, fact);
        if (spec != nullptr && !spec->family) return step.prefix + std::string(fact);
        for (const FactSpec* row : catalog.all()) {
            if (row->kind != step.kind || row->type != Type::reference || !seen.insert(row->target).second) continue;
            open.push_back({row->target, step.prefix + std::string(row->name) + "."});
        }
    }
    const FactSpec* spec = catalog.find(Kind::host, fact);
    return spec != nullptr && !spec->family ? "host." + std::string(fact) : std::string{};
}

std::string hint_for(std::string_view prefix, std::string_view part, std::string_view last, Kind scope, Kind kind,
                     const Catalog& catalog) {
    const std::string chain = chain_to(last, scope, catalog);
    if (!chain.empty()) return "did you mean " + chain + "?";
    std::vector<std::string> offers;
    for (const std::string& name : catalog.similar(kind, part)) {
        if (offers.size() == 3) break;
        offers.push_back(std::string(prefix) + name);
    }
    return did_you_mean(offers);
}

}  // namespace

tl::expected<FactPath, PathComplaint> resolve_path(std::string_view text, Kind scope, const Catalog& catalog) {
    FactPath path;
    path.scope = scope;
    path.text = std::string(text);
    std::vector<std::string_view> parts = split(text, '.');
    Kind kind = scope;
    std::size_t offset = 0;
    std::size_t first = 0;
    if (parts.size() > 1 && parts[0] == "host" && catalog.find(scope, "host") == nullptr) {
        path.from_host = true;
        kind = Kind::host;
        offset = 5;
        first = 1;
    }
    for (std::size_t i = first; i < parts.size(); ++i) {
        const std::string_view part = parts[i];
        const bool last = i + 1 == parts.size();
        const FactSpec* spec = part.empty() ? nullptr : catalog.find(kind, part);
        if (spec == nullptr) {
            std::string message = std::string(name_of(kind)) + " has no fact '" + printable(part) + "'";
            return tl::unexpected(
                PathComplaint{offset, std::move(message),
                              hint_for(text.substr(0, offset), part, parts.back(), scope, kind, catalog)});
        }
        if (last) {
            path.spec = spec;
            path.name = std::string(part);
        } else if (spec->type != Type::reference) {
            return tl::unexpected(PathComplaint{offset,
                                                std::string(name_of(kind)) + "." + std::string(part) + " is " +
                                                    std::string(name_of(spec->type)) + " and leads nowhere",
                                                "only a reference can be followed by '.'"});
        } else {
            path.hops.push_back(spec);
            kind = spec->target;
        }
        offset += part.size() + 1;
    }
    return path;
}

}  // namespace rd
