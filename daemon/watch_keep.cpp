// SPDX-License-Identifier: GPL-2.0-or-later
// What of a watched host is kept, and what is said of that which could not be.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/footprint.h"
#include "daemon/watch.h"

namespace rd::daemon {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000, kSecond = 1000 * kMillisecond, kHour = 3600 * kSecond;
constexpr std::int64_t kTryAgain = 60 * kSecond;
constexpr std::uint64_t kMeasure = 60;  // sweeps
constexpr std::size_t kMostHeld = 300;  // beginnings and ends of findings

std::string print_details(const HostEvent& event) {
    std::string text;
    for (const auto& [key, value] : event.details) {
        if (!text.empty()) text += ' ';
        text += key + "=" + value;
    }
    return text;
}

// Of one matter, however it is said: what one statement cannot write the next one cannot either.
bool alike(const Error& one, const Error& other) { return one.code == other.code && one.remedy == other.remedy; }

}  // namespace

void Watch::open_store() {
    tried_ = host_->now();
    if (options_.store.empty()) return;
    auto opened =
        store::Store::open(options_.store, host_->identity().boot_id, tried_, options_.limits, sweep_facts(), &damage_);
    if (!opened) return trouble(opened.error());
    store_ = std::move(*opened);
    trouble_.reset();
    hour_ = -1;
    rows_.clear();  // they were rows of another file
    behind_ = true;
    retry_ = 0;
    if (hole_) tell_of_hole();
}

// Said once for as long as it lasts. What is damaged, or has gone, is opened anew, which sets it aside or begins another.
void Watch::trouble(const Error& error) {
    if (!trouble_ || !alike(*trouble_, error)) notes_.push_back("store: " + describe(error));
    trouble_ = error;
    Stamp since = host_->now();
    if (store_ && (error.code == Errc::bad_input || error.code == Errc::not_found)) {
        if (error.code == Errc::bad_input) damage_ = error;
        // With it goes what it has taken in and not written.
        since.boot_ns -= store_->unwritten() * kMillisecond;
        since.wall_ns -= store_->unwritten() * kMillisecond;
        close_store();
    }
    if (store_ || (hole_ && hole_->closed)) return;
    if (!hole_) hole_ = Hole{since, {}};
    if (since.boot_ns < hole_->since.boot_ns) hole_->since = since;
    hole_->why = describe(error);
    hole_->closed = true;
}

void Watch::close_store() {
    take_notes();
    store_.reset();
}

void Watch::take_notes() {
    if (!store_) return;
    for (std::string& note : store_->notes()) notes_.push_back("store: " + note);
}

// What is not written can be written later, but not as long as there is no room.
void Watch::trouble_with_write(const Error& error) {
    if (host_->now().boot_ns >= retry_) retry_ = host_->now().boot_ns + kTryAgain;
    trouble(error);
}

void Watch::lose(std::uint64_t events, const Error& error) {
    if (!hole_) hole_ = Hole{host_->now(), describe(error)};
    hole_->events += events;
    trouble_with_write(error);
}

std::string Watch::describe_hole() const {
    return fmt::format(
        "{} for {} s; events lost: {}{} ({})",
        hole_->closed ? "there was no store, so nothing is kept," : "the store could not be written",
        (host_->now().boot_ns - hole_->since.boot_ns + kSecond / 2) / kSecond, hole_->events,
        hole_->findings == 0 ? "" : fmt::format(", beginnings and ends of findings: {}", hole_->findings), hole_->why);
}

// What happened while nothing could be written is in no store.
void Watch::tell_of_hole() {
    store::Event event;
    event.at = host_->now();
    event.source = "store";
    event.name = "lost";
    event.details = describe_hole();
    if (auto row = store_->add({&event, 1}); !row) return trouble_with_write(row.error());
    notes_.push_back("store: " + event.details);
    hole_.reset();
}

void Watch::keep(const Snapshot& snapshot) {
    const std::int64_t now = host_->now().boot_ns;
    if (!store_ && now - tried_.boot_ns >= kTryAgain) open_store();
    if (!store_) return;
    auto done = store_->append(snapshot);
    const std::int64_t hour = snapshot.stamp().boot_ns / kHour;
    if (done && hour != hour_) {
        // What fails is tried in the next hour: before that it would only hold up what could be written.
        hour_ = hour;
        done = store_->maintain();
        give_back_what_is_idle();
    }
    if (health_.sweeps % kMeasure == 0) {
        if (const auto bytes = store_->bytes()) health_.store_bytes = *bytes;
    }
    // Each has its own time for the next try. What is less, a finding or an event, may find room where these did not.
    if (!done) return trouble(done.error());
    if (hole_ && now >= retry_) tell_of_hole();
    // Most of the time nothing is written, which does not mean that it could be.
    if (store_ && !hole_ && !behind_ && held_.empty() && !store_->behind()) trouble_.reset();
}

void Watch::keep(const std::vector<FindingChange>& changes) {
    if (options_.store.empty()) return;
    hold(changes);
    if (host_->now().boot_ns >= retry_) {
        write_held();
        keep_again();
        settle_inherited();
    }
    hold_no_more_than(kMostHeld);
}

void Watch::hold(const std::vector<FindingChange>& changes) {
    if (changes.empty()) return;
    Held held{history_.last(), {}};
    for (const FindingChange& change : changes) {
        if (change.to == State::firing) {
            held.found.begun.push_back(row_of(change));
        } else {
            held.found.ended.push_back({change.rule, change.subject.entity});
        }
    }
    held_.push_back(std::move(held));
}

// The first are lost.
void Watch::hold_no_more_than(std::size_t most) {
    std::size_t all = 0;
    for (const Held& one : held_) all += one.size();
    for (; all > most; held_.pop_front()) {
        if (!hole_) hole_ = Hole{held_.front().at, trouble_ ? describe(*trouble_) : ""};
        hole_->findings += held_.front().size();
        all -= held_.front().size();
        behind_ = true;
    }
}

bool Watch::write(std::span<const store::Store::Found> sweeps) {
    auto done = store_->write(sweeps, history_.last());
    if (!done) trouble_with_write(done.error());
    return bool(done);
}

// In the order in which it was seen: one may have ended and begun again.
void Watch::write_held() {
    if (!store_ || held_.empty()) return;
    std::vector<store::Store::Found> all;
    for (const Held& one : held_) {
        all.push_back(one.found);
        all.back().before = (history_.last().boot_ns - one.at.boot_ns) / kMillisecond;
    }
    if (write(all)) held_.clear();
}

// It has been going on since before it was seen long enough to be one.
store::FindingRow Watch::row_of(const FindingChange& begun) const {
    const Stamp since = tracker_.since(begun.rule, begun.subject.entity);
    return {begun.rule,
            begun.subject.entity,
            std::string(name_of(begun.severity)),
            begun.title,
            begun.text,
            book_.version + " " + book_.hash,
            std::max<std::int64_t>(history_.last().boot_ns - since.boot_ns, 0) / kMillisecond};
}

// Everything that goes on. A finding that the store has already is left as it is.
void Watch::keep_again() {
    if (!store_ || !behind_ || !held_.empty()) return;
    auto open = store_->open_findings();
    if (!open) return trouble_with_write(open.error());
    store::Store::Found found;
    for (const Tracker::Firing& one : tracker_.firing())
        found.begun.push_back(row_of(told({one.rule, one.subject, State::quiet, State::firing, one.since})));
    if (!found.begun.empty() && !write({&found, 1})) return;
    behind_ = false;
    inherited_ = std::move(*open);
}

// What the last run left open and is not there any more has ended while nobody looked; what cannot be seen, or is not decided, has not.
void Watch::settle_inherited() {
    if (!store_ || inherited_.empty() || !takes_stock()) return;
    const auto undecided = not_ended();
    store::Store::Found found;
    std::vector<store::Store::Ended> open;
    for (const store::Store::Ended& one : inherited_) {
        if (tracker_.fires(one.rule, one.subject)) continue;  // who tracks it will see its end
        const bool may_go_on = undecided.contains({one.rule, one.subject}) || tracker_.blind(one.rule);
        (may_go_on ? open : found.ended).push_back(one);
    }
    if (found.ended.empty() || write({&found, 1})) inherited_ = std::move(open);
}

void Watch::keep(const std::vector<store::Event>& events) {
    std::uint64_t count = 0;
    for (const store::Event& event : events) count += event.count;
    health_.events += count;
    add(events, count);
}

std::vector<std::int64_t> Watch::add(const std::vector<store::Event>& events, std::uint64_t count) {
    if (events.empty()) return {};
    if (!store_) {
        if (hole_) hole_->events += count;
        return {};
    }
    auto rows = store_->add(events);
    if (rows) return std::move(*rows);
    lose(count, rows.error());
    return {};
}

store::Event Watch::event_of(const FoldedEvent& one) const {
    return {one.event.at,
            one.event.source,
            one.event.name,
            one.event.subject,
            names_->find(one.event.source, one.event.subject),
            print_details(one.event),
            one.event.count};
}

void Watch::keep(std::span<const FoldedEvent> opened, std::span<const FoldedEvent> closed) {
    std::vector<store::Event> events;
    for (const FoldedEvent& one : opened) events.push_back(event_of(one));
    const std::vector<std::int64_t> rows = add(events, opened.size());
    for (std::size_t i = 0; i < rows.size(); ++i) rows_[opened[i].id] = rows[i];
    std::vector<store::Store::Recount> counts;
    std::uint64_t counted = 0;  // beyond the first of each
    for (const FoldedEvent& one : closed) {
        health_.events += one.event.count;
        const std::uint64_t more = one.event.count - 1;
        const auto row = rows_.find(one.id);
        if (!store_) {
            if (hole_) hole_->events += more;
        } else if (more > 0 && row == rows_.end()) {
            // Where it opened is lost or in another file, and has been told of.
            store::Event rest = event_of(one);
            rest.at = one.last;
            rest.count = more;
            add({rest}, more);
        } else if (more > 0) {
            counts.push_back({row->second, one.event.count, one.last});
            counted += more;
        }
        rows_.erase(one.id);
    }
    if (counts.empty()) return;
    if (!store_) {  // it was closed meanwhile, for what it said to one of the others
        if (hole_) hole_->events += counted;
    } else if (auto done = store_->recount(counts); !done) {
        lose(counted, done.error());
    }
}

void Watch::miss(std::uint64_t events) {
    store::Event event;
    event.at = host_->now();
    event.source = "store";
    event.name = "lost";
    event.details = fmt::format("{} events came faster than they could be taken", events);
    notes_.push_back("store: " + event.details);
    add({event}, events);
}

std::vector<std::string> Watch::stop() {
    write_held();
    hold_no_more_than(0);
    if (store_ && hole_) tell_of_hole();
    if (store_) {
        if (auto done = store_->close(); !done) {
            trouble(done.error());
            if (store_ && store_->unwritten() > 0)
                notes_.push_back(
                    fmt::format("store: what was seen in the last {} s is not kept", store_->unwritten() / 1000));
        }
        close_store();
    }
    if (hole_) notes_.push_back("store: " + describe_hole());
    return std::exchange(notes_, {});
}

}  // namespace rd::daemon
