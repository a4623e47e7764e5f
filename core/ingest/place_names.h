// SPDX-License-Identifier: GPL-2.0-or-later
// Predictable names: udev names interfaces and RDMA devices after the PCI function they sit on (enp1s0f0np0, rocep65s0f1).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rd::ingest {

// "0000:01:00.0" of enp1s0f0np0; nullopt for names of another kind and for virtual functions, whose address the name does not hold.
// A name may have been given by hand: only where the text has the function too is it taken for that place.
[[nodiscard]] std::optional<std::string> address_in_name(std::string_view name);

}  // namespace rd::ingest
