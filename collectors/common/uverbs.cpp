// SPDX-License-Identifier: GPL-2.0-or-later
#include "collectors/common/uverbs.h"

#include <fmt/format.h>

#include "collectors/common/files.h"
#include "collectors/common/table.h"

namespace rd::collectors {

Result<UverbsNodes> uverbs_nodes(const Host& host, const Result<std::vector<std::string>>& entries) {
    if (!entries) return tl::unexpected<Error>(entries.error());
    UverbsNodes nodes;
    for (const std::string& entry : *entries) {
        if (number_after(entry, "uverbs") < 0) continue;  // abi_version
        const auto device = read_value(host, fmt::format("{}/{}/ibdev", kVerbsClass, entry), as_label);
        if (!device) return tl::unexpected<Error>(device.error());
        nodes.emplace(std::get<std::string>(*device), entry);
    }
    return nodes;
}

}  // namespace rd::collectors
