// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>

#include <algorithm>
#include <map>

#include "core/host/ethtool.h"

namespace rd {
namespace {

// Since Linux 6.2, after the headers that Debian 12 ships.
constexpr std::uint16_t kLinkstateExtDownCount = 7;
// Larger sets than any kernel has are not walked bit by bit.
constexpr std::uint32_t kMaxBits = 4096;

// Reasons for a link that is down, in the order of their numbers (ETHTOOL_LINK_EXT_STATE_*).
constexpr std::array<std::string_view, 11> kExtStates{
    "autoneg",     "link_training_failure", "link_logical_mismatch", "bad_signal_integrity",  "no_cable",
    "cable_issue", "eeprom_issue",          "calibration_failure",   "power_budget_exceeded", "overheat",
    "module"};

std::string fec_name(std::uint32_t link_mode_bit) {
    switch (link_mode_bit) {
        case ETHTOOL_LINK_MODE_FEC_NONE_BIT:
            return "none";
        case ETHTOOL_LINK_MODE_FEC_RS_BIT:
            return "rs";
        case ETHTOOL_LINK_MODE_FEC_BASER_BIT:
            return "baser";
        case ETHTOOL_LINK_MODE_FEC_LLRS_BIT:
            return "llrs";
        default:
            return std::to_string(link_mode_bit);
    }
}

void decode_listed_bits(Attributes& attribute, bool no_mask, const std::function<void(const NamedBit&)>& on_bit) {
    Attributes bits = attribute.nested();
    while (bits.next()) {
        if (bits.type() != ETHTOOL_A_BITSET_BITS_BIT) continue;
        NamedBit bit;
        bit.value = no_mask;
        Attributes one = bits.nested();
        while (one.next()) {
            if (one.type() == ETHTOOL_A_BITSET_BIT_INDEX) bit.index = one.number<std::uint32_t>();
            if (one.type() == ETHTOOL_A_BITSET_BIT_NAME) bit.name = one.text();
            if (one.type() == ETHTOOL_A_BITSET_BIT_VALUE) bit.value = true;
        }
        bits.absorb(one);
        on_bit(bit);
    }
    attribute.absorb(bits);
}

template <class T>
Result<T> checked(const Attributes& in, std::string_view object, T value) {
    if (auto sound = in.sound(object); !sound) return tl::unexpected(std::move(sound.error()));
    return value;
}

}  // namespace

Result<std::uint16_t> decode_family_id(Bytes attributes) {
    std::uint16_t id = 0;
    Attributes in(attributes);
    while (in.next()) {
        if (in.type() == CTRL_ATTR_FAMILY_ID) id = in.number<std::uint16_t>();
    }
    if (id == 0 && in.sound({})) return fail(Errc::bad_input, "generic netlink family: no id in the answer");
    return checked(in, "generic netlink family", id);
}

void decode_bitset(Attributes& attribute, const std::function<void(const NamedBit&)>& on_bit) {
    bool no_mask = false;
    std::uint32_t size = 0;
    Bytes value;
    Attributes set = attribute.nested();
    while (set.next()) {
        switch (set.type()) {
            case ETHTOOL_A_BITSET_NOMASK:
                no_mask = true;
                break;
            case ETHTOOL_A_BITSET_SIZE:
                size = set.number<std::uint32_t>();
                break;
            case ETHTOOL_A_BITSET_VALUE:
                value = set.payload();
                break;
            case ETHTOOL_A_BITSET_BITS:
                decode_listed_bits(set, no_mask, on_bit);
                break;
            default:
                break;
        }
    }
    attribute.absorb(set);
    for (std::uint32_t i = 0; i < std::min(size, kMaxBits); ++i) {
        const auto word = value_at<std::uint32_t>(value, i / 32 * sizeof(std::uint32_t));
        if (!word) break;
        on_bit({i, {}, ((*word >> (i % 32)) & 1u) != 0});
    }
}

Result<Record> decode_link_modes(Bytes attributes) {
    Record record;
    Attributes in(attributes);
    while (in.next()) {
        switch (in.type()) {
            case ETHTOOL_A_LINKMODES_AUTONEG:
                record.set("autoneg", in.number<std::uint8_t>());
                break;
            case ETHTOOL_A_LINKMODES_SPEED: {
                const auto speed = in.number<std::uint32_t>();
                if (speed != 0 && speed != static_cast<std::uint32_t>(SPEED_UNKNOWN)) record.set("speed", speed);
                break;
            }
            case ETHTOOL_A_LINKMODES_DUPLEX:
                if (const auto duplex = duplex_name(in.number<std::uint8_t>()); !duplex.empty())
                    record.set("duplex", duplex);
                break;
            case ETHTOOL_A_LINKMODES_LANES:
                record.set("lanes", in.number<std::uint32_t>());
                break;
            default:
                break;
        }
    }
    return checked(in, "link modes", std::move(record));
}

Result<Record> decode_link_state(Bytes attributes) {
    Record record;
    Attributes in(attributes);
    while (in.next()) {
        switch (in.type()) {
            case ETHTOOL_A_LINKSTATE_LINK:
                record.set("link", in.number<std::uint8_t>());
                break;
            case ETHTOOL_A_LINKSTATE_EXT_STATE: {
                const auto state = in.number<std::uint8_t>();
                record.set("ext_state",
                           state < kExtStates.size() ? std::string(kExtStates[state]) : std::to_string(state));
                break;
            }
            case ETHTOOL_A_LINKSTATE_EXT_SUBSTATE:
                record.set("ext_substate", in.number<std::uint8_t>());
                break;
            case kLinkstateExtDownCount:
                record.set("ext_down_count", in.number<std::uint32_t>());
                break;
            default:
                break;
        }
    }
    return checked(in, "link state", std::move(record));
}

Result<Record> decode_numbers(EthtoolPart part, Bytes attributes) {
    const auto names = ethtool_names(part).names;
    Record record;
    Attributes in(attributes);
    while (in.next()) {
        // Attribute 1 is the header that echoes the device; the values follow in the order of the names.
        if (in.type() < 2 || in.type() - 2u >= names.size()) continue;
        record.set(names[in.type() - 2u], in.number_of_any_width());
    }
    return checked(in, "settings", std::move(record));
}

Result<std::string> decode_features(Bytes attributes) {
    struct Feature {
        std::string name;
        bool hw = false, wanted = false, active = false, nochange = false;
    };
    std::map<std::uint32_t, Feature> features;
    Attributes in(attributes);
    while (in.next()) {
        bool Feature::*flag = nullptr;
        if (in.type() == ETHTOOL_A_FEATURES_HW) flag = &Feature::hw;
        if (in.type() == ETHTOOL_A_FEATURES_WANTED) flag = &Feature::wanted;
        if (in.type() == ETHTOOL_A_FEATURES_ACTIVE) flag = &Feature::active;
        if (in.type() == ETHTOOL_A_FEATURES_NOCHANGE) flag = &Feature::nochange;
        if (!flag) continue;
        decode_bitset(in, [&features, flag](const NamedBit& bit) {
            Feature& feature = features[bit.index];
            if (!bit.name.empty()) feature.name = bit.name;
            feature.*flag = bit.value;
        });
    }
    std::string text;
    for (const auto& [index, feature] : features) {
        if (feature.name.empty()) continue;
        Record record;
        record.set("name", feature.name);
        record.set("active", std::uint64_t{feature.active});
        record.set("wanted", std::uint64_t{feature.wanted});
        record.set("hw", std::uint64_t{feature.hw});
        record.set("nochange", std::uint64_t{feature.nochange});
        text += record.text();
    }
    return checked(in, "features", std::move(text));
}

Result<Record> decode_fec(Bytes attributes) {
    Record record;
    std::string modes;
    Attributes in(attributes);
    while (in.next()) {
        switch (in.type()) {
            case ETHTOOL_A_FEC_MODES:
                decode_bitset(in, [&modes](const NamedBit& bit) {
                    if (bit.value) modes += (modes.empty() ? "" : ",") + fec_name(bit.index);
                });
                break;
            case ETHTOOL_A_FEC_AUTO:
                record.set("auto", in.number<std::uint8_t>());
                break;
            case ETHTOOL_A_FEC_ACTIVE:
                record.set("active", fec_name(in.number<std::uint32_t>()));
                break;
            case ETHTOOL_A_FEC_STATS: {
                // Arrays: the total, then one value a lane.
                Attributes statistics = in.nested();
                while (statistics.next()) {
                    const std::string_view key = statistics.type() == ETHTOOL_A_FEC_STAT_CORRECTED ? "corrected_blocks"
                                                 : statistics.type() == ETHTOOL_A_FEC_STAT_UNCORR
                                                     ? "uncorrectable_blocks"
                                                 : statistics.type() == ETHTOOL_A_FEC_STAT_CORR_BITS ? "corrected_bits"
                                                                                                     : "";
                    if (!key.empty() && !statistics.payload().empty())
                        record.set(key, statistics.number<std::uint64_t>());
                }
                in.absorb(statistics);
                break;
            }
            default:
                break;
        }
    }
    if (!modes.empty()) record.set("modes", modes);
    return checked(in, "FEC", std::move(record));
}

}  // namespace rd
