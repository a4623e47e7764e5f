// SPDX-License-Identifier: GPL-2.0-or-later
// ethtool.module: what the pluggable module of an interface says about itself. Its memory is read in pieces and taken apart by the
// map its identifier names: SFF-8472 (SFP), SFF-8636 (QSFP+, QSFP28), CMIS (QSFP-DD, OSFP).
//
// The latched flags of a module clear when they are read, and others (the firmware, an administrator) wait for them. They are never
// read here: an alarm is seen by comparing the value with its threshold.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/records.h"
#include "core/base/result.h"
#include "core/host/socket.h"

namespace rd {

// A piece of a module's memory. Offsets below 128 are in the lower half, which all pages share; a piece lies in one half.
struct ModulePiece {
    std::uint8_t page = 0;
    std::uint8_t offset = 0;
    std::uint8_t length = 0;
    std::uint8_t address = 0x50;  // 0x51: the diagnostics of an SFP
};
using ModuleBytes = std::vector<std::byte>;
using FetchModule = std::function<Answer<ModuleBytes>(const ModulePiece& piece)>;

// As subjects.h has it. Refused when the first piece is refused; a later one that is missing leaves out what it would have told.
[[nodiscard]] Answer<std::string> describe_module(const FetchModule& fetch);

class ModuleReader {
public:
    ModuleReader(std::string netdev, std::string object);
    [[nodiscard]] Result<std::string> read();

private:
    [[nodiscard]] Answer<std::string> ask();

    std::string netdev_;
    std::string object_;
    std::uint16_t family_ = 0;  // of netlink; 0 until it is known
    // A driver writes a line to the kernel log for each read of an empty cage: asked less and less often.
    Failure failure_;
    unsigned pause_ = 0;
    unsigned passed_ = 0;
};

}  // namespace rd
