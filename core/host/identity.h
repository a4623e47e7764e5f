// SPDX-License-Identifier: GPL-2.0-or-later
// Who reads, and what the files of a host say of it. Private to core/host.
#pragma once

#include "core/host/files.h"
#include "core/host/host.h"

namespace rd {

// Names, boot id and hypervisor from the files; uid and capabilities from this process, which is the reader.
[[nodiscard]] HostIdentity identity_of(const Files& files);
[[nodiscard]] Stamp current_stamp();

}  // namespace rd
