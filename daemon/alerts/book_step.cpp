// SPDX-License-Identifier: GPL-2.0-or-later
// What is told of an alert, and when: the second half of the book.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "daemon/alerts/book.h"

namespace rd::daemon {
namespace {

bool matches(std::string_view pattern, std::string_view text) {
    if (pattern.empty()) return true;
    if (pattern.ends_with('*')) return text.starts_with(pattern.substr(0, pattern.size() - 1));
    return pattern == text;
}

}  // namespace

// FNV-1a: a few thousand keys are told apart, and the value must never change from version to version.
std::string AlertBook::fingerprint(std::string_view key) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char byte : key) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    return fmt::format("{:016x}", hash);
}

bool AlertBook::excused(const Track& track) const {
    return std::ranges::any_of(track.told, [](const auto& entry) { return entry.second.excuses; });
}

// Who tells most: the reason that it is on purpose, then the worst, then rules before events, for they explain.
const AlertBook::Told& AlertBook::lead(const Track& track) const {
    if (!track.firing()) return track.last;
    return std::ranges::max_element(track.told,
                                    [](const auto& a, const auto& b) {
                                        const auto rank = [](const Told& told) {
                                            return std::tuple(told.excuses, told.severity, !told.sign.event);
                                        };
                                        return rank(a.second) < rank(b.second);
                                    })
        ->second;
}

Severity AlertBook::severity_of(const Track& track) const {
    if (!track.firing()) return track.raised ? track.worst : track.last.severity;
    if (excused(track)) return Severity::info;
    Severity worst = track.raised ? track.worst : Severity::info;
    for (const auto& [sign, told] : track.told) worst = std::max(worst, told.severity);
    return worst;
}

// What flaps faster than the hold would never be told.
bool AlertBook::held(const Track& track) const {
    return track.flapping || now_.boot_ns - track.firing_from >= config_.hold.count() ||
           std::ranges::any_of(track.told, [](const auto& entry) { return entry.second.sign.event; });
}

const Silence* AlertBook::silenced(const Track& track) const {
    for (const Silence& silence : silences_) {
        if (silence.severity && *silence.severity != severity_of(track)) continue;
        if (!matches(silence.subject, track.subject.name) && std::ranges::none_of(track.told, [&](const auto& entry) {
                return matches(silence.subject, entry.second.sign.subject.name);
            })) {
            continue;
        }
        if (matches(silence.rule, track.name) || std::ranges::any_of(track.told, [&](const auto& entry) {
                return matches(silence.rule, entry.second.sign.rule);
            })) {
            return &silence;
        }
    }
    return nullptr;
}

const AlertBook::Track* AlertBook::cause_of(const Track& track, const Cause& cause) const {
    const auto found = findings_.find({cause.rule, cause.subject.entity});
    if (found == findings_.end()) return nullptr;
    const Track& of = tracks_.at(found->second);
    // One that nobody will be told of holds nothing back.
    return &of != &track && severity_of(of) >= config_.least ? &of : nullptr;
}

bool AlertBook::caused(const Track& track) const {
    return track.firing() && std::ranges::all_of(track.told, [&](const auto& entry) {
               return std::ranges::any_of(entry.second.causes,
                                          [&](const Cause& cause) { return cause_of(track, cause) != nullptr; });
           });
}

bool AlertBook::reaches_root(const Track& track, std::vector<const Track*>& seen) const {
    if (std::ranges::find(seen, &track) != seen.end()) return false;
    seen.push_back(&track);
    if (!caused(track)) return true;
    for (const auto& [sign, told] : track.told) {
        for (const Cause& cause : told.causes) {
            const Track* of = cause_of(track, cause);
            if (of != nullptr && reaches_root(*of, seen)) return true;
        }
    }
    return false;
}

// Held back under a cause. Two that name each other hold nothing back: somebody must be told.
bool AlertBook::folded(const Track& track) const {
    if (!caused(track)) return false;
    std::vector<const Track*> seen;
    return reaches_root(track, seen);
}

void AlertBook::tell(Item& item, Deed deed, Reason reason, Actions& out) {
    Track& track = item.second;
    if (track.firing()) {
        track.worst = severity_of(track);
        track.told_severity = track.worst;
        track.told_excused = excused(track);
        track.told_flapping = track.flapping;
    }
    track.raised = deed != Deed::clear;
    track.told_at = now_.boot_ns;
    out.push_back(Action{deed, reason, view(item), now_});
}

void AlertBook::step_firing(Item& item, Actions& out) {
    Track& track = item.second;
    const Severity severity = severity_of(track);
    if (track.acknowledged && severity > track.acknowledged_severity) track.acknowledged.reset();
    if (track.acknowledged || silenced(track) != nullptr) return;
    if (!track.raised) {
        if (severity >= config_.least && held(track) && !folded(track)) tell(item, Deed::raise, Reason::began, out);
        return;
    }
    track.worst = excused(track) ? track.worst : severity;
    if (track.flapping && !track.told_flapping) return tell(item, Deed::update, Reason::flapping, out);
    if (severity > track.told_severity) {
        if (!(track.flapping && track.told_excused)) tell(item, Deed::update, Reason::worse, out);
        return;
    }
    if (track.flapping) return;
    if (track.told_flapping) return tell(item, Deed::update, Reason::steady, out);
    if (excused(track) && !track.told_excused) return tell(item, Deed::update, Reason::on_purpose, out);
    if (config_.repeat.count() > 0 && now_.boot_ns - track.told_at >= config_.repeat.count() && !folded(track)) {
        tell(item, Deed::update, Reason::repeated, out);
    }
}

void AlertBook::step_quiet(Item& item, Actions& out) {
    Track& track = item.second;
    if (track.flapping || now_.boot_ns - track.quiet_from < config_.clear_after.count()) return;
    if (track.raised) {
        tell(item, Deed::clear, Reason::over, out);
        forget_causes(item.first);
    }
    track.acknowledged.reset();
    track.told_flapping = track.told_excused = false;
    track.told_severity = Severity::info;
}

void AlertBook::forget_causes(const Key& key) {
    std::erase_if(findings_, [&](const auto& entry) { return entry.second == key; });
}

// Its last beginning or end; what the kernel counts while it lasts are beginnings.
std::int64_t AlertBook::changed(const Track& track) {
    const std::int64_t began = track.starts.empty() ? track.firing_from : track.starts.back();
    return std::max({began, track.firing_from, track.quiet_from});
}

void AlertBook::age(Track& track) const {
    std::erase_if(track.starts,
                  [&](std::int64_t start) { return now_.boot_ns - start >= config_.flap_window.count(); });
    if (track.starts.size() >= static_cast<std::size_t>(config_.flap_count)) track.flapping = true;
    if (now_.boot_ns - changed(track) >= config_.flap_window.count()) track.flapping = false;
}

void AlertBook::step(Item& item, Actions& out) {
    Track& track = item.second;
    age(track);
    if (track.firing()) {
        step_firing(item, out);
    } else {
        step_quiet(item, out);
    }
    // Counted anew from the last time it was steady.
    if (!track.flapping && track.starts.empty()) track.times = track.firing() ? 1 : 0;
}

void AlertBook::expire() {
    std::erase_if(silences_, [&](const Silence& silence) { return silence.until.boot_ns <= now_.boot_ns; });
    for (auto& [key, track] : tracks_) {
        std::vector<std::string> over;
        for (const auto& [sign, told] : track.told) {
            if (told.expires != 0 && told.expires <= now_.boot_ns) over.push_back(sign);
        }
        for (const std::string& sign : over) drop(track, sign);
    }
}

AlertBook::Actions AlertBook::step() {
    expire();
    Actions out;
    // What is over first: then what that held back.
    for (const bool firing : {false, true}) {
        for (Item& item : tracks_) {
            if (item.second.firing() == firing) step(item, out);
        }
    }
    std::ranges::stable_sort(out, [](const Action& a, const Action& b) {
        return std::pair(a.deed != Deed::clear, b.alert.severity) < std::pair(b.deed != Deed::clear, a.alert.severity);
    });
    std::erase_if(tracks_, [&](const Item& item) {
        const Track& track = item.second;
        return !track.firing() && !track.raised && !track.flapping && track.starts.empty() &&
               now_.boot_ns - track.quiet_from >= config_.clear_after.count();
    });
    return out;
}

std::optional<std::int64_t> AlertBook::due() const {
    std::optional<std::int64_t> first;
    const auto at = [&](std::int64_t time) {
        if (time > now_.boot_ns) first = std::min(first.value_or(time), time);
    };
    for (const Silence& silence : silences_) at(silence.until.boot_ns);
    for (const auto& [key, track] : tracks_) {
        if (!track.starts.empty()) at(track.starts.back() + config_.flap_window.count());
        if (track.flapping) at(changed(track) + config_.flap_window.count());
        if (!track.firing()) at(track.quiet_from + config_.clear_after.count());
        if (track.firing() && !track.raised) at(track.firing_from + config_.hold.count());
        if (track.firing() && track.raised && config_.repeat.count() > 0) at(track.told_at + config_.repeat.count());
        for (const auto& [sign, told] : track.told) at(told.expires);
    }
    return first;
}

std::vector<std::string> AlertBook::consequences(const Track& of) const {
    std::vector<std::string> out;
    for (const auto& [key, track] : tracks_) {
        if (track.raised || &track == &of || !folded(track)) continue;
        for (const auto& [sign, told] : track.told) {
            if (std::ranges::none_of(told.causes, [&](const Cause& cause) { return cause_of(track, cause) == &of; })) {
                continue;
            }
            out.push_back(fmt::format("{} on {}", track.name, track.subject.name));
            break;
        }
    }
    return out;
}

Alert AlertBook::view(const Item& item) const {
    const Track& track = item.second;
    const Told& told = lead(track);
    Alert alert;
    alert.fingerprint = fingerprint(item.first);
    alert.name = track.name;
    alert.subject = track.subject;
    alert.rule = told.sign.rule;
    alert.title = told.title;
    alert.text = told.text;
    alert.evidence = told.evidence;
    for (const auto& [sign, by] : track.told) {
        alert.told_by.push_back(fmt::format("{} on {}", by.sign.rule, by.sign.subject.name));
    }
    alert.consequences = consequences(track);
    alert.severity = severity_of(track);
    alert.since = track.since;
    alert.raised = track.raised;
    alert.firing = track.firing();
    alert.flapping = track.flapping;
    alert.times = track.times;
    alert.silenced = silenced(track) != nullptr;
    alert.acknowledged = track.acknowledged;
    return alert;
}

}  // namespace rd::daemon
