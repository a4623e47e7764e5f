// SPDX-License-Identifier: GPL-2.0-or-later
// Field names that the netlink and the ioctl form of an ethtool answer share, in the kernel's order: name i is netlink
// attribute i + 2 and 32-bit word i + 1 of the ioctl structure. What follows `ioctl_count` exists in netlink only.
// Private to the ethtool readers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rd {

enum class EthtoolPart { link, pause, coalesce, rings, channels, features, fec };

struct EthtoolNames {
    std::span<const std::string_view> names;
    std::size_t ioctl_count = 0;
};

inline constexpr std::array<std::string_view, 3> kPauseNames{"autoneg", "rx", "tx"};

inline constexpr std::array<std::string_view, 24> kCoalesceNames{
    "rx_usecs",           "rx_max_frames",        "rx_usecs_irq",      "rx_max_frames_irq",  "tx_usecs",
    "tx_max_frames",      "tx_usecs_irq",         "tx_max_frames_irq", "stats_block_usecs",  "use_adaptive_rx",
    "use_adaptive_tx",    "pkt_rate_low",         "rx_usecs_low",      "rx_max_frames_low",  "tx_usecs_low",
    "tx_max_frames_low",  "pkt_rate_high",        "rx_usecs_high",     "rx_max_frames_high", "tx_usecs_high",
    "tx_max_frames_high", "rate_sample_interval", "use_cqe_mode_tx",   "use_cqe_mode_rx"};

inline constexpr std::array<std::string_view, 12> kRingNames{"rx_max",     "rx_mini_max",    "rx_jumbo_max", "tx_max",
                                                             "rx",         "rx_mini",        "rx_jumbo",     "tx",
                                                             "rx_buf_len", "tcp_data_split", "cqe_size",     "tx_push"};

inline constexpr std::array<std::string_view, 8> kChannelNames{"rx_max",   "tx_max",   "other_max",   "combined_max",
                                                               "rx_count", "tx_count", "other_count", "combined_count"};

// No names for the parts that are not a plain list of numbers.
[[nodiscard]] constexpr EthtoolNames ethtool_names(EthtoolPart part) {
    switch (part) {
        case EthtoolPart::pause:
            return {kPauseNames, 3};
        case EthtoolPart::coalesce:
            return {kCoalesceNames, 22};
        case EthtoolPart::rings:
            return {kRingNames, 8};
        case EthtoolPart::channels:
            return {kChannelNames, 8};
        default:
            return {};
    }
}

[[nodiscard]] constexpr std::string_view duplex_name(std::uint8_t duplex) {
    return duplex == 0 ? "half" : duplex == 1 ? "full" : "";
}

}  // namespace rd
