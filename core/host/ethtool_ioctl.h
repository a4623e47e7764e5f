// SPDX-License-Identifier: GPL-2.0-or-later
// ethtool through SIOCETHTOOL: driver statistics and driver information, which have no netlink form, and the older form
// of everything else, for kernels without the netlink family.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/host/ethtool_names.h"
#include "core/host/module.h"
#include "core/host/socket.h"

namespace rd {

// ethtool.driver: driver version firmware bus.
[[nodiscard]] Result<std::string> read_driver(const std::string& netdev, std::string_view object);
[[nodiscard]] Result<std::string> decode_driver(Bytes drvinfo, std::string_view object);

// What the netlink family answers too.
[[nodiscard]] Answer<std::string> read_by_ioctl(EthtoolPart part, const std::string& netdev);

// A piece of the module's memory, where the older form can reach it.
[[nodiscard]] Answer<ModuleBytes> read_module_by_ioctl(const std::string& netdev, const ModulePiece& piece);

// Pure: `words` is the structure as the kernel filled it, command word included.
[[nodiscard]] Answer<std::string> decode_words(EthtoolPart part, Bytes words);
[[nodiscard]] Answer<std::string> decode_link_settings(Bytes settings, std::uint32_t link_up);
[[nodiscard]] Answer<std::string> decode_fec_parameters(Bytes parameters);
// `names`: strings of ETH_GSTRING_LEN; `blocks`: ethtool_get_features_block one after the other.
[[nodiscard]] Answer<std::string> decode_feature_blocks(Bytes names, Bytes blocks);

// ethtool.stats. The names are read once and again when their number or the interface behind the name changes: with
// PFC, channels or queues they come and go.
class StatisticsReader {
public:
    StatisticsReader(std::string netdev, std::string object);
    [[nodiscard]] Result<std::string> read();

private:
    [[nodiscard]] Answer<std::uint32_t> count() const;
    [[nodiscard]] Answer<> read_names(std::uint32_t count);
    [[nodiscard]] Answer<std::uint32_t> read_values(std::uint32_t count);

    std::string netdev_;
    std::string object_;
    std::uint32_t index_ = 0;
    std::vector<std::string> names_;
    std::unique_ptr<std::byte[]> values_;  // ethtool_stats and its values, with room for more than were announced
};

// Strings of ETH_GSTRING_LEN, not necessarily terminated, trimmed.
[[nodiscard]] std::vector<std::string> decode_strings(Bytes strings);
// `values`: the u64 array. bad_input when there are fewer values than names.
[[nodiscard]] Result<std::string> decode_statistics(const std::vector<std::string>& names, Bytes values,
                                                    std::string_view object);

}  // namespace rd
