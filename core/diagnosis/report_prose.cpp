// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/report_prose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/escape.h"
#include "core/base/text.h"
#include "core/diagnosis/node.h"
#include "core/diagnosis/prose.h"

namespace rd {
namespace {

constexpr std::size_t kMaxListed = 4;

// Rates have as many digits as a person reads.
std::string show_value(const Value& value) {
    const auto* real = std::get_if<double>(&value);
    if (real == nullptr) return print(value);
    const double size = std::fabs(*real);
    if (size == std::floor(size) && size < 1e15) return fmt::format("{:.0f}", *real);
    if (size >= 100) return fmt::format("{:.0f}", *real);
    return fmt::format("{:.3g}", *real);
}

bool is_aggregate(Op op) { return op == Op::minimum || op == Op::maximum || op == Op::average; }

// What a condition makes of a fact over time, outside of any, all and count (which speak of other entities).
const Expression::Node* function_of(const Expression::Node& node, std::string_view fact) {
    if (is_quantifier(node.op)) return nullptr;
    if (is_fact_function(node.op) && node.sort == Sort::number && node.children[0].text == fact) return &node;
    for (const Expression::Node& child : node.children) {
        if (const Expression::Node* found = function_of(child, fact)) return found;
    }
    return nullptr;
}

bool is_missing(std::string_view shown) {
    return shown == "unknown" || shown.starts_with("unknown (") || shown == "not said";
}

// "netdev.name" → NETDEV
std::string stand_in(std::string_view name) {
    if (name.ends_with(".name")) name.remove_suffix(5);
    std::string out;
    for (const char c : name) {
        if (c != '$') out += c == '.' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return out;
}

class Filler {
public:
    // `aside`: what is filled in stands in parentheses, and brings none of its own.
    Filler(const Verdict& verdict, const History& history, Units units, bool aside)
        : verdict_(verdict), history_(history), units_(units), aside_(aside) {}

    [[nodiscard]] std::string value(std::string_view name) const {
        if (name == "subject") return label_of(history_, verdict_.subject);
        if (name.starts_with('$')) return param(name.substr(1));
        if (name.starts_with("log.")) return said(name.substr(4));
        std::vector<std::string_view> parts = split(name, '.');
        const std::string_view fact = parts.back();
        Entity at = verdict_.subject;
        bool found = true;
        std::size_t first = 0;
        if (parts.size() > 1 && parts[0] == "host") {
            at = Entity{Kind::host, ""};
            first = 1;
        }
        for (std::size_t i = first; found && i + 1 < parts.size(); ++i) {
            const Reading& reading = *history_.observe(at, parts[i]).reading;
            const auto* next = reading ? std::get_if<Entity>(&*reading) : nullptr;
            found = next != nullptr;
            if (found) at = *next;
        }
        if (found) {
            const Evidence* const evidence = evidence_of(at, fact);
            if (evidence != nullptr && !evidence->how.empty()) return shown(evidence->reading, evidence->unit);
            if (const auto made = made_of(name, evidence)) return *made;
            if (evidence != nullptr) return shown(evidence->reading, evidence->unit);
            const Reading& reading = *history_.observe(at, fact).reading;
            if (reading) return shown(reading, unit_of(at, fact));
        }
        // A fact of the entities that any, all or count looked at.
        const std::string listed = list(fact);
        if (!listed.empty()) return listed;
        return found ? shown(*history_.observe(at, fact).reading, "") : "unknown";
    }

private:
    // A term that did not decide is no evidence, and that a fact is known says nothing of its size; it still means what the condition
    // makes of it: a rate, not a total. Where the value itself is evidence, what it once was at most is not what is meant; without that the
    // reason is told where it cannot be made.
    [[nodiscard]] std::optional<std::string> made_of(std::string_view name, const Evidence* evidence) const {
        const bool suspected = verdict_.state == State::suspected && verdict_.rule->suspect;
        const Expression& condition = suspected ? *verdict_.rule->suspect : verdict_.rule->when;
        const Expression::Node* function = function_of(condition.root(), name);
        if (function == nullptr || (evidence != nullptr && is_aggregate(function->op))) return std::nullopt;
        Expression::Node zero;
        zero.literal = std::int64_t{0};
        zero.sort = Sort::number;
        Expression::Node any_value;
        any_value.op = Op::greater_equal;
        any_value.children = {*function, zero};
        const Outcome outcome =
            condition.with_root(std::move(any_value)).evaluate(history_, verdict_.subject, verdict_.rule->params);
        if (!outcome.evidence.empty()) return shown(outcome.evidence[0].reading, outcome.evidence[0].unit);
        if (outcome.missing.empty() || evidence != nullptr) return std::nullopt;
        return shown(tl::unexpected(outcome.missing[0].gap), "");
    }

    [[nodiscard]] std::string said(std::string_view name) const {
        const auto found = std::find_if(verdict_.captures.begin(), verdict_.captures.end(),
                                        [name](const auto& one) { return one.first == name; });
        return found == verdict_.captures.end() ? "not said" : found->second;
    }

    [[nodiscard]] std::string param(std::string_view name) const {
        const auto found = verdict_.rule->params.find(name);
        return found != verdict_.rule->params.end() ? show_value(found->second) : "unknown";
    }

    // What a function made of the fact over time, else the fact itself; what it once was at most only where nothing else is evidence.
    [[nodiscard]] const Evidence* evidence_of(const Entity& entity, std::string_view fact) const {
        const auto worth = [](const Evidence& one) {
            const bool aggregate = one.how == "min" || one.how == "max" || one.how == "avg";
            return one.how.empty() ? 1 : aggregate ? 0 : 2;
        };
        const Evidence* found = nullptr;
        for (const Evidence& one : verdict_.outcome.evidence) {
            if (one.entity != entity || one.fact != fact || !one.reading) continue;
            if (found == nullptr || worth(one) > worth(*found)) found = &one;
        }
        return found;
    }

    [[nodiscard]] std::string_view unit_of(const Entity& entity, std::string_view fact) const {
        const Layout& layout = history_.layout();
        const auto index = layout.find(entity);
        const auto slot = index ? layout.find(*index, fact) : std::nullopt;
        return slot ? layout.slot(*slot).spec->unit : std::string_view{};
    }

    [[nodiscard]] std::string shown(const Reading& reading, std::string_view unit) const {
        const auto* entity = reading ? std::get_if<Entity>(&*reading) : nullptr;
        if (entity != nullptr) return label_of(history_, *entity);
        if (!reading && aside_) return "unknown, " + std::string(name_of(reading.error().kind));
        return show(reading, units_ == Units::shown ? unit : std::string_view{});
    }

    [[nodiscard]] std::string list(std::string_view fact) const {
        std::string out;
        std::size_t count = 0;
        for (const Evidence& one : verdict_.outcome.evidence) {
            if (one.fact != fact || !one.reading) continue;
            if (++count > kMaxListed) continue;
            out += (out.empty() ? "" : ", ") + shown(one.reading, one.unit);
            if (one.entity != verdict_.subject) out += " (" + label_of(history_, one.entity) + ")";
        }
        if (count > kMaxListed) out += fmt::format(" and {} more", count - kMaxListed);
        return out;
    }

    const Verdict& verdict_;
    const History& history_;
    Units units_;
    bool aside_;
};

}  // namespace

std::string label_of(const History& history, const Entity& entity) {
    std::string label = history.latest().label(entity);
    return label.empty() ? std::string(name_of(entity.kind)) : label;
}

std::string show(const Reading& reading, std::string_view unit) {
    if (!reading) return "unknown (" + std::string(name_of(reading.error().kind)) + ")";
    std::string out = show_value(*reading);
    if (!unit.empty()) out += " " + std::string(unit);
    return out;
}

bool names_facts(std::string_view text) {
    const std::vector<Placeholder> all = placeholders(text);
    return std::any_of(all.begin(), all.end(), [](const Placeholder& one) {
        return !one.name.empty() && one.name != "subject" && one.name.front() != '$' && !one.name.starts_with("log.");
    });
}

std::string fill_prose(std::string_view text, const Verdict& verdict, const History& history, Units units) {
    const Filler plain(verdict, history, units, false), aside(verdict, history, units, true);
    std::string out;
    for (std::size_t depth = 0; !text.empty();) {
        const std::size_t at = std::min(text.find_first_of("()"), text.size() - 1);
        // The text may have paragraphs; what is filled in may not make any.
        out += fill(text.substr(0, at + 1), [&](std::string_view name) {
            const std::string value = on_one_line((depth > 0 ? aside : plain).value(name));
            return units == Units::hidden && is_missing(value) ? stand_in(name) : value;
        });
        if (text[at] == '(') ++depth;
        if (text[at] == ')' && depth > 0) --depth;
        text.remove_prefix(at + 1);
    }
    return out;
}

}  // namespace rd
