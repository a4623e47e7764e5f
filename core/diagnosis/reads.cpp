// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/reads.h"

#include <algorithm>

#include "core/diagnosis/node.h"

namespace rd {
namespace {

bool reads(const Expression::Node& node, const FactSpec& spec) {
    if (node.path != nullptr && node.path->spec == &spec) return true;
    return std::any_of(node.children.begin(), node.children.end(),
                       [&](const Expression::Node& child) { return reads(child, spec); });
}

}  // namespace

bool reads(const Rule& rule, const FactSpec& spec) {
    return reads(rule.when.root(), spec) || (rule.suspect && reads(rule.suspect->root(), spec));
}

}  // namespace rd
