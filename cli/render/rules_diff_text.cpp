// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "cli/render/page.h"
#include "cli/render/rules.h"
#include "cli/render/words.h"
#include "core/base/text.h"

namespace rd::cli {
namespace {

void print_side(Page& page, std::string_view sign, std::string_view text, Paint paint) {
    if (text.empty()) return;
    for (const std::string_view line : lines(text)) page.prose(4, line, paint, sign);
}

void print_change(Page& page, const RuleChange& change) {
    const bool short_ones = change.before.size() + change.after.size() < 60 && !change.before.empty() &&
                            !change.after.empty() && change.before.find('\n') == std::string::npos &&
                            change.after.find('\n') == std::string::npos;
    if (short_ones) {
        page.line(2, {{change.part + ": "}, {change.before, Paint::dim}, {" → "}, {change.after, Paint::bold}});
        return;
    }
    page.line(2, change.part + ":");
    print_side(page, "- ", change.before, Paint::dim);
    print_side(page, "+ ", change.after, Paint::plain);
}

}  // namespace

std::string render_rules_diff_text(const RulesDiffView& view, const Terminal& terminal) {
    Page page(terminal);
    std::size_t totals[3] = {}, judging = 0;
    for (const RuleDiff& diff : view.diffs) {
        ++totals[static_cast<std::size_t>(diff.kind)];
        const bool judges = std::any_of(diff.changes.begin(), diff.changes.end(),
                                        [](const RuleChange& change) { return change.judges; });
        if (judges) ++judging;
        const Paint paint = diff.kind == RuleDiff::Kind::added     ? Paint::green
                            : diff.kind == RuleDiff::Kind::removed ? Paint::red
                                                                   : Paint::yellow;
        page.line(0, {{std::string(name_of(diff.kind)), paint},
                      {"  "},
                      {diff.id, Paint::bold},
                      {"  " + std::string(name_of(diff.severity)) + "  " + diff.title}});
        for (const RuleChange& change : diff.changes) print_change(page, change);
    }
    page.blank();
    const std::string sum = view.diffs.empty()
                                ? "The rules are the same"
                                : std::to_string(totals[0]) + " added, " + std::to_string(totals[1]) + " removed, " +
                                      std::to_string(totals[2]) + " changed (" + std::to_string(judging) +
                                      " in what they judge, the others in words)";
    page.line(0, sum + " · " + view.before.hash + " → " + view.after.hash);
    return page.text();
}

}  // namespace rd::cli
