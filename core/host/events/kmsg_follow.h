// SPDX-License-Identifier: GPL-2.0-or-later
// Records of the kernel log as events. Private to core/host/events.
#pragma once

#include <cstdint>
#include <optional>

#include "core/host/events/inbox_source.h"

namespace rd::events {

class KmsgDecoder final : public Decoder {
public:
    [[nodiscard]] Result<> take(Bytes record, Events& out) override;
    // How many were lost shows in the number of the next record, so it waits for that.
    void overrun(std::optional<std::uint64_t> lost, Events& out) override;

private:
    std::optional<std::uint64_t> last_;  // its number
    bool overrun_ = false;
};

}  // namespace rd::events
