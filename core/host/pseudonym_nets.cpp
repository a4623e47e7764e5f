// SPDX-License-Identifier: GPL-2.0-or-later
// IPv4 networks in the place of others.
#include <algorithm>
#include <set>
#include <utility>

#include "core/host/pseudonyms.h"

namespace rd {
namespace {

// Where replaced networks lie: the block for tests of networks first, then private ones.
struct Block {
    std::uint8_t first, low, high;  // first octet, and bounds of the second
};
constexpr Block kBlocks[] = {{198, 18, 19}, {10, 0, 255}, {172, 16, 31}, {100, 64, 127}};

}  // namespace

// Whatever the length of a prefix is, two addresses share it afterwards when they did before: only the first two octets change, and
// the second one by the same bits for all networks that have the first in common.
void Pseudonyms::number_nets() {
    using Pair = std::pair<std::uint8_t, std::uint8_t>;
    const auto is_local = [](const Net4& net) { return net[0] == 169 && net[1] == 254; };
    std::map<std::uint8_t, std::set<std::uint8_t>> groups;
    std::set<Pair> taken;
    for (const auto& [net, to] : nets_) {
        if (is_local(net)) continue;
        groups[net[0]].insert(net[1]);
        taken.emplace(net[0], net[1]);
    }
    std::map<Pair, Pair> pairs;
    std::set<std::uint8_t> used;
    for (const auto& [first, seconds] : groups) {
        const auto fits = [&, &all = seconds](const Block& block, int bits) {
            return std::all_of(all.begin(), all.end(), [&](std::uint8_t second) {
                const auto to = static_cast<std::uint8_t>(second ^ bits);
                return to >= block.low && to <= block.high && !taken.contains({block.first, to});
            });
        };
        const auto place = [&, &all = seconds, from = first](const Block& block) {
            for (int bits = 1; bits <= 256; ++bits) {
                if (!fits(block, bits % 256)) continue;
                for (const std::uint8_t second : all) {
                    const Pair to{block.first, static_cast<std::uint8_t>(second ^ bits % 256)};
                    pairs[{from, second}] = to;
                    taken.insert(to);
                }
                used.insert(block.first);
                return true;
            }
            return false;
        };
        // Networks of different first octets come to lie in different ones, as long as there are any.
        const bool placed =
            std::any_of(std::begin(kBlocks), std::end(kBlocks),
                        [&](const Block& block) { return !used.contains(block.first) && place(block); }) ||
            std::any_of(std::begin(kBlocks), std::end(kBlocks), place);
        if (placed) continue;
        // More than there is room for: each where it finds a place.
        for (const std::uint8_t second : seconds) {
            Pair to{1, 0};
            while (to.first < 223 && (taken.contains(to) || to.first == 127)) {
                to = to.second == 255 ? Pair(static_cast<std::uint8_t>(to.first + 1), 0)
                                      : Pair(to.first, static_cast<std::uint8_t>(to.second + 1));
            }
            pairs[{first, second}] = to;
            taken.insert(to);
        }
    }
    std::size_t next_local = 1;
    for (auto& [net, to] : nets_) {
        if (is_local(net)) {
            do to = {169, 254, static_cast<std::uint8_t>(next_local++)};
            while (next_local <= 256 && nets_.contains(to));
        } else {
            const Pair pair = pairs.at({net[0], net[1]});
            to = {pair.first, pair.second, net[2]};
        }
    }
}

}  // namespace rd
