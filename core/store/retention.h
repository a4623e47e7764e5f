// SPDX-License-Identifier: GPL-2.0-or-later
// What goes when: by age, and the oldest first when the file has become too large.
#pragma once

#include "core/store/store.h"

namespace rd::store {

[[nodiscard]] Result<> retain(Database& database, const Limits& limits, Millis now);

}  // namespace rd::store
