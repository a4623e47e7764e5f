// SPDX-License-Identifier: GPL-2.0-or-later
// rules_check DIR: do the rules below DIR prove themselves? Prints each fault and, last, how much was proven.
#include <cstdio>
#include <string>
#include <vector>

#include "collectors/all.h"
#include "core/diagnosis/rules_diff.h"
#include "core/program/files.h"

namespace {

struct Tally {
    std::size_t faults = 0, examples = 0, mutants = 0, killed = 0, equivalent = 0;

    void fault(const std::string& what) {
        ++faults;
        std::printf("%s\n", what.c_str());
    }
};

void check_examples(const rd::Rule& rule, const rd::Catalog& catalog, Tally& tally) {
    for (const rd::ExampleResult& result : rd::run_examples(rule, catalog)) {
        ++tally.examples;
        if (result.passed()) continue;
        tally.fault(rule.id + ": example '" + result.example + "': expected " +
                    std::string(rd::name_of(result.expected)) + ", got " + std::string(rd::name_of(result.got)) + ": " +
                    result.detail);
    }
}

void check_mutants(const rd::Rule& rule, const rd::Catalog& catalog, Tally& tally) {
    const std::vector<rd::Mutant> mutants = rd::run_mutants(rule, catalog);
    for (const rd::Mutant& mutant : mutants) {
        ++tally.mutants;
        if (mutant.killed) ++tally.killed;
        if (mutant.listed_equivalent) ++tally.equivalent;
        if (!mutant.killed && !mutant.listed_equivalent)
            tally.fault(rule.id + ": no example notices, the mutant survives: " + mutant.what);
        if (mutant.killed && mutant.listed_equivalent)
            tally.fault(rule.id + ": is listed equivalent and is killed: " + mutant.what);
    }
    for (const std::string& entry : rule.equivalent_mutants) {
        const std::string_view name = std::string_view(entry).substr(0, entry.find(" — "));
        if (name.size() == entry.size())
            tally.fault(rule.id + ": is listed equivalent without a reason after ' — ': " + entry);
        const bool exists =
            std::any_of(mutants.begin(), mutants.end(), [&](const rd::Mutant& mutant) { return mutant.what == name; });
        if (!exists) tally.fault(rule.id + ": is listed equivalent and does not exist: " + entry);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: rules_check DIR\n");
        return 64;
    }
    const auto catalog = rd::collectors::catalog();
    if (!catalog) {
        std::fprintf(stderr, "%s\n", catalog.error().what.c_str());
        return 70;
    }
    const auto read = rd::read_rule_files(argv[1]);
    if (!read) {
        std::fprintf(stderr, "%s\n", rd::describe(read.error()).c_str());
        return 70;
    }
    const std::vector<rd::RuleFile>& files = *read;
    const std::vector<std::string> names = rd::collectors::knob_names();
    const rd::Rules rules = rd::build_rulebook(files, {}, *catalog, names);
    Tally tally;
    for (const rd::Diagnostic& one : rules.errors) tally.fault(one.print());
    // Who only judges reads less of each file.
    const rd::Rules judged = rd::build_rulebook(files, {}, *catalog, names, rd::RuleUse::judge);
    for (const rd::RuleDiff& other : rd::diff_rules(rules.book, judged.book))
        tally.fault(other.id + ": is another rule when it is read to judge");
    for (const rd::Diagnostic& one : rd::lint(rules.book, *catalog)) tally.fault(one.print());
    for (const rd::Rule& rule : rules.book.rules) {
        check_mutants(rule, *catalog, tally);
        check_examples(rule, *catalog, tally);
    }
    if (files.empty()) tally.fault("no rule below " + std::string(argv[1]));
    std::printf("rules %zu, examples %zu, mutants killed %zu / generated %zu (equivalent %zu), faults %zu\n",
                rules.book.rules.size(), tally.examples, tally.killed, tally.mutants, tally.equivalent, tally.faults);
    return tally.faults == 0 ? 0 : 1;
}
