// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/page.h"
#include "cli/render/rules.h"
#include "cli/render/words.h"
#include "core/base/text.h"

namespace rd::cli {
namespace {

// A text that the author of the rule parts into paragraphs.
void prose(Page& page, std::string_view label, std::string_view text) {
    if (!text.empty()) page.paragraphs(2, text, Paint::plain, label_lead(label));
}

// A condition as written: its line breaks are part of how it reads.
void condition(Page& page, std::string_view label, std::string_view text) {
    std::string lead = label_lead(label);
    for (const std::string_view line : lines(trim(text))) {
        page.line(2, {{lead}, {std::string(trim(line)), Paint::cyan}});
        lead.assign(kLabelWidth, ' ');
    }
}

std::string params_text(const Params& params) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : params) parts.push_back("$" + name + " = " + print(value));
    return joined(parts, ", ");
}

void print_fix(Page& page, const Fix& fix) {
    const std::string cost = fix.cost ? " (" + std::string(name_of(*fix.cost)) + ")" : "";
    prose(page, "fix", (fix.set.empty() ? fix.advice : "set " + fix.set + " to " + fix.to) + cost);
    for (const std::string& command : fix.commands) page.line(2 + kLabelWidth, command, Paint::green);
}

void print_head(Page& page, const Rule& rule) {
    page.line(0, {{rule.id, Paint::bold}});
    page.prose(2, rule.title);
    page.line(2,
              std::string(name_of(rule.severity)) + " · " + std::string(name_of(rule.maturity)) +
                  " · judged for each " + std::string(name_of(rule.scope)),
              Paint::dim);
    if (!rule.enabled) page.prose(2, "disabled: " + rule.disabled_because, Paint::yellow);
    page.blank();
}

void print_logs(Page& page, const Rule& rule) {
    for (const LogPattern& log : rule.logs) {
        std::string sure = log.confidence == Confidence::low ? "suspects only" : std::string(name_of(log.confidence));
        if (!log.source.empty()) sure = log.source + ", " + sure;
        page.line(2, {{label_lead("log line")}, {log.text, Paint::cyan}, {"  (" + sure + ")", Paint::dim}});
        for (const std::string& sample : log.samples) page.prose(2 + kLabelWidth, sample, Paint::dim);
    }
}

void print_knowledge(Page& page, const Rule& rule) {
    prose(page, "symptom", rule.symptom);
    prose(page, "means", trim(rule.explain));
    page.field("reads", joined(rule.when.facts(), ", "));
    condition(page, "fires when", rule.when.text());
    print_logs(page, rule);
    if (rule.suspect) condition(page, "suspect if", rule.suspect->text());
    if (rule.cleared_by) condition(page, "cleared if", rule.cleared_by->text());
    page.field("parameters", params_text(rule.params));
    if (rule.hold.count() != 0) page.field("for", print_duration(rule.hold) + " (the daemon waits so long)");
    page.field("caused by", joined(rule.caused_by, ", "));
    std::string lead = label_lead("on the peer");
    for (const std::string& command : rule.peer) {
        page.line(2, {{lead}, {command, Paint::green}});
        lead.assign(kLabelWidth, ' ');
    }
    for (const Fix& fix : rule.fixes) print_fix(page, fix);
    for (const Proof& proof : rule.proofs) {
        std::vector<std::string> parts;
        if (proof.quiet_for) parts.push_back("quiet for " + print_duration(*proof.quiet_for));
        if (!proof.workload.empty()) parts.push_back("workload " + proof.workload);
        page.field("proof", joined(parts, ", "));
    }
    for (const std::string& reference : rule.references) page.field("see", reference);
}

std::string nature_text(Nature nature) {
    std::string text(name_of(nature));
    if (nature == Nature::counter32) return text + ": wraps at 2^32, which rates allow for";
    if (is_saturating(nature)) {
        return text + ": sticks at " + std::to_string(counter_max(nature)) + ", after which its rate is unknown";
    }
    if (nature == Nature::percent) return text + " of the last second: no counter, whatever its name says";
    return text;
}

void print_counters(Page& page, const std::vector<CounterUse>& counters) {
    if (counters.empty()) return;
    page.line(2, "in drivers:");
    std::vector<std::vector<Page::Piece>> rows;
    for (const CounterUse& each : counters) {
        const std::string note = each.note.empty() ? "" : "; " + std::string(each.note);
        rows.push_back({{std::string(each.driver)},
                        {std::string(each.name), Paint::bold},
                        {std::string(each.width) + note, Paint::plain}});
    }
    page.table(4, std::move(rows));
}

std::string number_or_gap(const std::optional<double>& value) { return value ? number_text(*value) : "_"; }

void print_example(Page& page, const Example& example) {
    page.line(2,
              {{"example "}, {example.name, Paint::bold}, {" → " + std::string(name_of(example.expect)), Paint::dim}});
    std::vector<std::vector<Page::Piece>> rows;
    for (const auto& [fact, value] : example.facts) rows.push_back({{fact}, {print(value)}});
    for (const auto& [fact, gap] : example.gaps) rows.push_back({{fact}, {"gap: " + gap}});
    for (const auto& [fact, values] : example.series) {
        std::vector<std::string> numbers;
        for (const auto& value : values) numbers.push_back(number_or_gap(value));
        rows.push_back({{fact}, {joined(numbers, " ") + " each " + print_duration(example.every)}});
    }
    for (const Example::Other& other : example.others) {
        std::vector<std::string> parts;
        for (const auto& [fact, value] : other.facts) parts.push_back(fact + " = " + print(value));
        for (const auto& [fact, gap] : other.gaps) parts.push_back(fact + " gap: " + gap);
        for (const auto& [fact, values] : other.series)
            parts.push_back(fact + " in " + std::to_string(values.size()) + " sweeps");
        rows.push_back({{"with a " + std::string(name_of(other.kind))}, {joined(parts, ", ")}});
    }
    if (!example.params.empty()) rows.push_back({{"parameters"}, {params_text(example.params)}});
    page.table(4, std::move(rows));
}

}  // namespace

std::string render_rule_list_text(const Rulebook& book, const Terminal& terminal) {
    Page page(terminal);
    std::vector<std::vector<Page::Piece>> rows;
    std::size_t disabled = 0;
    for (const Rule& rule : book.rules) {
        if (!rule.enabled) ++disabled;
        rows.push_back({{rule.id, Paint::bold},
                        {std::string(name_of(rule.severity))},
                        {std::string(name_of(rule.maturity))},
                        {std::string(name_of(rule.scope))},
                        {rule.enabled ? "on" : "off", rule.enabled ? Paint::plain : Paint::yellow},
                        {rule.title}});
    }
    page.table(0, std::move(rows));
    page.blank();
    page.line(0,
              counted(book.rules.size(), "rule", "rules") + ", " + std::to_string(disabled) + " disabled, version " +
                  book.version + " (" + book.hash + ")",
              Paint::dim);
    return page.text();
}

std::string render_rule_text(const Rule& rule, const Terminal& terminal) {
    Page page(terminal);
    print_head(page, rule);
    print_knowledge(page, rule);
    page.field("file", rule.file);
    page.blank();
    for (const Example& example : rule.examples) print_example(page, example);
    for (const std::string& mutant : rule.equivalent_mutants) page.field("equivalent", mutant);
    return page.text();
}

std::string render_explanation_text(const Explanation& explanation, const Terminal& terminal) {
    Page page(terminal);
    print_lines(page, explanation);
    for (const Rule* rule : explanation.rules) {
        page.blank();
        print_head(page, *rule);
        print_knowledge(page, *rule);
    }
    for (const FactUse& use : explanation.facts) {
        page.blank();
        page.line(0, {{std::string(name_of(use.spec->kind)) + "." + use.name, Paint::bold}});
        page.prose(2, use.spec->doc);
        page.field("type", use.spec->type == Type::reference ? "reference to " + std::string(name_of(use.spec->target))
                                                             : std::string(name_of(use.spec->type)));
        page.field("nature", nature_text(use.spec->nature));
        page.field("unit", use.spec->unit);
        page.field("read by", use.rules.empty() ? "no rule" : joined(use.rules, ", "));
        print_counters(page, use.counters);
    }
    for (const TermUse& use : explanation.terms) {
        page.blank();
        print_term(page, use);
    }
    return page.text();
}

}  // namespace rd::cli
