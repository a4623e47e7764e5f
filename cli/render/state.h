// SPDX-License-Identifier: GPL-2.0-or-later
// How a host stood at a time, as the daemon has kept it (/v1/state in docs/api.md), in the form in which it stands after a sweep.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/facts/snapshot.h"

namespace rd::cli {

struct PastState {
    Snapshot snapshot;     // its stamp is that of the last look it is made of; both clocks show the wall's
    std::string boot_id;   // of the run that looked
    bool watched = false;  // the run went on at the time that was asked for; else it is how the host stood before
};

// An Error where the daemon has nothing of that time. Facts that the catalogue does not have, or has as another type, are left out.
[[nodiscard]] Result<PastState> past_state(const std::string& body, const Catalog& catalog);

// Where one time has a fact of an entity that another has not, for it was not read or is no longer kept: a gap there that says so.
void say_what_is_not_kept(std::span<PastState> states);

}  // namespace rd::cli
