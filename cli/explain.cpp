// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <utility>

#include "cli/commands.h"
#include "cli/render/rules.h"
#include "cli/setup.h"
#include "core/base/escape.h"
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/diagnosis/reads.h"

namespace rd::cli {
namespace {

constexpr std::size_t kMostOffers = 5;
constexpr std::size_t kMostRules = 5;  // told in full below the lines that mean them

// "port.active_mtu" is one row, "active_mtu" is every row of that name.
std::vector<const FactSpec*> specs_called(std::string_view term, const Catalog& catalog) {
    const std::size_t dot = term.find('.');
    Kind kind{};
    if (dot != std::string_view::npos) {
        if (!kind_from_name(term.substr(0, dot), kind)) return {};
        const FactSpec* spec = catalog.find(kind, term.substr(dot + 1));
        return spec == nullptr ? std::vector<const FactSpec*>{} : std::vector<const FactSpec*>{spec};
    }
    std::vector<const FactSpec*> found;
    for (int i = 0; i < kKindCount; ++i) {
        if (const FactSpec* spec = catalog.find(static_cast<Kind>(i), term)) found.push_back(spec);
    }
    return found;
}

std::vector<std::string> rules_reading(const FactSpec& spec, const Setup& setup) {
    std::vector<std::string> ids;
    for (const Rule& rule : setup.rules.book.rules) {
        if (reads(rule, spec)) ids.push_back(rule.id);
    }
    return ids;
}

FactUse use_of(const FactSpec& spec, const Setup& setup) {
    FactUse use{&spec, std::string(spec.name), rules_reading(spec, setup), {}};
    if (spec.kind == Kind::port && !spec.family) use.counters = counters_of_fact(spec.name);
    return use;
}

// Of a counter as its driver calls it: the fact that it is, with what this driver makes of it.
std::vector<FactUse> uses_of(const std::vector<CounterUse>& counters, const Setup& setup) {
    std::vector<FactUse> uses;
    for (const CounterUse& counter : counters) {
        const std::string_view fact = collectors::fact_of_counter(counter.name);
        const FactSpec* spec = setup.catalog->find(Kind::port, fact);
        std::string name(fact);
        if (spec == nullptr || spec->family) {
            const std::string_view family = collectors::goes_up_and_down(counter.name) ? "level_" : "raw_";
            name = collectors::kept_counter_name(family, counter.name);
            spec = setup.catalog->find(Kind::port, name);
        }
        if (spec == nullptr) continue;
        const auto same = std::find_if(uses.begin(), uses.end(), [&](const FactUse& use) { return use.name == name; });
        if (same != uses.end()) {
            same->counters.push_back(counter);
        } else {
            uses.push_back({spec, name, rules_reading(*spec, setup), {counter}});
        }
    }
    return uses;
}

TermUse use_of(Term term, const Setup& setup) {
    std::vector<std::string> rules;
    for (const std::string& fact : term.facts) {
        for (const FactSpec* spec : specs_called(fact, *setup.catalog)) {
            for (std::string& id : rules_reading(*spec, setup)) rules.push_back(std::move(id));
        }
    }
    std::sort(rules.begin(), rules.end());
    rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
    return {std::move(term), std::move(rules)};
}

// "mlx5:out_of_sequnce" is meant to be a counter.
std::vector<std::string> similar_counters_and_terms(std::string_view term) {
    const std::vector<std::string> counters = counter_names();
    std::vector<std::string_view> known(counters.begin(), counters.end());
    for (const std::string_view other : term_names()) known.push_back(other);
    return nearest(term, known);
}

std::vector<std::string> similar_terms(std::string_view term, const Setup& setup) {
    if (term.find(':') != std::string_view::npos) return similar_counters_and_terms(term);
    std::vector<std::string> names = setup.rules.book.similar(term);
    const std::size_t dot = term.find('.');
    const std::string_view name = dot == std::string_view::npos ? term : term.substr(dot + 1);
    for (int i = 0; i < kKindCount; ++i) {
        const Kind kind = static_cast<Kind>(i);
        if (dot != std::string_view::npos && term.substr(0, dot) != name_of(kind)) continue;
        for (const std::string& fact : setup.catalog->similar(kind, name)) {
            names.push_back(std::string(name_of(kind)) + "." + fact);
        }
    }
    if (names.empty()) names = similar_counters_and_terms(term);
    if (names.size() > kMostOffers) names.resize(kMostOffers);
    return names;
}

// A line has several words; so have titles of statuses and calls with an errno, which are known by themselves.
bool may_be_line(std::string_view term) { return words(term).size() > 1; }

// Adds what `term` is; an Error when it is nothing.
Result<> explain(std::string_view term, const Setup& setup, Lines& lines, Explanation& into) {
    if (term == "-") {
        const std::size_t before = lines.read();
        Result<> read = read_standard_input(lines);
        if (!read) return read;
        into.lines_read = into.lines_read.value_or(0) + lines.read() - before;
        return {};
    }
    if (may_be_line(term) && setup.rules.book.logs->matches(term)) {
        (void)lines.add(term);
        return {};
    }
    if (const Rule* rule = setup.rules.book.find(term)) {
        into.rules.push_back(rule);
        return {};
    }
    const std::vector<const FactSpec*> specs = specs_called(term, *setup.catalog);
    for (const FactSpec* spec : specs) {
        into.facts.push_back(use_of(*spec, setup));
        if (spec->family) into.facts.back().name = term.substr(term.find('.') + 1);
    }
    // A driver may call something else by the name of a fact.
    std::vector<FactUse> uses = uses_of(counters_called(term), setup);
    std::erase_if(uses,
                  [&](const FactUse& use) { return std::find(specs.begin(), specs.end(), use.spec) != specs.end(); });
    const bool known = !specs.empty() || !uses.empty();
    for (FactUse& use : uses) into.facts.push_back(std::move(use));
    if (known) return {};
    Result<std::vector<Term>> terms = find_terms(term);
    if (!terms) return tl::unexpected<Error>(terms.error());
    for (Term& each : *terms) into.terms.push_back(use_of(std::move(each), setup));
    if (!terms->empty() || (may_be_line(term) && lines.add(term))) return {};
    if (may_be_line(term)) {
        return fail(Errc::not_found, "no rule knows a line like '" + printable(term) + "'",
                    "nor is it, or does it name, a status, an event or an errno of a call");
    }
    const std::vector<std::string> similar = similar_terms(term, setup);
    return fail(Errc::not_found, "no rule, fact, counter, status, event or errno is called '" + printable(term) + "'",
                similar.empty() ? "rdmadoctor rules list and rdmadoctor facts --list name the first two"
                                : did_you_mean(similar));
}

void add_lines(const Lines& lines, const Setup& setup, Explanation& into) {
    into.lines = lines.uses();
    into.lines_known = lines.known();
    into.lines_left_out = lines.left_out();
    const std::size_t most = into.rules.size() + kMostRules;
    for (const LineUse& use : into.lines) {
        for (const LineMeaning& meaning : use.meanings) {
            const bool told = std::find(into.rules.begin(), into.rules.end(), meaning.rule) != into.rules.end();
            if (!told && into.rules.size() < most) into.rules.push_back(meaning.rule);
        }
    }
    for (const Term& term : lines.terms()) into.terms.push_back(use_of(term, setup));
}

}  // namespace

Answer run(const ExplainOptions& options, const Console& console) {
    const auto setup = load_setup_with_rules(options.rules);
    if (!setup) return answer_from(setup.error());
    Explanation explanation;
    Lines lines(setup->rules.book);
    Answer answer;
    for (const std::string& term : options.terms) {
        const Result<> known = explain(term, *setup, lines, explanation);
        if (known) continue;
        answer.code = kUsage;
        answer.err += "rdmadoctor: " + on_one_line(describe(known.error())) + "\n";
    }
    add_lines(lines, *setup, explanation);
    if (options.json) {
        answer.out = render_explanation_json(explanation);
    } else {
        answer.out = render_explanation_text(explanation, console.terminal);
    }
    return answer;
}

}  // namespace rd::cli
