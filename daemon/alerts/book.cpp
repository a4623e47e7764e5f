// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/alerts/book.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace rd::daemon {
namespace {

std::string sign_of(const FindingChange& change) {
    return fmt::format("{} {}:{}", change.rule, name_of(change.subject.entity.kind), change.subject.entity.id);
}

// Of an event: what raises it may have another name than what clears it.
std::string sign_of(const EventKind& kind, const Happening& happening) {
    return fmt::format("{}! {}", kind.sign, happening.subject);
}

// The port, where its link is what it is about: its interface loses the carrier, and the port its link, as one.
const Subject& thing_of(std::string_view trouble, const Subject& subject, const std::optional<Subject>& port) {
    return trouble == kLink && port ? *port : subject;
}

}  // namespace

AlertBook::AlertBook(BookConfig config) : config_(std::move(config)) {}

AlertBook::Key AlertBook::key_of(std::string_view trouble, const Subject& thing, bool known) const {
    Key exact = known ? fmt::format("{} {}:{}", trouble, name_of(thing.entity.kind), thing.entity.id)
                      : fmt::format("{} {}", trouble, thing.name);
    if (tracks_.contains(exact)) return exact;
    // Of a thing that is gone, or not yet seen, there is only the kernel's name: the alert on it may have been raised when more was
    // known of it, or less.
    for (const auto& [key, track] : tracks_) {
        if (track.name == trouble && track.subject.name == thing.name && !(known && track.known)) return key;
    }
    return exact;
}

AlertBook::Track* AlertBook::track(std::string_view trouble, const Subject& thing, bool known) {
    Key key = key_of(trouble, thing, known);
    if (const auto found = tracks_.find(key); found != tracks_.end()) return &found->second;
    if (tracks_.size() >= kMostAlerts) {
        // One that is only remembered for the sake of flapping makes room.
        const auto idle = std::ranges::find_if(
            tracks_, [](const Item& item) { return !item.second.firing() && !item.second.raised; });
        if (idle == tracks_.end()) {
            ++refused_;
            return nullptr;
        }
        tracks_.erase(idle);
    }
    Track fresh;
    fresh.name = trouble;
    fresh.subject = thing;
    fresh.known = known;
    return &tracks_.emplace(std::move(key), std::move(fresh)).first->second;
}

void AlertBook::count(Track& track, std::uint64_t times) {
    track.times += times;
    const auto most = static_cast<std::size_t>(config_.flap_count);
    track.starts.insert(track.starts.end(), std::min<std::size_t>(times, most), now_.boot_ns);
    if (track.starts.size() > most) {
        track.starts.erase(track.starts.begin(), track.starts.end() - static_cast<std::ptrdiff_t>(most));
    }
}

void AlertBook::put(Track& track, std::string sign, Told told, std::uint64_t times) {
    if (!track.firing()) {
        track.firing_from = now_.boot_ns;
        if (!track.raised) {
            track.since = told.at;
            track.worst = Severity::info;
        }
        count(track, times);
    } else if (times > 1) {
        count(track, times - 1);  // the one that is there already was told by somebody else
    }
    const auto [place, fresh] = track.told.try_emplace(std::move(sign), told);
    if (!fresh) {
        told.at = place->second.at;  // goes on
        place->second = std::move(told);
    }
}

void AlertBook::drop(Track& track, const std::string& sign) {
    const auto found = track.told.find(sign);
    if (found == track.told.end()) return;
    track.last = lead(track);
    const bool excused = found->second.excuses;
    // It holds back what it caused until its alert is over, lest the end of a trouble raise what ends with it a moment later.
    if (!found->second.sign.event && !track.raised) {
        findings_.erase({found->second.sign.rule, found->second.sign.subject.entity});
    }
    track.told.erase(found);
    if (!track.firing()) {
        track.quiet_from = now_.boot_ns;
    } else if (excused) {
        count(track, 1);  // on purpose and not on purpose in turn is coming and going too
    }
}

void AlertBook::advance(Stamp now) {
    now_.boot_ns = std::max(now_.boot_ns, now.boot_ns);
    now_.wall_ns = now.wall_ns;
}

AlertBook::Actions AlertBook::take(std::span<const FindingChange> changes, Stamp now) {
    advance(now);
    for (const FindingChange& change : changes) {
        const std::string_view trouble = trouble_of(change.rule);
        const std::string sign = sign_of(change);
        const std::pair<std::string, Entity> finding{change.rule, change.subject.entity};
        if (change.to != State::firing) {
            if (const auto found = findings_.find(finding); found != findings_.end()) {
                drop(tracks_.at(found->second), sign);
            }
            continue;
        }
        const auto there = findings_.find(finding);  // the port of its interface may be known only now
        Track* into = there != findings_.end() ? &tracks_.at(there->second)
                                               : track(trouble, thing_of(trouble, change.subject, change.port), true);
        if (into == nullptr) continue;
        if (there == findings_.end()) {
            findings_.emplace(finding, key_of(trouble, into->subject, into->known));
        }
        Told told{{false, change.rule, change.subject},
                  change.severity,
                  change.title,
                  change.text,
                  change.evidence,
                  change.causes,
                  false,
                  change.at,
                  0};
        put(*into, sign, std::move(told), 1);
    }
    return step();
}

AlertBook::Actions AlertBook::take(const Happening& happening) {
    advance(happening.at);
    for (const EventKind& kind : event_kinds()) {
        if (!applies(kind, happening)) continue;
        const Subject subject{happening.entity.value_or(Entity{}), happening.subject};
        const Subject& thing = thing_of(kind.trouble, subject, happening.port);
        const bool known = happening.entity.has_value() || &thing != &subject;
        if (kind.effect == EventKind::Effect::clears) {
            const auto found = tracks_.find(key_of(kind.trouble, thing, known));
            if (found != tracks_.end()) drop(found->second, sign_of(kind, happening));
            continue;
        }
        Track* into = track(kind.trouble, thing, known);
        if (into == nullptr) continue;
        Told told;
        told.sign = {true, fmt::format("{}/{}", happening.source, happening.name), subject};
        told.severity = kind.severity;
        told.title = kind.title;
        told.text = kind.text;
        for (const auto& [key, value] : happening.details) told.evidence.push_back(fmt::format("{} {}", key, value));
        told.excuses = kind.effect == EventKind::Effect::excuses;
        told.at = happening.at;
        if (kind.expires.count() != 0) told.expires = now_.boot_ns + nanoseconds(kind.expires).count();
        put(*into, sign_of(kind, happening), std::move(told),
            told.excuses ? 1 : std::max<std::uint64_t>(happening.count, 1));
    }
    return step();
}

AlertBook::Actions AlertBook::tick(Stamp now) {
    advance(now);
    return step();
}

AlertBook::Actions AlertBook::settle(Stamp seen, const std::function<bool(const Sign&)>& stands) {
    advance(seen);
    for (auto& [key, track] : tracks_) {
        std::vector<std::string> gone;
        for (const auto& [sign, told] : track.told) {
            if (told.at.boot_ns <= seen.boot_ns && !stands(told.sign)) gone.push_back(sign);
        }
        for (const std::string& sign : gone) drop(track, sign);
    }
    return step();
}

Result<AlertBook::Actions> AlertBook::acknowledge(std::string_view fingerprint, std::string by, std::string comment,
                                                  Stamp now) {
    advance(now);
    for (Item& item : tracks_) {
        Track& track = item.second;
        if (!(track.raised || track.firing()) || AlertBook::fingerprint(item.first) != fingerprint) continue;
        track.acknowledged = Acknowledgement{std::move(by), std::move(comment), now};
        track.acknowledged_severity = severity_of(track);
        Actions out;
        if (track.raised) tell(item, Deed::update, Reason::acknowledged, out);
        for (Action& action : step()) out.push_back(std::move(action));
        return out;
    }
    return fail(Errc::not_found, fmt::format("no alert '{}'", printable(fingerprint)), "see: rdmadoctor alerts list");
}

Result<std::string> AlertBook::silence(Silence silence, Stamp now) {
    advance(now);
    if (silence.rule.empty() && silence.subject.empty() && !silence.severity) {
        return fail(Errc::bad_input, "a silence must say of which rule, subject or severity");
    }
    if (silence.until.boot_ns <= now_.boot_ns) return fail(Errc::bad_input, "a silence must end in the future");
    if (silences_.size() >= kMostAlerts) return fail(Errc::limit, "too many silences");
    silence.id = fmt::format("s{}", next_silence_++);
    silence.from = now;
    silences_.push_back(std::move(silence));
    return silences_.back().id;
}

Result<AlertBook::Actions> AlertBook::unsilence(std::string_view id, Stamp now) {
    advance(now);
    if (std::erase_if(silences_, [&](const Silence& silence) { return silence.id == id; }) == 0) {
        return fail(Errc::not_found, fmt::format("no silence '{}'", printable(id)), "see: rdmadoctor alerts list");
    }
    return step();
}

std::vector<Alert> AlertBook::alerts() const {
    std::vector<Alert> out;
    for (const Item& item : tracks_) {
        if (item.second.raised || item.second.firing()) out.push_back(view(item));
    }
    std::ranges::stable_sort(out, [](const Alert& a, const Alert& b) { return a.severity > b.severity; });
    return out;
}

}  // namespace rd::daemon
