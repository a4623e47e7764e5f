// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/causes.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

namespace rd {
namespace {

using Links = std::vector<std::vector<std::size_t>>;  // of each finding, the indices of its causes

// How far a finding is from one without cause. Rules that name each other in a circle must not hang us: a finding met again
// on the way counts as a first cause.
class Depths {
public:
    explicit Depths(const Links& causes) : causes_(causes), depth_(causes.size(), kNew) {}

    int of(std::size_t finding) {
        if (depth_[finding] == kOpen) return 0;
        if (depth_[finding] != kNew) return depth_[finding];
        depth_[finding] = kOpen;
        int depth = 0;
        for (const std::size_t cause : causes_[finding]) depth = std::max(depth, of(cause) + 1);
        return depth_[finding] = depth;
    }

private:
    static constexpr int kNew = -1;
    static constexpr int kOpen = -2;
    const Links& causes_;
    std::vector<int> depth_;
};

}  // namespace

const std::set<Entity>& Relations::reached(const Entity& from) {
    const auto known = reached_.find(from);
    if (known != reached_.end()) return known->second;
    std::set<Entity> found{from};
    std::vector<Entity> open{from};
    const Layout& layout = history_.layout();
    while (!open.empty()) {
        const Entity entity = open.back();
        open.pop_back();
        const auto index = layout.find(entity);
        if (!index) continue;
        for (const SlotIndex slot : layout.slots_of(*index)) {
            if (layout.slot(slot).spec->type != Type::reference) continue;
            const Reading& reading = *history_.observe(entity, layout.slot(slot).name).reading;
            const auto* target = reading ? std::get_if<Entity>(&*reading) : nullptr;
            if (target != nullptr && found.insert(*target).second) open.push_back(*target);
        }
    }
    return reached_.emplace(from, std::move(found)).first->second;
}

bool Relations::related(const Entity& a, const Entity& b) {
    if (a == b || a.kind == Kind::host || b.kind == Kind::host) return true;
    const std::set<Entity>& from_a = reached(a);
    const std::set<Entity>& from_b = reached(b);
    if (from_a.contains(b) || from_b.contains(a)) return true;
    return std::any_of(from_a.begin(), from_a.end(), [&](const Entity& entity) {
        return (entity.kind == Kind::netdev || entity.kind == Kind::port) && from_b.contains(entity);
    });
}

void link_causes(std::vector<Finding>& findings, const Rulebook& book, const History& history) {
    Relations relations(history);
    Links causes(findings.size());
    for (std::size_t i = 0; i < findings.size(); ++i) {
        const Rule* rule = book.find(findings[i].rule);
        if (rule == nullptr) continue;
        for (const std::string& id : rule->caused_by) {
            for (std::size_t j = 0; j < findings.size(); ++j) {
                if (j == i || findings[j].rule != id) continue;
                if (!relations.related(findings[i].subject.entity, findings[j].subject.entity)) continue;
                causes[i].push_back(j);
            }
        }
    }
    Depths depths(causes);
    std::vector<int> depth;
    for (std::size_t i = 0; i < findings.size(); ++i) depth.push_back(depths.of(i));
    for (std::size_t i = 0; i < findings.size(); ++i) {
        // Of width → stall → storm the storm names both; what brought it about is the stall.
        std::stable_sort(causes[i].begin(), causes[i].end(),
                         [&](std::size_t a, std::size_t b) { return depth[a] > depth[b]; });
        for (const std::size_t j : causes[i])
            findings[i].causes.push_back(Cause{findings[j].rule, findings[j].subject});
    }
    std::vector<std::pair<int, Finding>> ranked;
    ranked.reserve(findings.size());
    for (std::size_t i = 0; i < findings.size(); ++i) ranked.emplace_back(depth[i], std::move(findings[i]));
    const auto key = [](const std::pair<int, Finding>& entry) {
        const Finding& finding = entry.second;
        return std::tuple(entry.first, -static_cast<int>(finding.severity), -static_cast<int>(finding.confidence),
                          std::cref(finding.subject.entity), std::cref(finding.rule));
    };
    std::sort(ranked.begin(), ranked.end(), [&](const auto& a, const auto& b) {
        const auto [da, sa, ca, ea, ra] = key(a);
        const auto [db, sb, cb, eb, rb] = key(b);
        return std::tie(da, sa, ca, ea.get(), ra.get()) < std::tie(db, sb, cb, eb.get(), rb.get());
    });
    for (std::size_t i = 0; i < ranked.size(); ++i) findings[i] = std::move(ranked[i].second);
}

void drop_explained(std::vector<Finding>& suspected, const std::vector<Finding>& findings) {
    const auto is_line = [](const NamedEvidence& one) { return one.evidence.entity.kind == Kind::log; };
    std::set<Entity> explained;
    for (const Finding& finding : findings) {
        const bool measured = !std::all_of(finding.evidence.begin(), finding.evidence.end(), is_line);
        if (!measured && finding.causes.empty()) continue;
        for (const NamedEvidence& one : finding.evidence) {
            if (is_line(one)) explained.insert(one.evidence.entity);
        }
    }
    std::erase_if(suspected, [&](const Finding& suspicion) {
        return !suspicion.evidence.empty() &&
               std::all_of(suspicion.evidence.begin(), suspicion.evidence.end(), [&](const NamedEvidence& one) {
                   return is_line(one) && explained.contains(one.evidence.entity);
               });
    });
}

CauseForest::CauseForest(const std::vector<Finding>& findings)
    : causes_(findings.size()), parent_(findings.size()), children_(findings.size()) {
    std::map<std::pair<std::string_view, Entity>, std::size_t> places;
    for (std::size_t i = 0; i < findings.size(); ++i) {
        places.emplace(std::pair<std::string_view, Entity>(findings[i].rule, findings[i].subject.entity), i);
    }
    for (std::size_t i = 0; i < findings.size(); ++i) {
        for (const Cause& cause : findings[i].causes) {
            const auto place = places.find({cause.rule, cause.subject.entity});
            if (place != places.end() && place->second != i) causes_[i].push_back(place->second);
        }
    }
    for (std::size_t i = 0; i < findings.size(); ++i) {
        if (causes_[i].empty()) continue;
        // In a circle of causes the first finding stands on top.
        bool circle = false;
        for (std::optional<std::size_t> above = causes_[i].front(); above && !circle; above = parent_[*above]) {
            circle = *above == i;
        }
        if (!circle) parent_[i] = causes_[i].front();
    }
    for (std::size_t i = 0; i < findings.size(); ++i) (parent_[i] ? children_[*parent_[i]] : roots_).push_back(i);
}

std::vector<std::size_t> CauseForest::consequences(std::size_t finding) const {
    std::vector<std::size_t> found = children_[finding];
    for (std::size_t i = 0; i < found.size(); ++i) {
        found.insert(found.end(), children_[found[i]].begin(), children_[found[i]].end());
    }
    return found;
}

std::vector<std::size_t> CauseForest::other_causes(std::size_t finding) const {
    std::set<std::size_t> above{finding};
    for (std::optional<std::size_t> at = parent_[finding]; at; at = parent_[*at]) above.insert(*at);
    std::vector<std::size_t> others;
    for (const std::size_t cause : causes_[finding]) {
        if (!above.contains(cause)) others.push_back(cause);
    }
    return others;
}

}  // namespace rd
