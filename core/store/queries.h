// SPDX-License-Identifier: GPL-2.0-or-later
// The statements that the writer runs again and again. Private to it.
#pragma once

#include "core/store/store.h"

namespace rd::store {

struct Store::Queries {
    Statement journal, state, last_state, run, clock, event, recount, begin_finding, end_finding;
};

}  // namespace rd::store
