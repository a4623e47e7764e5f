// SPDX-License-Identifier: GPL-2.0-or-later
// Notifications of RDMA netlink. Private to core/host/events.
#pragma once

#include "core/host/events/inbox_source.h"

namespace rd::events {

class RdmaMonitorDecoder final : public Decoder {
public:
    [[nodiscard]] Result<> take(Bytes message, Events& out) override;
};

}  // namespace rd::events
