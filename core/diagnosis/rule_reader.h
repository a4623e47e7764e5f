// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/diagnosis/path.h"
#include "core/diagnosis/rule.h"
#include "core/diagnosis/toml_reader.h"

namespace rd {

// From a parsed TOML table to a Rule. Goes on after a complaint; the rule is good only when there were none.
class RuleReader {
public:
    RuleReader(TomlReader& toml, std::string_view file, const Catalog& catalog, std::span<const std::string> knobs,
               RuleUse use)
        : toml_(toml), file_(file), catalog_(catalog), knobs_(knobs), use_(use) {}

    Rule read(const toml::table& top);

private:
    void head(const toml::table& top);
    void params(const toml::table& top);
    std::optional<Expression> expression(const toml::table& top, std::string_view key, Kind scope);
    void peer(const toml::table& top);
    void logs(const toml::table& top);
    [[nodiscard]] tl::expected<LogPattern, PatternError> log_pattern(const std::string& text) const;
    void fixes(const toml::table& top);
    Fix fix(const toml::table& table, const std::string& place);
    void proofs(const toml::table& top);
    void prose(const toml::table& table, std::string_view key, const std::string& text);
    void prose_at(const toml::node& string, const std::string& text);
    void list(const toml::table& top, std::string_view key, std::vector<std::string>& into);

    // Examples (rule_examples.cpp).
    void examples(const toml::table& top);
    Example example(const toml::table& table);
    Example::Other other(const toml::table& table);
    template <class Scene>
    void scene(const toml::table& table, Kind scope, Scene& into);
    std::optional<FactPath> fact(const std::string& name, Kind scope, const toml::node& at);
    std::optional<Value> fact_value(const FactPath& path, const toml::node& at);
    std::optional<std::vector<std::optional<double>>> series(const FactPath& path, const toml::node& at);
    void same_lengths(const Example& example, const toml::table& table);

    TomlReader& toml_;
    std::string_view file_;
    const Catalog& catalog_;
    std::span<const std::string> knobs_;
    RuleUse use_;
    Rule rule_;
    bool scope_known_ = false;
};

}  // namespace rd
