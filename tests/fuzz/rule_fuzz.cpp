// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as a rule file: parsed with all complaints, and a good rule runs its examples and is linted.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/diagnosis/rulebook.h"

namespace {

using namespace rd;

constexpr FactSpec kRows[] = {
    {Kind::host, "intent", Type::text, Nature::config, "", ""},
    {Kind::port, "mtu", Type::integer, Nature::config, "bytes", ""},
    {Kind::port, "up", Type::boolean, Nature::config, "", ""},
    {Kind::port, "load", Type::real, Nature::gauge, "Gbit/s", ""},
    {Kind::port, "rx", Type::integer, Nature::counter, "packets", ""},
    reference(Kind::port, "netdev", Kind::netdev, ""),
    {Kind::netdev, "mtu", Type::integer, Nature::config, "bytes", ""},
    reference(Kind::priority, "port", Kind::port, ""),
    {Kind::priority, "pfc", Type::boolean, Nature::config, "", ""},
};

Catalog make_catalog() {
    const std::span<const FactSpec> tables[] = {kRows};
    return Catalog::build(tables).value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Catalog catalog = make_catalog();
    static const std::vector<std::string> knobs{"netdev.mtu"};
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto rule = parse_rule(text, "r", catalog, knobs);
    const auto judged = parse_rule(text, "r", catalog, knobs, RuleUse::judge);
    if (rule && (!judged || judged->id != rule->id || judged->fixes.size() != rule->fixes.size() ||
                 judged->logs.size() != rule->logs.size() || judged->explain != rule->explain))
        std::abort();
    if (!rule) {
        if (rule.error().empty()) std::abort();
        for (const Diagnostic& one : rule.error()) {
            if (one.message.empty()) std::abort();
        }
        return 0;
    }
    const std::vector<RuleFile> files{{"r", std::string(text)}};
    const Rules rules = build_rulebook(files, {}, catalog, knobs);
    if (!rules.errors.empty() || rules.book.rules.size() != 1) std::abort();
    (void)lint(rules.book, catalog);
    (void)run_examples(*rule, catalog);
    return 0;
}
