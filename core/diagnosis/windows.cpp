// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/windows.h"

#include <algorithm>

#include "core/diagnosis/node.h"

namespace rd {
namespace {

void collect(const Expression& expression, const Expression::Node& node, const Params& params, Windows& into) {
    if (has_window(node.op)) {
        const FactSpec& spec = *node.children[0].path->spec;
        std::chrono::nanoseconds& longest = into[{spec.kind, spec.name}];
        longest = std::max(longest, expression.window(node.children[1], params));
    }
    for (const Expression::Node& child : node.children) collect(expression, child, params, into);
}

}  // namespace

Windows windows_of(const Rulebook& book) {
    Windows windows;
    for (const Rule& rule : book.rules) {
        if (!rule.enabled) continue;
        if (rule.when) collect(rule.when, rule.when.root(), rule.params, windows);
        if (rule.suspect) collect(*rule.suspect, rule.suspect->root(), rule.params, windows);
    }
    return windows;
}

}  // namespace rd
