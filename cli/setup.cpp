// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/setup.h"

#include <algorithm>
#include <utility>

#include "cli/files.h"
#include "collectors/all.h"

namespace rd::cli {
namespace {

constexpr const char* kConfig = "/etc/rdmadoctor/rdmadoctor.toml";
constexpr const char* kSiteRules = "/etc/rdmadoctor/rules.d";

std::vector<std::string> knob_names() {
    std::vector<std::string> names;
    for (const Collector* collector : collectors::all()) {
        for (const Knob& knob : collector->knobs) names.emplace_back(knob.fact);
    }
    return names;
}

OrFailure<Site> load_site(const std::string& given) {
    const std::string path = given.empty() ? kConfig : given;
    if (given.empty() && !exists(path)) return Site{};
    const Result<std::string> text = read_own_file(path);
    if (!text) return usage_failure(describe(text.error()));
    Result<Site> site = parse_site(*text, path);
    if (!site) return usage_failure(describe(site.error()));
    return std::move(*site);
}

OrFailure<std::vector<RuleFile>> load_shipped() {
    const Result<std::string> directory = shipped_rules_directory();
    if (!directory) return internal_failure(describe(directory.error()));
    Result<std::vector<RuleFile>> files = read_rule_files(*directory);
    if (!files) return internal_failure(describe(files.error()));
    if (files->empty()) return internal_failure(*directory + ": holds no rules; nothing can be judged without them");
    return std::move(*files);
}

OrFailure<std::vector<RuleFile>> load_site_rules(const std::string& given) {
    const std::string directory = given.empty() ? kSiteRules : given;
    if (given.empty() && !exists(directory)) return std::vector<RuleFile>{};
    Result<std::vector<RuleFile>> files = read_rule_files(directory);
    if (!files) return usage_failure(describe(files.error()));
    return std::move(*files);
}

Rules build(const Setup& setup, std::span<const RuleFile> shipped, std::span<const RuleFile> site) {
    return build_rulebook(shipped, site, *setup.catalog, setup.knobs);
}

bool defines(const Rulebook& book, std::string_view file) {
    return std::any_of(book.rules.begin(), book.rules.end(), [&](const Rule& rule) { return rule.file == file; });
}

}  // namespace

OrFailure<Setup> load_setup(const RuleSource& source) {
    Result<Catalog> catalog = collectors::catalog();
    if (!catalog) return internal_failure(describe(catalog.error()));
    OrFailure<Site> site = load_site(source.config);
    if (!site) return tl::unexpected<Failure>(site.error());
    return Setup{std::make_unique<Catalog>(std::move(*catalog)), knob_names(), std::move(*site), {}};
}

OrFailure<Setup> load_setup_with_rules(const RuleSource& source) {
    OrFailure<Setup> setup = load_setup(source);
    if (!setup) return setup;
    const auto shipped = load_shipped();
    if (!shipped) return tl::unexpected<Failure>(shipped.error());
    const auto site = load_site_rules(source.rules_dir);
    if (!site) return tl::unexpected<Failure>(site.error());
    setup->rules = build(*setup, *shipped, *site);
    const bool usable = std::any_of(shipped->begin(), shipped->end(),
                                    [&](const RuleFile& file) { return defines(setup->rules.book, file.name); });
    if (!usable) return internal_failure("none of the shipped rules could be loaded\n" + print(setup->rules.errors));
    return setup;
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

std::string print(const std::vector<Diagnostic>& diagnostics) {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics) text += diagnostic.print() + "\n";
    return text;
}

}  // namespace rd::cli
