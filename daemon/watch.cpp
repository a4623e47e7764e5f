// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectors/all.h"
#include "core/diagnosis/windows.h"

namespace rd::daemon {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kStandingEvery = 60;  // sweeps

// Those that come and go all the time. Nothing is kept of them, so they may change places: the store knows series by their slots.
Kinds short_lived() {
    Kinds kinds = 0;
    for (int kind = 0; kind < kKindCount; ++kind) {
        if (!store::is_kept(Kind(kind))) kinds |= only(Kind(kind));
    }
    return kinds;
}
// Events are about the others.
const Kinds kNamed = kAllKinds & ~short_lived();

SweepOptions sweep_options(const WatchOptions& options) {
    SweepOptions made;
    made.deadline = std::max(options.deadline, options.first_deadline);
    made.site = options.site;
    made.short_lived = short_lived();
    return made;
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

News Watch::look(Due due) {
    const Stamp begin = host_->now();
    if (health_.sweeps == 1) sweep_.set_deadline(options_.deadline);
    Snapshot snapshot = sweep_.run(due);
    keep(snapshot);
    history_.append(std::move(snapshot));
    keep(qp_errors_.update(history_));
    keep(nvme_states_.update(history_));
    report_.reset();
    if ((history_.moved_kinds() & kNamed) != 0 || renamed()) names_ = std::make_shared<const Names>(history_.latest());
    const std::vector<Tracker::Change> changes = tracker_.update(judge_.update(history_), history_.last());
    ++health_.sweeps;
    health_.last_sweep_ns = host_->now().boot_ns - begin.boot_ns;
    News news;
    for (const Tracker::Change& change : changes) {
        if (change.from == State::firing || change.to == State::firing) news.findings.push_back(told(change));
    }
    keep(news.findings);
    take_notes();
    news.notes = std::exchange(notes_, {});
    if (takes_stock()) news.standing = standing();
    return news;
}

// What a name leads to may be another entity now, or another port.
bool Watch::renamed() const {
    return std::ranges::any_of(history_.moved(), [&](SlotIndex moved) {
        const Layout& layout = history_.layout();
        if ((only(layout.entity(layout.slot(moved).entity).kind) & kNamed) == 0) return false;
        const std::string_view fact = layout.slot(moved).name;
        return fact == "name" || fact == "netdev" || fact == "master";
    });
}

bool Watch::takes_stock() const { return health_.sweeps == kSettled || health_.sweeps % kStandingEvery == 0; }

std::set<std::pair<std::string, Entity>> Watch::not_ended() {
    std::set<std::pair<std::string, Entity>> all;
    for (const Verdict& verdict : judge_.verdicts()) {
        if (verdict.state != State::quiet && verdict.state != State::not_applicable)
            all.emplace(verdict.rule->id, verdict.subject);
    }
    return all;
}

Standing Watch::standing() {
    Standing made;
    made.at = history_.last();
    made.findings = not_ended();
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
    if (const Finding* finding = reported(change.rule, change.subject)) {
        told.severity = finding->severity;
        told.title = finding->title;
        told.text = finding->explanation;
        told.causes = finding->causes;
        for (const NamedEvidence& one : finding->evidence) told.evidence.push_back(print_evidence(one));
    }
    return told;
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

const Finding* Watch::reported(const std::string& rule, const Entity& subject) {
    const std::vector<Finding>& findings = report().findings;
    const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& one) {
        return one.rule == rule && one.subject.entity == subject;
    });
    return found != findings.end() ? &*found : nullptr;
}

std::shared_ptr<const Frame> Watch::frame() {
    auto frame = std::make_shared<Frame>();
    const Snapshot& snapshot = history_.latest();
    const Layout& layout = snapshot.layout();
    frame->at = history_.last();
    frame->host = host_->identity();
    frame->report = report();
    frame->health = health_;
    frame->health.store_trouble = trouble_ ? describe(*trouble_) : "";
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

}  // namespace rd::daemon
