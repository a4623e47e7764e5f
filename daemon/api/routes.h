// SPDX-License-Identifier: GPL-2.0-or-later
// The endpoints. What is asked of the present is answered from a frame, what is asked of the past from the store, which is opened for
// the request and read only. docs/api.md lists them.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "daemon/alert_desk.h"
#include "daemon/api/query.h"
#include "daemon/exposition.h"
#include "daemon/frame.h"

namespace rd::daemon {

// Metrics as text. Several who scrape after the same sweep get the same text.
class MetricsText {
public:
    [[nodiscard]] std::shared_ptr<const std::string> of(const std::shared_ptr<const Frame>& frame, Form form);

private:
    std::mutex mutex_;
    struct Made {
        std::shared_ptr<const Frame> frame;
        std::shared_ptr<const std::string> text;
    } made_[2];
};

// False as well for what will be refused whatever the frame says.
[[nodiscard]] bool needs_frame(const Request& request);
// What answers come from.
struct Known {
    std::shared_ptr<const Frame> frame;  // not null when needs_frame()
    std::string store;                   // path of metrics.db, empty when nothing is kept
    AlertDesk& alerts;
};
[[nodiscard]] Reply answer(const Request& request, const Known& known, MetricsText& metrics);

}  // namespace rd::daemon
