// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/collector.h"

#include <array>

#include "core/base/enum_names.h"
#include "core/base/text.h"

namespace rd {
namespace {

constexpr std::array<std::string_view, 5> kCosts{"online", "link-down", "reload", "reboot", "firmware"};

template <class T>
Result<Value> to_value(Result<T> parsed) {
    if (!parsed) return tl::unexpected<Error>(std::move(parsed.error()));
    return Value(*parsed);
}

Reading to_reading(Result<Value> value) {
    if (value) return Reading(std::move(*value));
    return tl::unexpected<Gap>(gap_from(value.error()));
}

}  // namespace

std::string_view name_of(Cost cost) { return kCosts[static_cast<std::size_t>(cost)]; }

bool cost_from_name(std::string_view name, Cost& out) { return from_name(kCosts, name, out); }

void Facts::present(const Entity& entity) { puts_.push_back({entity, nullptr, {}, Reading(Value(true))}); }

void Facts::put(const Entity& entity, const FactSpec& spec, Value value) {
    puts_.push_back({entity, &spec, std::string(spec.name), Reading(std::move(value))});
}

void Facts::put(const Entity& entity, const FactSpec& spec, std::string_view name, Value value) {
    puts_.push_back({entity, &spec, std::string(name), Reading(std::move(value))});
}

void Facts::gap(const Entity& entity, const FactSpec& spec, Gap gap) {
    puts_.push_back({entity, &spec, std::string(spec.name), tl::unexpected<Gap>(std::move(gap))});
}

void Facts::set(const Entity& entity, const FactSpec& spec, Result<Value> value) {
    puts_.push_back({entity, &spec, std::string(spec.name), to_reading(std::move(value))});
}

Plan::Plan(std::string collector) : lane_(std::move(collector)) {}

void Plan::present(const Entity& entity) { constants.present(entity); }
void Plan::put(const Entity& entity, const FactSpec& spec, Value value) {
    constants.put(entity, spec, std::move(value));
}
void Plan::gap(const Entity& entity, const FactSpec& spec, Gap gap) { constants.gap(entity, spec, std::move(gap)); }
void Plan::set(const Entity& entity, const FactSpec& spec, Result<Value> value) {
    constants.set(entity, spec, std::move(value));
}
void Plan::kind_gap(Kind kind, Gap gap) { kind_gaps.emplace_back(kind, std::move(gap)); }
void Plan::lane(std::string name) { lane_ = std::move(name); }
void Plan::every(Seconds period) { every_ = period; }
void Plan::watch(std::string path) { watched.push_back(std::move(path)); }

void Plan::read(std::string name, const Entity& entity, const FactSpec& spec, Parser parser) {
    read(std::move(name), entity, spec, std::string(spec.name), parser);
}

void Plan::read(std::string name, const Entity& entity, const FactSpec& spec, std::string fact, Parser parser) {
    Read read;
    read.name = std::move(name);
    read.lane = lane_;
    read.every = every_.count() > 0 ? every_ : default_every;
    read.entity = entity;
    read.spec = &spec;
    read.fact = std::move(fact);
    read.parser = parser;
    reads.push_back(std::move(read));
}

void Plan::decode(std::string name, std::vector<Cover> covers, Decoder decoder) {
    Read read;
    read.name = std::move(name);
    read.lane = lane_;
    read.every = every_.count() > 0 ? every_ : default_every;
    read.covers = std::move(covers);
    read.decoder = std::move(decoder);
    reads.push_back(std::move(read));
}

Result<Value> as_integer(std::string_view text) { return to_value(parse_integer(text)); }
Result<Value> as_counter(std::string_view text) { return to_value(parse_counter(text)); }
Result<Value> as_leading_number(std::string_view text) { return to_value(leading_number(text)); }

Result<Value> as_text(std::string_view text) {
    const std::string_view trimmed = trim(text);
    if (trimmed.empty()) return fail(Errc::not_supported, "the answer is empty");
    for (const char c : trimmed) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            return fail(Errc::bad_input, "not text: '" + printable(trimmed) + "'");
        }
    }
    if (trimmed.size() > 4096) return fail(Errc::bad_input, "longer than any name: '" + printable(trimmed) + "'");
    return Value(std::string(trimmed));
}

Result<Value> as_switch(std::string_view text) {
    const std::string_view word = trim(text);
    if (word == "1" || word == "on" || word == "Y" || word == "y") return Value(true);
    if (word == "0" || word == "off" || word == "N" || word == "n") return Value(false);
    return fail(Errc::bad_input, "neither on nor off: '" + printable(word) + "'");
}

}  // namespace rd
