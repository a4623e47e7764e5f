// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectors/all.h"
#include "core/diagnosis/windows.h"

namespace rd::daemon {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000, kHour = 3600 * kSecond;
constexpr std::int64_t kTryStoreAgain = 60 * kSecond;
// A rule over rates has two looks by then, and what is read by the minute was read.
constexpr std::uint64_t kSettled = 3;
constexpr std::uint64_t kStandingEvery = 60;  // sweeps
// Processes and lines of logs come and go all the time, and no event is about them.
constexpr Kinds kNamed = kAllKinds & ~(only(Kind::process) | only(Kind::log));
constexpr std::uint64_t kMeasureStore = 60;  // sweeps
constexpr std::uint64_t kRename = 60;  // sweeps: an entity that only changed its name is told by a uevent, or by and by

SweepOptions sweep_options(const WatchOptions& options) {
    SweepOptions made;
    made.deadline = std::max(options.deadline, options.first_deadline);
    made.site = options.site;
    return made;
}

std::string print_details(const HostEvent& event) {
    std::string text;
    for (const auto& [key, value] : event.details) {
        if (!text.empty()) text += ' ';
        text += key + "=" + value;
    }
    return text;
}

std::string print_evidence(const NamedEvidence& one) {
    const Evidence& evidence = one.evidence;
    std::string text = fmt::format("{}.{}", one.entity_name, evidence.fact);
    if (!evidence.how.empty()) text = fmt::format("{}({})", evidence.how, text);
    text += " " + (evidence.reading ? print(*evidence.reading) : evidence.reading.error().reason);
    if (!evidence.unit.empty()) text += " " + evidence.unit;
    if (evidence.window) text += fmt::format(" over {:.1f} s", double(evidence.window->count()) / double(kSecond));
    return text;
}

const Finding* find(const std::vector<Finding>& findings, const std::string& rule, const Entity& subject) {
    const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& one) {
        return one.rule == rule && one.subject.entity == subject;
    });
    return found != findings.end() ? &*found : nullptr;
}

}  // namespace

Watch::Watch(std::shared_ptr<const Host> host, const Rulebook& book, WatchOptions options)
    : host_(std::move(host)),
      book_(book),
      options_(std::move(options)),
      sweep_(host_, collectors::all(), collectors::derivations(), sweep_options(options_)),
      history_(sweep_.layout(), windows_of(book)),
      judge_(book) {
    health_.started_ns = host_->now().wall_ns;
    health_.store_path = options_.store;
    open_store();
}

Watch::~Watch() = default;

void Watch::open_store() {
    tried_ = host_->now();
    if (options_.store.empty()) return;
    auto opened = store::Store::open(options_.store, host_->identity().boot_id, tried_, options_.limits, sweep_facts());
    if (!opened) {
        trouble(opened.error());
        return;
    }
    store_ = std::move(*opened);
    trouble_.clear();
    hour_ = -1;
    rows_.clear();  // they were rows of another file
    behind_ = true;
    retry_ = 0;
    tell_of_hole();
}

// What happened while nothing could be written is in no store.
void Watch::tell_of_hole() {
    if (!hole_) return;
    const Hole hole = *std::exchange(hole_, std::nullopt);
    store::Event event;
    event.at = host_->now();
    event.source = "store";
    event.name = "lost";
    const std::int64_t seconds = (event.at.boot_ns - hole.since.boot_ns + kSecond / 2) / kSecond;
    event.details = hole.closed
                        ? fmt::format("there was no store for {} s: nothing is kept of it, nor of {} events ({})",
                                      seconds, hole.events, hole.why)
                        : fmt::format("the store could not be written: {} events within {} s are not kept ({})",
                                      hole.events, seconds, hole.why);
    if (auto row = store_->add({&event, 1}); !row) {
        hole_ = hole;
        return trouble_with_write(row.error());
    }
    notes_.push_back("store: " + event.details);
}

// Said once for as long as it lasts. What is damaged, or has gone, is opened anew, which sets it aside or begins another.
void Watch::trouble(const Error& error) {
    std::string text = describe(error);
    if (text != trouble_) notes_.push_back("store: " + text);
    trouble_ = std::move(text);
    if (error.code == Errc::bad_input || error.code == Errc::not_found) store_.reset();
    if (store_) return;
    if (!hole_) hole_ = Hole{host_->now(), trouble_};
    hole_->closed = true;
}

void Watch::lose(std::size_t events, const Error& error) {
    if (!hole_) hole_ = Hole{host_->now(), describe(error)};
    hole_->events += events;
    trouble_with_write(error);
}

// What is not written can be written later, but not as long as there is no room.
void Watch::trouble_with_write(const Error& error) {
    retry_ = host_->now().boot_ns + kTryStoreAgain;
    trouble(error);
}

News Watch::look(Due due) {
    const Stamp begin = host_->now();
    if (health_.sweeps == 1) sweep_.set_deadline(options_.deadline);
    Snapshot snapshot = sweep_.run(due);
    keep(snapshot);
    history_.append(std::move(snapshot));
    keep(qp_errors_.update(history_));
    report_.reset();
    if ((history_.moved_kinds() & kNamed) != 0 || health_.sweeps % kRename == 0)
        names_ = std::make_shared<const Names>(history_.latest());
    const std::vector<Tracker::Change> changes = tracker_.update(judge_.update(history_), history_.last());
    ++health_.sweeps;
    health_.last_sweep_ns = host_->now().boot_ns - begin.boot_ns;
    News news;
    for (const Tracker::Change& change : changes) {
        if (change.from == State::firing || change.to == State::firing) news.findings.push_back(told(change));
    }
    keep(news.findings);
    if (store_) {
        for (std::string& note : store_->notes()) notes_.push_back("store: " + note);
    }
    news.notes = std::exchange(notes_, {});
    if (health_.sweeps == kSettled || health_.sweeps % kStandingEvery == 0) news.standing = standing();
    return news;
}

Standing Watch::standing() {
    Standing made;
    made.at = history_.last();
    // What is not known to have ended goes on.
    for (const Verdict& verdict : verdicts()) {
        if (verdict.state != State::quiet && verdict.state != State::not_applicable)
            made.findings.emplace(verdict.rule->id, verdict.subject);
    }
    const auto see = [&](Kind kind, std::string_view fact, const Value& well) {
        for (const Entity& entity : history_.latest().entities(kind)) {
            const Observation seen = history_.observe(entity, fact);
            if (*seen.reading != Reading(well)) continue;
            made.up.insert(entity);
            // Not every sweep reads it.
            if (seen.at.boot_ns < made.at.boot_ns) made.at = seen.at;
        }
    };
    see(Kind::port, "state", Value(std::string("ACTIVE")));
    see(Kind::netdev, "carrier", Value(true));
    return made;
}

void Watch::keep(const Snapshot& snapshot) {
    if (!store_ && host_->now().boot_ns - tried_.boot_ns >= kTryStoreAgain) open_store();
    if (!store_) return;
    auto done = store_->append(snapshot);
    const std::int64_t hour = snapshot.stamp().boot_ns / kHour;
    if (done && hour != hour_) {
        hour_ = hour;
        done = store_->maintain();
    }
    if (health_.sweeps % kMeasureStore == 0) {
        if (const auto bytes = store_->bytes()) health_.store_bytes = *bytes;
    }
    if (!done) return trouble(done.error());
    trouble_.clear();
    if (host_->now().boot_ns >= retry_) tell_of_hole();
}

FindingChange Watch::told(const Tracker::Change& change) {
    FindingChange told;
    told.rule = change.rule;
    told.subject = {change.subject, history_.latest().label(change.subject)};
    told.from = change.from;
    told.to = change.to;
    told.at = change.at;
    if (const Rule* rule = book_.find(change.rule)) {
        told.severity = rule->severity;
        told.title = rule->title;
    }
    if (const auto port = names_->port_of(change.subject)) told.port = Subject{*port, names_->label(*port)};
    if (change.to != State::firing) return told;
    if (const Finding* finding = find(report().findings, change.rule, change.subject)) {
        told.severity = finding->severity;
        told.title = finding->title;
        told.text = finding->explanation;
        told.causes = finding->causes;
        for (const NamedEvidence& one : finding->evidence) told.evidence.push_back(print_evidence(one));
    }
    return told;
}

void Watch::keep(const std::vector<FindingChange>& changes) {
    if (!store_) return;
    store::Store::Found found;
    for (const FindingChange& change : changes) {
        if (change.to == State::firing) {
            found.begun.push_back({change.rule, change.subject.entity, std::string(name_of(change.severity)),
                                   change.title, change.text, book_.version + " " + book_.hash});
        } else {
            found.ended.emplace_back(change.rule, change.subject.entity);
        }
    }
    if (behind_ && host_->now().boot_ns >= retry_) keep_again(found);
    if (!store_) return;
    settle_inherited(found);
    if (found.begun.empty() && found.ended.empty()) return;
    if (auto done = store_->write(found, history_.last()); !done) {
        behind_ = true;
        trouble_with_write(done.error());
    }
}

// A finding that the store has already is left as it is.
void Watch::keep_again(store::Store::Found& found) {
    auto open = store_->open_findings();
    if (!open) return trouble_with_write(open.error());
    behind_ = false;
    inherited_ = std::move(*open);
    for (const Finding& one : report().findings) {
        found.begun.push_back({one.rule, one.subject.entity, std::string(name_of(one.severity)), one.title,
                               one.explanation, book_.version + " " + book_.hash});
    }
}

void Watch::keep(const std::vector<store::Event>& events) {
    for (const store::Event& event : events) health_.events += event.count;
    if (!store_ && hole_) hole_->events += events.size();
    if (!store_ || events.empty()) return;
    if (auto rows = store_->add(events); !rows) lose(events.size(), rows.error());
}

// What the last run left open and is not there any more has ended while nobody looked; what cannot be seen has not.
void Watch::settle_inherited(store::Store::Found& found) {
    if (inherited_.empty() || health_.sweeps < kSettled) return;
    const Report& now = report();
    std::erase_if(inherited_, [&](const auto& one) {
        if (find(now.findings, one.first, one.second) != nullptr) return true;
        const bool unknown = std::any_of(now.unknown.begin(), now.unknown.end(), [&](const Unknown& missing) {
            return missing.rule == one.first &&
                   (missing.subject.entity == one.second || missing.subject.entity.kind == Kind::host);
        });
        if (!unknown) found.ended.push_back(one);
        return !unknown;
    });
}

// As they are to be told: pending, and since when.
std::vector<Verdict> Watch::verdicts() {
    std::vector<Verdict> all = judge_.verdicts();
    tracker_.tell(all);
    return all;
}

const Report& Watch::report() {
    if (!report_) {
        report_ = make_report(book_, history_, verdicts(), host_->identity());
    }
    return *report_;
}

void Watch::keep(std::span<const FoldedEvent> opened, std::span<const FoldedEvent> closed) {
    std::vector<store::Event> events;
    for (const FoldedEvent& one : opened) {
        events.push_back({one.event.at, one.event.source, one.event.name, one.event.subject,
                          names_->find(one.event.source, one.event.subject), print_details(one.event),
                          one.event.count});
    }
    for (const FoldedEvent& one : closed) health_.events += one.event.count;
    if (!store_ && hole_) hole_->events += opened.size();
    if (!store_) return;
    if (!events.empty()) {
        const auto rows = store_->add(events);
        if (!rows) return lose(events.size(), rows.error());
        for (std::size_t i = 0; i < rows->size(); ++i) rows_[opened[i].id] = (*rows)[i];
    }
    for (const FoldedEvent& one : closed) {
        const auto row = rows_.find(one.id);
        if (row == rows_.end()) continue;
        if (one.event.count > 1) {
            if (auto done = store_->recount(row->second, one.event.count, one.last); !done) trouble(done.error());
        }
        rows_.erase(row);
        if (!store_) return;
    }
}

std::shared_ptr<const Frame> Watch::frame() {
    auto frame = std::make_shared<Frame>();
    const Snapshot& snapshot = history_.latest();
    const Layout& layout = snapshot.layout();
    frame->at = history_.last();
    frame->host = host_->identity();
    frame->report = report();
    frame->health = health_;
    frame->health.store_trouble = trouble_;
    for (int kind = 0; kind < kKindCount; ++kind) {
        if (const Gap* gap = snapshot.kind_gap(Kind(kind))) frame->not_enumerated.emplace_back(Kind(kind), *gap);
        for (const Entity& entity : snapshot.entities(Kind(kind))) {
            frame->entities.push_back({entity, snapshot.label(entity)});
            std::vector<SlotIndex> slots = layout.slots_of(*layout.find(entity));
            std::sort(slots.begin(), slots.end(),
                      [&](SlotIndex a, SlotIndex b) { return layout.slot(a).name < layout.slot(b).name; });
            for (const SlotIndex slot : slots) {
                if (snapshot.at(slot) == nullptr) continue;
                const Observation seen = history_.observe(slot);
                frame->facts.push_back({entity, layout.slot(slot).spec, std::string(layout.slot(slot).name),
                                        *seen.reading, seen.at.wall_ns});
            }
        }
    }
    return frame;
}

std::vector<std::string> Watch::stop() {
    if (store_) {
        if (auto done = store_->close(); !done) trouble(done.error());
        store_.reset();
    }
    return std::exchange(notes_, {});
}

}  // namespace rd::daemon
