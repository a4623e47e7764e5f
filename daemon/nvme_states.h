// SPDX-License-Identifier: GPL-2.0-or-later
// NVMe controllers that lose their connection and have it again, as events: the kernel tells of controllers that come and go, and of none
// that goes from live to resetting to connecting and back. What a sweep does not see, because it took less than a second, is not told.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/facts/history.h"
#include "core/store/store.h"

namespace rd::daemon {

class NvmeStates {
public:
    // Once after each sweep. Source "nvme", name "state", subject the controller; details: from, to. What was there at the first look is no
    // event, and neither is a state that cannot be read.
    [[nodiscard]] std::vector<store::Event> update(const History& history);

private:
    std::map<Entity, std::string> states_;
};

}  // namespace rd::daemon
