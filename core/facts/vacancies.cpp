// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/vacancies.h"

#include <algorithm>
#include <chrono>
#include <tuple>

namespace rd {
namespace {

// No rule looks further back at what comes and goes.
constexpr std::chrono::nanoseconds kForGood = std::chrono::minutes(10);
// A process has some ninety facts: thirty-five kilobytes, here and there, living or not.
constexpr std::size_t kMostWaiting = 8;
// The sweep carries values over from the newest snapshot, which the history still has, and makes the next one in the memory of the one
// before. One more for whoever is a sweep behind.
constexpr std::uint64_t kSnapshotsInUse = 3;

}  // namespace

void Vacancies::saw(const Snapshot& snapshot) {
    if (kinds_ == 0) return;
    ++sweeps_;
    waiting_.clear();
    unseen_ = 0;
    const Layout& layout = snapshot.layout();
    absences_.resize(layout.entity_count());
    for (int kind = 0; kind < kKindCount; ++kind) {
        if ((kinds_ & only(static_cast<Kind>(kind))) == 0) continue;
        if (snapshot.kind_gap(static_cast<Kind>(kind)) != nullptr) unseen_ |= only(static_cast<Kind>(kind));
        for (const EntityIndex entity : layout.entities_of(static_cast<Kind>(kind))) {
            Absence& absence = absences_[entity];
            if (snapshot.has(entity) || layout.vacant(entity)) {
                absence = {};
                continue;
            }
            if (absence.since == 0) absence = {sweeps_, snapshot.stamp().boot_ns};
            waiting_.push_back(entity);
        }
    }
}

std::vector<EntityIndex> Vacancies::gone(const Layout& layout, std::int64_t now_ns) const {
    const auto listed = [&](EntityIndex entity) { return (unseen_ & only(layout.entity(entity).kind)) == 0; };
    std::vector<EntityIndex> waiting = waiting_, gone;
    // In the order of their going, so that whose place is given away does not depend on chance.
    std::sort(waiting.begin(), waiting.end(), [&](EntityIndex a, EntityIndex b) {
        return std::tie(absences_[a].since, a) < std::tie(absences_[b].since, b);
    });
    auto left = static_cast<std::size_t>(std::count_if(waiting.begin(), waiting.end(), listed));
    for (const EntityIndex entity : waiting) {
        const Absence& absence = absences_[entity];
        if (sweeps_ - absence.since + 1 < kSnapshotsInUse) break;
        const bool too_many = listed(entity) && left > kMostWaiting;
        if (!too_many && now_ns - absence.since_ns < kForGood.count()) continue;
        if (listed(entity)) --left;
        gone.push_back(entity);
    }
    return gone;
}

void Vacancies::retire(Layout& layout, std::int64_t now_ns, std::initializer_list<const Lanes*> lanes) {
    if (waiting_.empty()) return;
    const std::vector<EntityIndex> all = gone(layout, now_ns);
    if (all.empty()) return;
    std::vector<bool> written(layout.entity_count(), false);
    for (const Lanes* some : lanes) {
        for (const auto& [name, lane] : *some) lane->mark_places(layout, written);
    }
    for (const EntityIndex entity : all) {
        if (written[entity]) continue;
        layout.retire(entity);
        absences_[entity] = {};
    }
}

}  // namespace rd
