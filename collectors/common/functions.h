// SPDX-License-Identifier: GPL-2.0-or-later
// The PCI functions that are looked at: those of RDMA devices, those that should have one, and the way of each up to its root port.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/facts/value.h"
#include "core/host/host.h"

namespace rd::collectors {

struct PciFunction {
    std::string address;
    std::vector<std::string> hops;  // from the root port to itself
    Result<std::string> driver;
    Result<std::string> physfn;       // address; not_found: not a virtual function
    bool capable = false;             // always gives an RDMA device when all is well
    Result<bool> has_device = false;  // an Error: it has none that we know of, and something could not be seen

    [[nodiscard]] bool owns_device() const { return has_device.value_or(false); }
};

struct PciFunctions {
    std::vector<PciFunction> found;  // sorted by address, hops included
    std::optional<Gap> gap;          // they could not all be listed
};

[[nodiscard]] PciFunctions pci_functions(const Host& host);

// /sys/bus/pci/devices/ADDRESS
[[nodiscard]] std::string pci_path_of(std::string_view address);

// ACS control of a port that sends requests of one device to another up to the processor: request redirect, completion redirect,
// egress control.
[[nodiscard]] constexpr bool redirects_peers(std::int64_t acs_control) {
    return (acs_control & (1 << 2 | 1 << 3 | 1 << 5)) != 0;
}

}  // namespace rd::collectors
