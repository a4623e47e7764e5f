// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/tracker.h"

namespace rd {
namespace {

bool is_finding(State state) { return state == State::firing || state == State::pending; }

}  // namespace

void Tracker::move(const Key& key, Track& track, State to, Stamp now, Changes& changes) {
    if (track.state == to) return;
    changes.push_back(Change{key.first, key.second, track.state, to, now});
    track.state = to;
}

void Tracker::see(const Key& key, State state, std::chrono::nanoseconds hold, Stamp now, Changes& changes) {
    const auto found = tracks_.find(key);
    const bool tracked = found != tracks_.end() && is_finding(found->second.state);
    if (state == State::firing) {
        Track& track = tracks_[key];
        if (!track.yes) track.first_yes = track.since = now;
        track.yes = true;
        const bool held = now.boot_ns - track.first_yes.boot_ns >= hold.count();
        move(key, track, held || track.state == State::firing ? State::firing : State::pending, now, changes);
    } else if (state == State::suspected && !tracked) {
        Track& track = tracks_[key];
        if (track.state != State::suspected) track.since = now;
        move(key, track, State::suspected, now, changes);
    } else if (found != tracks_.end() && state != State::unknown && state != State::suspected) {
        move(key, found->second, state, now, changes);
        tracks_.erase(found);
    }
}

void Tracker::count(const Rule& rule, const Entity& subject, State state, int by) {
    Sight& sight = sights_[rule.id];
    sight.scope = rule.scope;
    if (subject.kind == rule.scope) {
        sight.subjects += by;
    } else if (state == State::unknown) {
        sight.unseen += by;
    }
}

// Processes come and go: one that is no longer among those we may see has ended, or its track would stay for ever.
bool Tracker::blind(const Sight& sight) {
    return sight.unseen > 0 && !(sight.scope == Kind::process && sight.subjects > 0);
}

std::vector<Tracker::Change> Tracker::update(std::vector<Verdict>& verdicts, Stamp now) {
    Changes changes;
    std::set<Key> seen;
    sights_.clear();
    for (const Verdict& verdict : verdicts) {
        const Key key{verdict.rule->id, verdict.subject};
        seen.insert(key);
        count(*verdict.rule, verdict.subject, verdict.state, 1);
        see(key, verdict.state, verdict.rule->hold, now, changes);
    }
    // What is no longer judged at all (the entity is gone, the rule is disabled) has ended, unless nobody could look.
    for (auto it = tracks_.begin(); it != tracks_.end();) {
        const auto sight = sights_.find(it->first.first);
        if (seen.contains(it->first) || (sight != sights_.end() && blind(sight->second))) {
            ++it;
            continue;
        }
        move(it->first, it->second, State::not_applicable, now, changes);
        it = tracks_.erase(it);
    }
    tell(verdicts);
    return changes;
}

std::vector<Tracker::Change> Tracker::update(const std::vector<Judge::Change>& judged, Stamp now) {
    Changes changes;
    for (const Judge::Change& one : judged) {
        const Key key{one.rule->id, one.subject};
        if (one.from) count(*one.rule, one.subject, *one.from, -1);
        if (one.to) count(*one.rule, one.subject, *one.to, 1);
        waiting_.erase(key);
        lost_.erase(key);
        if (!one.to) {
            if (tracks_.contains(key)) lost_.insert(key);
            continue;
        }
        see(key, *one.to, one.rule->hold, now, changes);
        const auto track = tracks_.find(key);
        if (*one.to == State::firing && track->second.state == State::pending) waiting_.emplace(key, one.rule->hold);
    }
    std::erase_if(waiting_, [&](const auto& waiting) {
        see(waiting.first, State::firing, waiting.second, now, changes);
        return tracks_.find(waiting.first)->second.state == State::firing;
    });
    std::erase_if(lost_, [&](const Key& key) {
        if (blind(sights_[key.first])) return false;
        const auto track = tracks_.find(key);
        move(key, track->second, State::not_applicable, now, changes);
        tracks_.erase(track);
        return true;
    });
    return changes;
}

void Tracker::tell(std::vector<Verdict>& verdicts) const {
    for (Verdict& verdict : verdicts) {
        if (verdict.state == State::quiet || verdict.state == State::not_applicable) continue;
        const auto found = tracks_.find({verdict.rule->id, verdict.subject});
        if (found == tracks_.end()) continue;
        const Track& track = found->second;
        if (verdict.state == State::unknown && !is_finding(track.state)) continue;
        if (verdict.state == State::firing) verdict.state = track.state;
        verdict.since = track.since;
    }
}

Stamp Tracker::since(const std::string& rule, const Entity& subject) const {
    const auto found = tracks_.find({rule, subject});
    return found != tracks_.end() ? found->second.since : Stamp{};
}

std::vector<Tracker::Firing> Tracker::firing() const {
    std::vector<Firing> all;
    for (const auto& [key, track] : tracks_) {
        if (track.state == State::firing) all.push_back({key.first, key.second, track.since});
    }
    return all;
}

bool Tracker::blind(const std::string& rule) const {
    const auto sight = sights_.find(rule);
    return sight != sights_.end() && blind(sight->second);
}

bool Tracker::fires(const std::string& rule, const Entity& subject) const {
    const auto found = tracks_.find({rule, subject});
    return found != tracks_.end() && found->second.state == State::firing;
}

}  // namespace rd
