// SPDX-License-Identifier: GPL-2.0-or-later
// The small host of an example, as the history of its sweeps.
#pragma once

#include "core/diagnosis/evaluate.h"

namespace rd {

struct Scene {
    History history;
    Entity subject;
    Params params;  // the rule's, with what the example sets
    State expected;
};

[[nodiscard]] Scene make_scene(const Rule& rule, const Example& example, const Catalog& catalog);

}  // namespace rd
