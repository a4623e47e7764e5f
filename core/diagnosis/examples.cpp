// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/report_prose.h"
#include "core/diagnosis/rulebook.h"
#include "core/diagnosis/scene.h"

namespace rd {
namespace {

std::string describe(const Outcome& outcome) {
    std::string out;
    for (const Evidence& one : outcome.evidence) {
        out += (out.empty() ? "" : "; ") + std::string(name_of(one.entity.kind)) + "." + one.fact;
        if (!one.how.empty()) out += " (" + one.how + ")";
        out += " = " + show(one.reading, one.unit);
    }
    for (const Missing& one : outcome.missing) {
        out += (out.empty() ? "" : "; ") + std::string("missing ") + std::string(name_of(one.entity.kind)) + "." +
               one.fact + ": " + std::string(name_of(one.gap.kind)) + ", " + one.gap.reason;
    }
    return out;
}

}  // namespace

std::vector<ExampleResult> run_examples(const Rule& rule, const Catalog& catalog) {
    std::vector<ExampleResult> results;
    for (const Example& example : rule.examples) {
        const Scene scene = make_scene(rule, example, catalog);
        const Verdict verdict = judge(rule, scene.history, scene.subject, scene.params);
        results.push_back(
            ExampleResult{rule.id, example.name, scene.expected, verdict.state, describe(verdict.outcome)});
    }
    return results;
}

}  // namespace rd
