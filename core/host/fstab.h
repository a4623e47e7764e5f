// SPDX-License-Identifier: GPL-2.0-or-later
// Of a table of file systems (/etc/fstab) only what steers RDMA: options of network file systems may hold passwords, and what is read here
// ends up in bundles that are given away. Private to core/host.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace rd {

// Lines "SOURCE PLACE TYPE OPTIONS" of file systems over NFS and SMB, of the options those that say how (rdma, proto=rdma, vers=4.2, sec=krb5i,
// seal …), "defaults" where none does. An Error says which line is none of such a table, and not what stands there.
[[nodiscard]] Result<std::string> network_mounts(std::string_view text, std::string_view object);

}  // namespace rd
