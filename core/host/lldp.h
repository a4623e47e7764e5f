// SPDX-License-Identifier: GPL-2.0-or-later
// lldp/IF: what the neighbour on the other end of the wire says of itself (IEEE 802.1AB), above all the DCBX of the switch port
// (IEEE 802.1Q, annex D): the other half of PFC.
//
// It only listens. The group address of LLDP is not joined, for that would change the receive filter of the adapter: frames arrive where
// somebody on this host listens already (lldpd, lldpad, systemd-networkd, a bridge), or where the adapter passes them up unasked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/records.h"
#include "core/base/result.h"
#include "core/host/descriptor.h"

namespace rd {

// One frame behind its EtherType, as subjects.h has it but for `age_ms`. What ends early, or says that it is longer than the frame, is
// an Error: half of a frame says nothing.
[[nodiscard]] Result<Record> decode_lldp(std::span<const std::uint8_t> data_unit);

class LldpReader {
public:
    LldpReader(std::string netdev, std::string object) : netdev_(std::move(netdev)), object_(std::move(object)) {}
    // The newest frame since the reader was opened; empty before the first one, and when the last is older than it said that it
    // would hold.
    [[nodiscard]] Result<std::string> read();

private:
    [[nodiscard]] Result<> open();
    void drain();

    std::string netdev_;
    std::string object_;
    Descriptor socket_;
    std::optional<std::vector<std::uint8_t>> newest_;
    std::int64_t received_ns_ = 0;  // steady_ns
};

}  // namespace rd
