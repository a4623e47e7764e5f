// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/tracker.h"

#include <set>

namespace rd {
namespace {

bool is_finding(State state) { return state == State::firing || state == State::pending; }

}  // namespace

std::vector<Tracker::Change> Tracker::update(std::vector<Verdict>& verdicts, Stamp now) {
    std::vector<Change> changes;
    std::set<std::pair<std::string, Entity>> seen;
    std::set<std::string> blind;    // rules whose subjects could not be enumerated
    std::set<std::string> sighted;  // rules with some subject; the verdict on the host comes after theirs
    const auto move = [&](const std::pair<std::string, Entity>& key, Track& track, State to) {
        if (track.state == to) return;
        changes.push_back(Change{key.first, key.second, track.state, to, now});
        track.state = to;
    };
    for (Verdict& verdict : verdicts) {
        const std::pair<std::string, Entity> key{verdict.rule->id, verdict.subject};
        seen.insert(key);
        const bool of_scope = verdict.subject.kind == verdict.rule->scope;
        if (of_scope) sighted.insert(verdict.rule->id);
        if (!of_scope && verdict.state == State::unknown) {
            // Processes come and go: one that is no longer among those we may see has ended, or its track would stay for ever.
            const bool partly = verdict.rule->scope == Kind::process && sighted.contains(verdict.rule->id);
            if (!partly) blind.insert(verdict.rule->id);
        }
        const auto found = tracks_.find(key);
        const bool tracked = found != tracks_.end() && is_finding(found->second.state);
        if (verdict.state == State::firing) {
            Track& track = tracks_[key];
            if (!track.yes) track.first_yes = track.since = now;
            track.yes = true;
            const bool held = now.boot_ns - track.first_yes.boot_ns >= verdict.rule->hold.count();
            move(key, track, held || track.state == State::firing ? State::firing : State::pending);
            verdict.state = track.state;
            verdict.since = track.since;
        } else if ((verdict.state == State::unknown || verdict.state == State::suspected) && tracked) {
            verdict.since = found->second.since;  // not seen is not healed
        } else if (verdict.state == State::suspected) {
            Track& track = tracks_[key];
            if (track.state != State::suspected) track.since = now;
            move(key, track, State::suspected);
            verdict.since = track.since;
        } else if (found != tracks_.end() && verdict.state != State::unknown) {
            move(key, found->second, verdict.state);
            tracks_.erase(found);
        }
    }
    // What is no longer judged at all (the entity is gone, the rule is disabled) has ended, unless nobody could look.
    for (auto it = tracks_.begin(); it != tracks_.end();) {
        if (seen.contains(it->first) || blind.contains(it->first.first)) {
            ++it;
            continue;
        }
        move(it->first, it->second, State::not_applicable);
        it = tracks_.erase(it);
    }
    return changes;
}

Stamp Tracker::since(const std::string& rule, const Entity& subject) const {
    const auto found = tracks_.find({rule, subject});
    return found != tracks_.end() ? found->second.since : Stamp{};
}

}  // namespace rd
