// SPDX-License-Identifier: GPL-2.0-or-later
// verbs.device and verbs.gids: what libibverbs says about an RDMA device.
//
// The device is opened for each read and closed again: an open context counts as a user of the device, and drivers
// without disassociation cannot be unloaded or unplugged while one is held.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/records.h"
#include "core/base/result.h"

namespace rd {

[[nodiscard]] Result<std::string> read_verbs_device(const std::string& device, std::string_view object);
[[nodiscard]] Result<std::string> read_verbs_gids(const std::string& device, std::string_view object);

struct CloseContext {
    void operator()(ibv_context* context) const { ibv_close_device(context); }
};
using VerbsContext = std::unique_ptr<ibv_context, CloseContext>;
[[nodiscard]] Result<VerbsContext> open_verbs_context(const std::string& device, std::string_view object);

// Pure.
[[nodiscard]] Record verbs_device_record(const ibv_device_attr_ex& attributes);
[[nodiscard]] Record verbs_port_record(std::uint32_t port, const ibv_port_attr& attributes);
[[nodiscard]] Record verbs_gid_record(const ibv_gid_entry& entry);

}  // namespace rd
