// SPDX-License-Identifier: GPL-2.0-or-later
// Which character device of verbs (uverbs0) belongs to which RDMA device.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/host/host.h"

namespace rd::collectors {

inline constexpr std::string_view kVerbsClass = "/sys/class/infiniband_verbs";

// RDMA device → uverbsN. `entries`: the listing of kVerbsClass, or why there is none. An ibdev that cannot be read is an Error: to whom
// the node belongs would be a guess.
using UverbsNodes = std::map<std::string, std::string, std::less<>>;
[[nodiscard]] Result<UverbsNodes> uverbs_nodes(const Host& host, const Result<std::vector<std::string>>& entries);

}  // namespace rd::collectors
