// SPDX-License-Identifier: GPL-2.0-or-later
// Names of facts as rules write them: `active_mtu`, `netdev.mtu`, `device.pci.link_width`, `host.intent`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/facts/catalog.h"

namespace rd {

// A name resolved against the catalogue, whose rows it points to: the catalogue must live longer.
struct FactPath {
    Kind scope = Kind::host;            // of the entity it starts from
    bool from_host = false;             // `host.…`: starts from the host whatever the scope
    std::vector<const FactSpec*> hops;  // references followed, in order
    const FactSpec* spec = nullptr;
    std::string name;  // of the fact: the row's, or a member of its family
    std::string text;  // as written

    [[nodiscard]] Kind start() const { return from_host ? Kind::host : scope; }
};

struct PathComplaint {
    std::size_t offset = 0;  // into the text: the part that does not resolve
    std::string message, hint;
};

[[nodiscard]] tl::expected<FactPath, PathComplaint> resolve_path(std::string_view text, Kind scope,
                                                                 const Catalog& catalog);

}  // namespace rd
