// SPDX-License-Identifier: GPL-2.0-or-later
// Makes a bundle fit to be given away: what names one host only (host name and domain, MAC, IP and hardware addresses, GUIDs, GIDs, serial
// numbers, UUIDs, boot and machine id, NQNs, IQNs and other ids) is replaced wherever it stands, in names of files too. The same is
// replaced by the same everywhere; what networks addresses share, their last octets, link-local and what is made of a MAC keep their
// relations, so that facts and findings stay as they were. Names of processes and interfaces, models, firmware, PCI addresses, and the
// words of kernel messages stay.
#pragma once

#include "core/host/bundle.h"

namespace rd {

// The same bundle gives the same result.
[[nodiscard]] Bundle scrub(Bundle bundle);

}  // namespace rd
