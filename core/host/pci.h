// SPDX-License-Identifier: GPL-2.0-or-later
// pci.config: PCI and PCI Express settings of one function from its configuration space, read through libpci.
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/host/socket_attributes.h"

struct pci_access;

namespace rd {

class PciReader {
public:
    // `address` is a full one (is_pci_address); `devices` is the directory libpci looks for the function in.
    PciReader(std::string address, std::string object, const std::string& sysfs = "/sys/bus/pci");
    [[nodiscard]] Result<std::string> read();

private:
    struct CloseAccess {
        void operator()(pci_access* access) const;
    };

    std::string address_;
    std::string object_;
    std::string config_;  // the file behind it
    std::unique_ptr<pci_access, CloseAccess> access_;
};

// `config` is the start of the configuration space, as far as it could be read: 64, 256 or 4,096 bytes.
[[nodiscard]] Result<std::string> decode_pci_config(Bytes config, std::string_view object);

}  // namespace rd
