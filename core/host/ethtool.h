// SPDX-License-Identifier: GPL-2.0-or-later
// ethtool.link|pause|coalesce|rings|channels|features|fec through the netlink family "ethtool", and through the ioctl where
// the kernel has no such family or message.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/records.h"
#include "core/base/result.h"
#include "core/host/ethtool_names.h"
#include "core/host/socket.h"

namespace rd {

class EthtoolReader {
public:
    EthtoolReader(EthtoolPart part, std::string netdev, std::string object);
    [[nodiscard]] Result<std::string> read();

private:
    [[nodiscard]] Answer<> resolve();
    // Empty with a refusal: no message was answered.
    [[nodiscard]] Result<std::string> read_by_netlink(Failure& refusal);

    EthtoolPart part_;
    std::string netdev_;
    std::string object_;
    std::vector<Request> requests_;  // empty until the family is known
    Replies replies_;
};

// The number of the netlink family "ethtool" on this kernel.
[[nodiscard]] Answer<std::uint16_t> ethtool_family();

// Pure decoders of the attributes behind the genetlink header.
[[nodiscard]] Result<std::uint16_t> decode_family_id(Bytes attributes);
[[nodiscard]] Result<Record> decode_link_modes(Bytes attributes);
[[nodiscard]] Result<Record> decode_link_state(Bytes attributes);
[[nodiscard]] Result<Record> decode_numbers(EthtoolPart part, Bytes attributes);  // pause, coalesce, rings, channels
[[nodiscard]] Result<std::string> decode_features(Bytes attributes);
[[nodiscard]] Result<Record> decode_fec(Bytes attributes);

// One bit of an ethtool bitset in either of its forms. In the compact form there is no name.
struct NamedBit {
    std::uint32_t index = 0;
    std::string_view name;
    bool value = false;
};
void decode_bitset(Attributes& attribute, const std::function<void(const NamedBit&)>& on_bit);

}  // namespace rd
