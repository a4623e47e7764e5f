// SPDX-License-Identifier: GPL-2.0-or-later
// The [[example]] part of a rule file: facts, gaps and series by the names the condition uses, checked against the catalogue.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/text.h"
#include "core/diagnosis/rule_reader.h"

namespace rd {
namespace {

constexpr std::size_t kMaxSeries = 1000;

// netdev.mtu = 1500 makes a table in a table; "netdev.mtu" = 1500 does not. Both mean the same fact.
void flatten(const toml::table& table, const std::string& prefix,
             std::vector<std::pair<std::string, const toml::node*>>& out) {
    for (const auto& [key, node] : table) {
        const std::string name = prefix + std::string(key.str());
        if (const toml::table* inner = node.as_table()) {
            flatten(*inner, name + ".", out);
        } else {
            out.emplace_back(name, &node);
        }
    }
}

std::vector<std::pair<std::string, const toml::node*>> flattened(const toml::table* table) {
    std::vector<std::pair<std::string, const toml::node*>> out;
    if (table != nullptr) flatten(*table, "", out);
    return out;
}

bool fits(Type type, const Value& value) {
    switch (type) {
        case Type::boolean:
            return std::holds_alternative<bool>(value);
        case Type::integer:
            return std::holds_alternative<std::int64_t>(value);
        case Type::real:
            return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
        case Type::text:
        case Type::reference:  // by the id of the entity
            return std::holds_alternative<std::string>(value);
    }
    return false;
}

std::string gap_names() {
    std::string out;
    for (int i = 0; i <= static_cast<int>(GapClass::not_collected); ++i) {
        out += (i == 0 ? "\"" : ", \"") + std::string(name_of(static_cast<GapClass>(i))) + "\"";
    }
    return out;
}

}  // namespace

void RuleReader::examples(const toml::table& top) {
    if (!scope_known_) return;
    for (const toml::table* table : toml_.tables(top, "example")) {
        rule_.places["example." + std::to_string(rule_.examples.size())] = TomlReader::place_of(*table);
        rule_.examples.push_back(example(*table));
    }
}

Example RuleReader::example(const toml::table& table) {
    toml_.only(table, {"name", "expect", "facts", "gaps", "series", "every", "params", "other"});
    Example example;
    example.line = TomlReader::place_of(table).line;
    if (toml_.required(table, "name") != nullptr) example.name = toml_.text(table, "name").value_or("");
    for (const Example& earlier : rule_.examples) {
        if (earlier.name == example.name && !example.name.empty())
            toml_.complain(*table.get("name"), "another example has this name");
    }
    if (toml_.required(table, "expect") != nullptr) {
        const std::string state = toml_.text(table, "expect").value_or("");
        const bool known = state_from_name(state, example.expect);
        if (table["expect"].is_string() &&
            (!known || example.expect == State::pending || example.expect == State::not_applicable)) {
            toml_.complain(*table.get("expect"), "no state '" + printable(state) + "' to expect",
                           "one of firing quiet unknown suspected");
        }
    }
    scene(table, rule_.scope, example);
    if (const auto every = toml_.duration(table, "every")) {
        example.every = *every;
        if (every->count() == 0 || *every > std::chrono::hours(24))
            toml_.complain(*table.get("every"), "'every' must be above 0 and at most 1d");
    }
    if (const toml::table* params = toml_.table(table, "params")) {
        for (const auto& [key, node] : *params) {
            const auto value = toml_.value(node);
            const auto declared = rule_.params.find(key.str());
            if (declared == rule_.params.end()) {
                toml_.complain(node, "no parameter '" + printable(key.str()) + "'", "params = { … } declares them");
            } else if (value && type_of(*value) != type_of(declared->second)) {
                toml_.complain(node, "the parameter is " + std::string(name_of(type_of(declared->second))));
            } else if (value) {
                example.params.emplace(std::string(key.str()), *value);
            }
        }
    }
    for (const toml::table* more : toml_.tables(table, "other")) example.others.push_back(other(*more));
    same_lengths(example, table);
    return example;
}

Example::Other RuleReader::other(const toml::table& table) {
    toml_.only(table, {"kind", "facts", "gaps", "series"});
    Example::Other other;
    if (toml_.required(table, "kind") == nullptr) return other;
    const std::string kind = toml_.text(table, "kind").value_or("");
    if (!kind_from_name(kind, other.kind) || other.kind == Kind::host) {
        toml_.complain(*table.get("kind"), "no kind of further entities: '" + printable(kind) + "'");
        return other;
    }
    scene(table, other.kind, other);
    return other;
}

template <class Scene>
void RuleReader::scene(const toml::table& table, Kind scope, Scene& into) {
    for (const auto& [name, node] : flattened(toml_.table(table, "facts"))) {
        const auto path = fact(name, scope, *node);
        const auto value = path ? fact_value(*path, *node) : std::nullopt;
        if (value) into.facts.emplace_back(name, *value);
    }
    for (const auto& [name, node] : flattened(toml_.table(table, "gaps"))) {
        Kind kind{};
        if (!kind_from_name(name, kind) || catalog_.find(scope, name) != nullptr) {
            if (!fact(name, scope, *node)) continue;
        }
        const auto* text = node->as_string();
        GapClass gap{};
        if (text == nullptr || !gap_from_name(text->get(), gap)) {
            toml_.complain(*node, "not the class of a gap", "one of " + gap_names());
        } else {
            into.gaps.emplace_back(name, text->get());
        }
    }
    for (const auto& [name, node] : flattened(toml_.table(table, "series"))) {
        const auto path = fact(name, scope, *node);
        auto values = path ? series(*path, *node) : std::nullopt;
        if (values) into.series.emplace_back(name, std::move(*values));
    }
}

std::optional<FactPath> RuleReader::fact(const std::string& name, Kind scope, const toml::node& at) {
    auto path = resolve_path(name, scope, catalog_);
    if (path) return std::move(*path);
    toml_.complain(at, path.error().message, path.error().hint);
    return std::nullopt;
}

std::optional<Value> RuleReader::fact_value(const FactPath& path, const toml::node& at) {
    auto value = toml_.value(at);
    if (!value) return std::nullopt;
    const Type type = path.spec->type;
    if (!fits(type, *value)) {
        toml_.complain(
            at, path.text + " is " + std::string(name_of(type)) + " and not " + std::string(name_of(type_of(*value))));
        return std::nullopt;
    }
    const auto* whole = std::get_if<std::int64_t>(&*value);
    if (type == Type::real && whole != nullptr) return Value(static_cast<double>(*whole));
    return value;
}

std::optional<std::vector<std::optional<double>>> RuleReader::series(const FactPath& path, const toml::node& at) {
    const Type type = path.spec->type;
    if (type == Type::text || type == Type::reference) {
        toml_.complain(at, path.text + " is " + std::string(name_of(type)) + ": a series has numbers");
        return std::nullopt;
    }
    const auto* text = at.as_string();
    std::vector<std::optional<double>> values;
    for (const std::string_view word : text != nullptr ? words(text->get()) : std::vector<std::string_view>{}) {
        double number = 0;
        if (word == "_") {
            values.emplace_back();
            continue;
        }
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        const bool whole = number == std::floor(number) && std::fabs(number) <= 9007199254740992.0;
        if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(number) ||
            (type != Type::real && !whole)) {
            toml_.complain(at, "not a value of " + path.text + ": '" + printable(word) + "'",
                           "numbers separated by spaces; '_' is a missed sweep");
            return std::nullopt;
        }
        values.emplace_back(number);
    }
    if (!values.empty() && values.size() <= kMaxSeries) return values;
    toml_.complain(at, values.empty() ? "a series is a text such as \"0 5 _ 10\"" : "a series has at most 1000 values");
    return std::nullopt;
}

void RuleReader::same_lengths(const Example& example, const toml::table& table) {
    std::size_t length = 0;
    bool differ = false;
    const auto look = [&](const auto& all) {
        for (const auto& [name, values] : all) {
            differ = differ || (length != 0 && values.size() != length);
            length = values.size();
        }
    };
    look(example.series);
    for (const Example::Other& more : example.others) look(more.series);
    if (differ) toml_.complain(table, "the series of an example must be equally long", "'_' is a missed sweep");
}

}  // namespace rd
