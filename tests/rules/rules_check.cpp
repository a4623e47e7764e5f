// SPDX-License-Identifier: GPL-2.0-or-later
// rules_check DIR: do the rules below DIR prove themselves? Prints each fault and, last, how much was proven.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "collectors/all.h"
#include "core/diagnosis/rulebook.h"

namespace {

namespace fs = std::filesystem;

std::vector<rd::RuleFile> read_files(const fs::path& directory) {
    std::vector<rd::RuleFile> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
        if (entry.path().extension() != ".toml") continue;
        std::ifstream in(entry.path(), std::ios::binary);
        files.push_back({entry.path().string(), std::string(std::istreambuf_iterator<char>(in), {})});
    }
    std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return files;
}

std::vector<std::string> knobs() {
    std::vector<std::string> names;
    for (const rd::Collector* collector : rd::collectors::all()) {
        for (const rd::Knob& knob : collector->knobs) names.emplace_back(knob.fact);
    }
    return names;
}

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
    const std::vector<rd::RuleFile> files = read_files(argv[1]);
    const std::vector<std::string> names = knobs();
    const rd::Rules rules = rd::build_rulebook(files, {}, *catalog, names);
    Tally tally;
    for (const rd::Diagnostic& one : rules.errors) tally.fault(one.print());
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
