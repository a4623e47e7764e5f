// SPDX-License-Identifier: GPL-2.0-or-later
// Notifications of devlink. Private to core/host/events.
#pragma once

#include <cstdint>
#include <optional>

#include "core/host/events/inbox_source.h"

namespace rd::events {

// A family of generic netlink: its message type, and a multicast group of it.
struct GenericGroup {
    std::uint16_t family = 0;
    std::uint32_t group = 0;
};
[[nodiscard]] Result<GenericGroup> decode_generic_group(Bytes attributes, std::string_view group);

class DevlinkDecoder final : public Decoder {
public:
    explicit DevlinkDecoder(std::uint16_t family) : family_(family) {}
    [[nodiscard]] Result<> take(Bytes message, Events& out) override;

private:
    std::uint16_t family_;
};

}  // namespace rd::events
