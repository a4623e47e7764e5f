// SPDX-License-Identifier: GPL-2.0-or-later
// rtnl.link: every network interface of this network namespace, from one RTM_GETLINK dump.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/host/socket.h"

namespace rd {

class LinkReader {
public:
    LinkReader();
    [[nodiscard]] Result<std::string> read();

private:
    Request request_;
    Replies replies_;
};

// Messages of other types are passed over.
[[nodiscard]] Result<std::string> decode_links(const Replies& replies);

}  // namespace rd
