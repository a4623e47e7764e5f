// SPDX-License-Identifier: GPL-2.0-or-later
// Ports of which a text shows counters and not the link layer, on which much depends. What only RoCE counts tells it.
#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/ingest/host_text.h"

namespace rd::ingest {
namespace {

constexpr std::string_view kStatistics = "rdma.stat/";

// Of mlx5, which has them on InfiniBand too, and at 0: marks in IP headers, and notifications of congestion in UDP.
// Linux drivers/infiniband/hw/mlx5/counters.c: cong_cnts; roce_adp_retrans and the like stand among others.
constexpr std::array<std::string_view, 4> kOfRoce{"np_cnp_sent", "np_ecn_marked_roce_packets", "rp_cnp_handled",
                                                  "rx_icrc_encapsulated"};

}  // namespace

void HostText::take_link_layers(std::set<std::string>& paths) {
    for (const auto& [key, readings] : readings_.all()) {
        if (!starts_with(key.name, kStatistics)) continue;
        if (std::find(kOfRoce.begin(), kOfRoce.end(), key.field) == kOfRoce.end()) continue;
        const bool counted = std::any_of(readings.begin(), readings.end(), [](const auto& reading) {
            return parse_counter(reading.text).value_or(0) > 0;
        });
        const auto place = split(std::string_view(key.name).substr(kStatistics.size()), '/');
        if (!counted || place.size() != 2) continue;
        suppose("/sys/class/infiniband/" + std::string(place[0]) + "/ports/" + std::string(place[1]) + "/link_layer",
                "Ethernet", paths);
    }
}

}  // namespace rd::ingest
