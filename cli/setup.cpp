// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/setup.h"

#include <algorithm>
#include <utility>

#include "collectors/all.h"
#include "core/base/escape.h"
#include "core/program/files.h"

namespace rd::cli {
namespace {

OrFailure<Site> load_site(const std::string& given, bool own) {
    const std::string path = given.empty() ? kConfigFile : given;
    if (given.empty() && (!own || !exists(path))) return Site{};
    const Result<std::string> text = read_own_file(path);
    if (!text) return usage_failure(describe(text.error()));
    Result<Site> site = parse_site(*text, path);
    if (!site) return usage_failure(describe(site.error()));
    return std::move(*site);
}

OrFailure<std::vector<RuleFile>> load_shipped() {
    Result<std::vector<RuleFile>> files = read_shipped_rules();
    if (!files) return internal_failure(describe(files.error()));
    return std::move(*files);
}

OrFailure<std::vector<RuleFile>> load_site_rules(const std::string& given, bool own) {
    const std::string directory = given.empty() ? kSiteRules : given;
    if (given.empty() && (!own || !exists(directory))) return std::vector<RuleFile>{};
    Result<std::vector<RuleFile>> files = read_rule_files(directory);
    if (!files) return usage_failure(describe(files.error()));
    return std::move(*files);
}

Rules build(const Setup& setup, std::span<const RuleFile> shipped, std::span<const RuleFile> site,
            RuleUse use = RuleUse::prove) {
    return build_rulebook(shipped, site, *setup.catalog, setup.knobs, use);
}

// A rule that does not load would be silent, and silence reads as health.
tl::unexpected<Failure> broken_rules(const std::vector<Diagnostic>& errors) {
    return tl::unexpected<Failure>(
        Failure{kUsage, errors.front().print(),
                print({errors.begin() + 1, errors.end()}) +
                    "Nothing is judged by a part of the rules: mend or remove what is wrong with these.\n"});
}

}  // namespace

OrFailure<Setup> load_setup(const RuleSource& source) {
    Result<Catalog> catalog = collectors::catalog();
    if (!catalog) return internal_failure(describe(catalog.error()));
    OrFailure<Site> site = load_site(source.config, source.own_site);
    if (!site) return tl::unexpected<Failure>(site.error());
    return Setup{std::make_unique<Catalog>(std::move(*catalog)), collectors::knob_names(), std::move(*site), {}};
}

OrFailure<Setup> load_setup_with_rules(const RuleSource& source) {
    OrFailure<Setup> setup = load_setup(source);
    if (!setup) return setup;
    const auto shipped = load_shipped();
    if (!shipped) return tl::unexpected<Failure>(shipped.error());
    const auto site = load_site_rules(source.rules_dir, source.own_site);
    if (!site) return tl::unexpected<Failure>(site.error());
    setup->rules = build(*setup, *shipped, *site, RuleUse::judge);
    if (!setup->rules.errors.empty()) return broken_rules(setup->rules.errors);
    return setup;
}

OrFailure<Rule> with_examples(const Rule& rule, const Setup& setup) {
    const Result<std::string> text = read_own_file(rule.file);
    if (!text) return usage_failure(describe(text.error()));
    const auto whole = parse_rule(*text, rule.file, *setup.catalog, setup.knobs);
    if (!whole) return broken_rules(whole.error());
    Rule shown = rule;  // with what a site changed
    shown.examples = whole->examples;
    return shown;
}

bool Subjects::covers(std::string_view file) const {
    return std::find(files.begin(), files.end(), file) != files.end();
}

OrFailure<Subjects> load_subjects(const std::string& directory) {
    OrFailure<Setup> setup = load_setup({});
    if (!setup) return tl::unexpected<Failure>(setup.error());
    auto shipped = load_shipped();
    Subjects subjects{std::move(*setup), {}};
    if (directory.empty()) {
        if (!shipped) return tl::unexpected<Failure>(shipped.error());
        for (const RuleFile& file : *shipped) subjects.files.push_back(file.name);
        subjects.setup.rules = build(subjects.setup, *shipped, {});
        return subjects;
    }
    Result<std::vector<RuleFile>> given = read_rule_files(directory);
    if (!given) return usage_failure(describe(given.error()));
    if (given->empty()) return usage_failure(directory + ": holds no *.toml file");
    for (const RuleFile& file : *given) subjects.files.push_back(file.name);
    // Rules of the same id as shipped ones can only be meant to stand in their place.
    std::vector<RuleFile> base = shipped ? std::move(*shipped) : std::vector<RuleFile>{};
    const Rules shipped_rules = build(subjects.setup, base, {});
    const Rules given_rules = build(subjects.setup, *given, {});
    const auto replaces = [&](const Rule& rule) { return shipped_rules.book.find(rule.id) != nullptr; };
    const bool working_copy =
        base.empty() || std::any_of(given_rules.book.rules.begin(), given_rules.book.rules.end(), replaces);
    if (!working_copy) {
        if (!shipped_rules.errors.empty()) return broken_rules(shipped_rules.errors);
        subjects.setup.rules = build(subjects.setup, base, *given);
        return subjects;
    }
    std::erase_if(base, [&](const RuleFile& file) {
        return std::any_of(shipped_rules.book.rules.begin(), shipped_rules.book.rules.end(), [&](const Rule& rule) {
            return rule.file == file.name && given_rules.book.find(rule.id) != nullptr;
        });
    });
    base.insert(base.end(), given->begin(), given->end());
    subjects.setup.rules = build(subjects.setup, base, {});
    return subjects;
}

OrFailure<Rulebook> load_rules_of(const std::string& directory, const Setup& setup) {
    const Result<std::vector<RuleFile>> files = read_rule_files(directory);
    if (!files) return usage_failure(describe(files.error()));
    if (files->empty()) return usage_failure(directory + ": holds no *.toml file");
    Rules rules = build(setup, *files, {});
    if (!rules.errors.empty()) return broken_rules(rules.errors);
    return std::move(rules.book);
}

std::string print(const std::vector<Diagnostic>& diagnostics) {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics) text += on_one_line(diagnostic.print()) + "\n";
    return text;
}

}  // namespace rd::cli
