// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/series.h"

#include <algorithm>
#include <bit>

namespace rd {
namespace {

std::uint64_t digest(const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    if (text != nullptr) return std::hash<std::string>{}(*text);
    const Entity& entity = std::get<Entity>(value);
    return std::hash<std::string>{}(entity.id) * 31u + static_cast<std::uint64_t>(entity.kind);
}

std::uint64_t bits_of(const Value& value) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::bit_cast<std::uint64_t>(*whole);
    if (const auto* real = std::get_if<double>(&value)) return std::bit_cast<std::uint64_t>(*real);
    return digest(value);
}

using Runs = std::vector<Run>;
using Place = Runs::const_iterator;

bool all_numbers(Place begin, Place end) {
    return std::all_of(begin, end, [](const Run& run) { return run.number().has_value(); });
}

// Which runs of a minute stay as they are.
std::vector<bool> chosen_numbers(Place begin, Place end, bool is_counter) {
    std::vector<bool> chosen(static_cast<std::size_t>(end - begin), false);
    const auto choose = [&](Place place) { chosen[static_cast<std::size_t>(place - begin)] = true; };
    choose(begin);
    choose(end - 1);
    const auto less = [](const Run& a, const Run& b) { return *a.number() < *b.number(); };
    choose(std::min_element(begin, end, less));
    choose(std::max_element(begin, end, less));
    if (!is_counter) return chosen;
    // A mean that stands among whole numbers is none that a counter ever had.
    Place before = end;
    for (Place place = begin; place != end; ++place) {
        if (!place->integer()) continue;
        if (before != end && *place->integer() < *before->integer()) {
            choose(before);
            choose(place);
        }
        before = place;
    }
    return chosen;
}

void condense_numbers(Place begin, Place end, bool is_counter, Runs& into) {
    const std::vector<bool> chosen = chosen_numbers(begin, end, is_counter);
    for (Place place = begin; place != end;) {
        Place stop = place;
        while (stop != end && !chosen[static_cast<std::size_t>(stop - begin)]) ++stop;
        if (stop - place > 1) {
            double sum = 0;
            std::uint64_t count = 0;
            for (Place one = place; one != stop; ++one) {
                sum += *one->number() * static_cast<double>(one->count());
                count += one->count();
            }
            // As many sweeps as saw a value: where some in between saw none, they stand before it.
            const Tick last = (stop - 1)->last();
            into.emplace_back(sum / static_cast<double>(count), last - static_cast<Tick>(count - 1), last);
            place = stop;
        } else {
            into.push_back(*place++);
        }
    }
}

// Of what is no number only changes are asked for.
void condense_others(Place begin, Place end, Runs& into) {
    into.push_back(*begin);
    if (begin->same_value(*(end - 1))) {
        const Place other = std::find_if(begin, end, [&](const Run& run) { return !run.same_value(*begin); });
        if (other != end) into.push_back(*other);
    }
    into.push_back(*(end - 1));
}

}  // namespace

Run::Run(const Reading& reading, Tick tick)
    : bits_(reading ? bits_of(*reading) : 0),
      first_(tick),
      last_((tick & kLast) | static_cast<Tick>(reading ? reading->index() + 1 : 0) << kBits) {}

Run::Run(double mean, Tick first, Tick last)
    : bits_(std::bit_cast<std::uint64_t>(mean)),
      first_(first),
      last_((last & kLast) | static_cast<Tick>(Sort::real) << kBits) {}

bool Run::same_value(const Run& other) const {
    if (sort() != other.sort()) return false;
    return sort() == Sort::real ? *number() == *other.number() : bits_ == other.bits_;
}

bool Series::add(const Run& run) {
    if (keep_.count() == 0 && !runs_.empty()) {
        runs_.front() = run;
        return false;
    }
    runs_.push_back(run);
    return runs_.size() >= limit_ && keep_.count() > 0;
}

void Series::moved_on(const Run& from, const Run& to) {
    const auto before = from.integer(), after = to.integer();
    if (!before || !after || *after < *before) rising_since_ = to.first();
}

void Series::trim(Tick horizon) {
    const auto kept = std::lower_bound(runs_.begin(), runs_.end(), horizon,
                                       [](const Run& run, Tick tick) { return run.last() < tick; });
    if (kept - runs_.begin() > 1) runs_.erase(runs_.begin(), kept - 1);
}

void Series::thin(Tick recent, bool is_counter, const std::function<std::int64_t(Tick)>& minute) {
    Runs thinned;
    Place place = runs_.begin();
    const Place end =
        std::lower_bound(place, runs_.cend(), recent, [](const Run& run, Tick tick) { return run.last() < tick; });
    while (place != end) {
        const std::int64_t of = minute(place->first());
        Place stop = place;
        while (stop != end && minute(stop->first()) == of && minute(stop->last()) == of) ++stop;
        const bool numbers = all_numbers(place, stop);
        const bool others = std::none_of(place, stop, [](const Run& run) { return run.number().has_value(); });
        if (stop - place > 3 && numbers) {
            condense_numbers(place, stop, is_counter, thinned);
            place = stop;
        } else if (stop - place > 3 && others) {
            condense_others(place, stop, thinned);
            place = stop;
        } else {
            // One that reaches into the next minute stays as it is; so do the few of a quiet one.
            if (stop == place) ++stop;
            thinned.insert(thinned.end(), place, stop);
            place = stop;
        }
    }
    thinned.insert(thinned.end(), end, runs_.cend());
    runs_ = std::move(thinned);
}

void Series::settle() {
    limit_ = runs_.size() + std::max<std::size_t>(runs_.size() / 4, 4);
    if (runs_.capacity() <= limit_ && runs_.capacity() >= runs_.size() + 4) {
        limit_ = std::min(limit_, runs_.capacity());
        return;
    }
    Runs exact;
    exact.reserve(limit_);
    exact.assign(runs_.begin(), runs_.end());
    runs_ = std::move(exact);
}

}  // namespace rd
