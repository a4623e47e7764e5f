// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <fstream>
#include <sstream>

#include "core/diagnosis/rulebook.h"
#include "world.h"

namespace rd::test {

inline const std::vector<std::string> kKnobs = {"netdev.mtu", "priority.pfc_enabled"};

inline tl::expected<Rule, std::vector<Diagnostic>> parse(std::string_view toml, std::string_view file = "r.toml") {
    return parse_rule(toml, file, catalog(), kKnobs);
}

inline std::vector<std::string> printed(const std::vector<Diagnostic>& all) {
    std::vector<std::string> out;
    for (const Diagnostic& one : all) out.push_back(one.print());
    return out;
}

inline std::vector<std::string> complaints(std::string_view toml) {
    const auto rule = parse(toml);
    return rule ? std::vector<std::string>{} : printed(rule.error());
}

// The least a rule needs, with `more` behind it.
inline std::string minimal(std::string_view id, std::string_view when, std::string_view more = "",
                           std::string_view scope = "port", std::string_view severity = "high") {
    std::ostringstream out;
    out << "id = \"" << id << "\"\ntitle = \"Title of " << id << "\"\nseverity = \"" << severity
        << "\"\nmaturity = \"stable\"\nscope = \"" << scope << "\"\nwhen = '" << when << "'\n"
        << more;
    return out.str();
}

inline Rules book_of(const std::vector<std::string>& shipped, const std::vector<std::string>& site = {}) {
    std::vector<RuleFile> a, b;
    for (const std::string& text : shipped) a.push_back({"rules/" + std::to_string(a.size()), text});
    for (const std::string& text : site) b.push_back({"site/" + std::to_string(b.size()), text});
    return build_rulebook(a, b, catalog(), kKnobs);
}

inline Rule rule_of(std::string_view toml) {
    auto rule = parse(toml);
    if (!rule) throw std::invalid_argument(rule.error()[0].print());
    return std::move(*rule);
}

// The rule in docs/rules.md: what authors copy must be right.
inline std::string documented_rule() {
    std::ifstream in(RDMADOCTOR_SOURCE_DIR "/docs/rules.md");
    std::stringstream text;
    text << in.rdbuf();
    const std::string page = text.str();
    const std::size_t begin = page.find("```toml\n") + 8;
    return page.substr(begin, page.find("```", begin) - begin);
}

}  // namespace rd::test

namespace rd {
inline void PrintTo(State state, std::ostream* out) { *out << name_of(state); }
inline void PrintTo(Severity severity, std::ostream* out) { *out << name_of(severity); }
}  // namespace rd
