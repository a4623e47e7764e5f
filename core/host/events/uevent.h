// SPDX-License-Identifier: GPL-2.0-or-later
// Messages about kernel objects ("uevents"). Private to core/host/events.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/host/events/inbox_source.h"

namespace rd::events {

// "ACTION@DEVPATH" and then KEY=value, each ended by a zero byte. nullopt: not of the kernel (udev writes in another form).
struct Uevent {
    std::string action;
    std::string device;  // the last part of DEVPATH: uverbs0, mlx5_0, nvme3
    std::map<std::string, std::string, std::less<>> properties;

    [[nodiscard]] std::string property(std::string_view key) const;  // empty when there is none of this name
};
[[nodiscard]] std::optional<Uevent> decode_uevent(Bytes message);

class UeventDecoder final : public Decoder {
public:
    [[nodiscard]] Result<> take(Bytes message, Events& out) override;
};

[[nodiscard]] Result<std::unique_ptr<Inbox>> uevent_inbox();

}  // namespace rd::events
