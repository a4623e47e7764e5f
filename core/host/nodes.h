// SPDX-License-Identifier: GPL-2.0-or-later
// The device nodes of RDMA below /dev/infiniband and who may open them. Looked at, not opened: opening one is use of the device.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace rd {

// The records of infiniband.nodes (subjects.h), for the nodes in `directory`.
[[nodiscard]] Result<std::string> list_nodes(const std::string& directory, std::string_view object);

[[nodiscard]] Result<std::string> read_infiniband_nodes(const std::string& target, std::string_view object);

}  // namespace rd
