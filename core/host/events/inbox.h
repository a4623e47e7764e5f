// SPDX-License-Identifier: GPL-2.0-or-later
// Where messages come in: a netlink multicast socket, the kernel log. Private to core/host/events; the seam at which tests put in
// messages of their own.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/host/socket_attributes.h"

namespace rd::events {

class Inbox {
public:
    enum class Got { message, nothing, overrun };

    virtual ~Inbox() = default;
    [[nodiscard]] virtual int fd() const = 0;
    // Never waits. `message` is good until the next call.
    [[nodiscard]] virtual Result<Got> receive(Bytes& message) = 0;
    // How many messages the overrun that was just reported has lost, where that is known.
    [[nodiscard]] virtual std::optional<std::uint64_t> lost() { return std::nullopt; }
};

// Messages of the kernel to these groups. The socket's buffer is as large as we may make it.
[[nodiscard]] Result<std::unique_ptr<Inbox>> netlink_inbox(int protocol, std::initializer_list<std::uint32_t> groups,
                                                           std::string_view object);

}  // namespace rd::events
