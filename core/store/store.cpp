// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/store/pack.h"
#include "core/store/queries.h"
#include "core/store/retention.h"

namespace rd::store {
namespace {

constexpr int kHeldFlushes = 10;
constexpr std::size_t kMostSteps = 1000;  // of a clock, while nothing can be written

// `text` holds what the statement looks at until it has run.
void bind_value(Statement& to, int at, const Value& value, std::string& text) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        to.bind(at, *integer);
    } else if (const auto* real = std::get_if<double>(&value)) {
        to.bind(at, *real);
    } else if (const auto* boolean = std::get_if<bool>(&value)) {
        to.bind(at, std::int64_t(*boolean));
    } else {
        text = print(value);
        to.bind(at, std::string_view(text));
    }
}

std::string describe(const Axis::Step& step) {
    return fmt::format("the wall clock was set {} by {}.{:03} s", step.by < 0 ? "back" : "forward",
                       std::abs(step.by) / 1000, std::abs(step.by) % 1000);
}

}  // namespace

Store::Store(Claim claim, Database database, Dictionary dictionary, Limits limits, std::span<const FactSpec> sparse)
    : claim_(std::move(claim)),
      database_(std::move(database)),
      dictionary_(std::move(dictionary)),
      limits_(limits),
      batch_(sparse) {}

Store::~Store() = default;

Result<> Store::append(const Snapshot& snapshot) {
    if (layout_ != snapshot.shared_layout()) {
        // Slots of another layout are other slots.
        if (auto done = flush(); !done && !batch_.empty()) give_up(done.error());
        batch_.restart();
        dictionary_.forget();
        layout_ = snapshot.shared_layout();
    }
    const Millis at = axis_.at(snapshot.stamp());
    step_clock();
    if (batch_.empty() && given_up_ == std::nullopt) begun_ = at;
    batch_.append(snapshot, at);
    if (at - begun_ < limits_.flush) return {};
    return flush();
}

Result<> Store::flush() {
    if (batch_.empty()) return {};
    behind_ = true;
    if (auto there = claim_.check(); !there) return there;
    auto done = write();
    behind_ = !done;
    begun_ = batch_.last();
    if (!done) {
        dictionary_.forget();
        give_up_when_much(done.error());
        return done;
    }
    batch_.clear();
    return {};
}

Millis Store::unwritten() const {
    if (batch_.empty()) return given_up_ ? given_up_->second - given_up_->first : 0;
    return batch_.last() - (given_up_ ? given_up_->first : batch_.first());
}

void Store::give_up_when_much(const Error& why) {
    if (batch_.last() - batch_.first() >= kHeldFlushes * limits_.flush || batch_.samples() >= kMostSamples * 10)
        give_up(why);
}

void Store::give_up(const Error& why) {
    if (!given_up_)
        notes_.push_back(fmt::format("samples are given up until the store can be written again: {}", why.what));
    given_up_ = {given_up_ ? given_up_->first : batch_.first(), batch_.last()};
    batch_.clear();
    batch_.again();
}

Result<> Store::write() {
    auto transaction = Transaction::begin(database_);
    if (!transaction) return tl::unexpected(std::move(transaction.error()));
    if (auto done = write_own(); !done) return done;
    std::string data;
    if (auto done = write_samples(data); !done) return done;
    if (auto done = write_states(); !done) return done;
    if (auto done = queries_->run.bind(1, run_).bind(2, batch_.last()).bind(3, std::int64_t{0}).run(); !done)
        return done;
    if (auto done = transaction->commit(); !done) return done;
    own_written();
    return {};
}

Result<> Store::write_own() {
    if (auto done = write_clock(); !done) return done;
    if (!given_up_) return {};
    const std::string what = fmt::format("the store could not be written: nothing is kept of {} s",
                                         (given_up_->second - given_up_->first + 500) / 1000);
    return own_event("lost", what, given_up_->first, given_up_->second);
}

Result<> Store::write_samples(std::string& data) {
    std::vector<std::pair<SeriesId, SlotIndex>> order;
    for (const SlotIndex slot : batch_.sampled()) {
        const auto id = dictionary_.series(*layout_, slot);
        if (!id) return tl::unexpected(id.error());
        order.emplace_back(*id, slot);
    }
    std::sort(order.begin(), order.end());
    JournalWriter row(batch_.ticks());
    for (const auto& [id, slot] : order) row.add(id, batch_.column(slot));
    data = row.finish();
    return queries_->journal.bind(1, batch_.first()).bind(2, batch_.last()).bind_blob(3, data).run();
}

Result<> Store::write_states() {
    for (const Change& change : batch_.changes()) {
        const auto id = dictionary_.series(*layout_, change.slot);
        if (!id) return tl::unexpected(id.error());
        if (auto done = write_state(*id, change.at, change.reading, change.back); !done) return done;
    }
    for (const Presence& presence : batch_.presences()) {
        const auto id = dictionary_.presence(layout_->entity(presence.entity));
        if (!id) return tl::unexpected(id.error());
        if (auto done = write_state(*id, presence.at, Value(presence.there), false); !done) return done;
    }
    return {};
}

// What the file says last is not said again: after a restart everything is seen for the first time.
Result<> Store::write_state(SeriesId series, Millis at, const Reading& reading, bool back) {
    std::string text;
    std::optional<std::int64_t> gap;
    if (!reading) {
        const auto number = dictionary_.gap(reading.error());
        if (!number) return tl::unexpected(number.error());
        gap = *number;
    }
    const auto bind = [&](Statement& to, int value_at, int gap_at) {
        to.bind_null(value_at).bind_null(gap_at);
        if (gap) {
            to.bind(gap_at, *gap);
        } else if (!back) {
            bind_value(to, value_at, *reading, text);
        }
    };
    Statement& last = queries_->last_state.bind(1, series);
    bind(last, 2, 3);
    const auto same = last.step();
    if (!same) return tl::unexpected(same.error());
    if (*same) return last.run();
    bind(queries_->state.bind(1, series).bind(2, at), 3, 4);
    return queries_->state.run();
}

Result<> Store::write_clock() {
    for (const Axis::Step& step : steps_) {
        if (auto done = queries_->clock.bind(1, step.at).bind(2, step.ahead).run(); !done) return done;
        if (step.first) continue;
        if (auto done = own_event("clock-step", describe(step), step.at, step.at); !done) return done;
    }
    return {};
}

void Store::own_written() {
    for (const Axis::Step& step : steps_) {
        if (!step.first) notes_.push_back(describe(step));
    }
    steps_.clear();
    given_up_.reset();
}

void Store::step_clock() {
    if (const auto step = axis_.step()) steps_.push_back(*step);
    if (steps_.size() > kMostSteps) steps_.erase(steps_.begin());
}

Result<> Store::own_event(std::string_view name, std::string details, Millis from, Millis to) {
    return queries_->event.bind(1, from)
        .bind(2, to)
        .bind(3, std::int64_t{1})
        .bind(4, "store")
        .bind(5, name)
        .bind(6, std::string_view{})
        .bind_null(7)
        .bind(8, details)
        .run();
}

Result<std::int64_t> Store::add_one(const Event& event) {
    Statement& to = queries_->event;
    const Millis at = axis_.at(event.at);
    to.bind(1, at)
        .bind(2, at)
        .bind(3, std::int64_t(event.count))
        .bind(4, event.source)
        .bind(5, event.name)
        .bind(6, event.subject);
    to.bind_null(7).bind(8, event.details);
    if (event.entity) {
        const auto entity = dictionary_.entity(*event.entity);
        if (!entity) return entity;
        to.bind(7, *entity);
    }
    if (auto done = to.run(); !done) return tl::unexpected(std::move(done.error()));
    return database_.last_id();
}

Result<std::vector<std::int64_t>> Store::add(std::span<const Event> events) {
    std::vector<std::int64_t> rows;
    if (auto there = claim_.check(); !there) return tl::unexpected(std::move(there.error()));
    auto transaction = Transaction::begin(database_);
    if (!transaction) return tl::unexpected(std::move(transaction.error()));
    for (const Event& event : events) {
        const auto row = add_one(event);
        if (!row) {
            dictionary_.forget();
            return tl::unexpected(row.error());
        }
        rows.push_back(*row);
    }
    if (auto done = transaction->commit(); !done) {
        dictionary_.forget();
        return tl::unexpected(std::move(done.error()));
    }
    return rows;
}

Result<> Store::recount(std::span<const Recount> events) {
    if (auto there = claim_.check(); !there) return there;
    auto transaction = Transaction::begin(database_);
    if (!transaction) return tl::unexpected(std::move(transaction.error()));
    Statement& to = queries_->recount;
    for (const Recount& one : events) {
        if (auto done = to.bind(1, one.row).bind(2, axis_.at(one.last)).bind(3, std::int64_t(one.count)).run(); !done)
            return done;
    }
    return transaction->commit();
}

Result<> Store::write_found(const Found& found, Millis at) {
    for (const Ended& one : found.ended) {
        if (auto done = end_finding(one, at); !done) return done;
    }
    for (const FindingRow& one : found.begun) {
        if (auto done = begin_finding(one, at - one.before); !done) return done;
    }
    return {};
}

Result<> Store::write(std::span<const Found> sweeps, const Stamp& stamp) {
    if (auto there = claim_.check(); !there) return there;
    const Millis at = axis_.at(stamp);
    auto transaction = Transaction::begin(database_);
    if (!transaction) return tl::unexpected(std::move(transaction.error()));
    const auto all = [&]() -> Result<> {
        for (const Found& one : sweeps) {
            if (auto done = write_found(one, at - one.before); !done) return done;
        }
        return transaction->commit();
    };
    auto done = all();
    if (!done) dictionary_.forget();
    return done;
}

Result<> Store::begin_finding(const FindingRow& finding, Millis at) {
    const auto entity = dictionary_.entity(finding.subject);
    if (!entity) return tl::unexpected(entity.error());
    return queries_->begin_finding.bind(1, finding.rule)
        .bind(2, *entity)
        .bind(3, at)
        .bind(4, finding.severity)
        .bind(5, finding.title)
        .bind(6, finding.text)
        .bind(7, finding.rulebook)
        .run();
}

Result<> Store::end_finding(const Ended& finding, Millis at) {
    const auto entity = dictionary_.entity(finding.subject);
    if (!entity) return tl::unexpected(entity.error());
    return queries_->end_finding.bind(1, finding.rule).bind(2, *entity).bind(3, at).run();
}

Result<std::vector<Store::Ended>> Store::open_findings() {
    std::vector<Ended> open;
    auto find = database_.prepare(
        "SELECT rule, kind, key FROM finding JOIN entity ON entity.id = finding.entity WHERE to_ms IS NULL");
    if (!find) return tl::unexpected(std::move(find.error()));
    auto done = each(*find, [&](const Statement& row) -> Result<> {
        Entity subject;
        if (!kind_from_name(row.text(1), subject.kind)) return {};
        subject.id = row.text(2);
        open.push_back({std::string(row.text(0)), std::move(subject)});
        return {};
    });
    if (!done) return tl::unexpected(std::move(done.error()));
    return open;
}

Result<> Store::pack_hours(Millis now) {
    auto lost = pack(database_, now);
    if (!lost) return tl::unexpected(std::move(lost.error()));
    for (std::string& one : *lost) {
        if (auto done = own_event("lost", one, now, now); !done) return done;
        notes_.push_back(std::move(one));
    }
    return {};
}

Result<> Store::maintain() {
    // Everything before this has been flushed.
    const Millis now = batch_.empty() ? begun_ : batch_.first();
    auto packed = pack_hours(now);
    // Where there is no room to pack, what is too much goes all the same. What is damaged, or cannot be read, is left as it is: the rows that
    // wait to be packed would grow, and all else go to make room for them.
    if (!packed && packed.error().code != Errc::limit) return packed;
    auto retained = retain(database_, limits_, now);
    return packed ? retained : packed;
}

Result<> Store::close() {
    if (auto done = flush(); !done) return done;
    if (auto done = write_own(); !done) return done;
    own_written();
    if (auto done = queries_->run.bind(1, run_).bind(2, begun_).bind(3, std::int64_t{1}).run(); !done) return done;
    return database_.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

std::vector<std::string> Store::notes() { return std::exchange(notes_, {}); }

Result<std::int64_t> Store::bytes() const {
    return database_.integer("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()");
}

}  // namespace rd::store
