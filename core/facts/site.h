// SPDX-License-Identifier: GPL-2.0-or-later
// What the operator says about this host on purpose: configs/rdmadoctor.toml lists every key. It silences what a site does by
// intent and catches a device that is missing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace rd {

struct Site {
    std::optional<std::string> intent;             // "lossless" | "lossy"
    std::optional<std::int64_t> expected_devices;  // [expect] devices
    std::optional<double> expected_rate;           // [expect] rate, Gbit/s ("400G" or 400)
    std::map<std::string, std::string> firmware;   // [expect.firmware] board id → lowest version; "*" for any board
    std::optional<std::int64_t> roce_dscp;         // [expect] roce_dscp, 0–63
};

// `origin` names the file in complaints; unknown keys are errors with line and column and the nearest known key, else all known ones.
[[nodiscard]] Result<Site> parse_site(std::string_view toml, std::string_view origin);

}  // namespace rd
