// SPDX-License-Identifier: GPL-2.0-or-later
// Room core/ingest: what people have of a host (pasted text, files of logs, a sos report, a sysinfo-snapshot) becomes the Bundle
// that `record` would have written of it, so that the same collectors, rules and report work on it (docs/decisions/0011). It
// translates: it judges nothing, runs nothing, invents nothing. What the text does not say is simply not in the bundle, and a gap
// "not collected" for everybody behind.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/host/bundle.h"

namespace rd::ingest {

// What a part of the text was taken for.
struct Recognised {
    std::string form;  // "ethtool -S"
    std::string file;  // within an archive; empty in a text
    std::size_t line = 0;
    std::size_t lines = 0;
};

// Lines that nothing was made of, those next to each other together.
struct Unrecognised {
    std::string file;
    std::size_t line = 0;
    std::size_t lines = 0;
    std::string words;  // the first ones, or the command
};

struct IngestedHost {
    std::string name;  // empty: the text does not name it
    Bundle bundle;
    std::vector<Recognised> recognised;
    std::size_t kernel_lines = 0, log_lines = 0;  // kept; how many of the same shape are counted within them
    std::vector<std::string> notes;               // what a reader must know: an assumed time, contradicting values
    // The time between two readings is not in the text: rates are made with kAssumedInterval.
    bool interval_assumed = false;
    bool uid_known = false;  // who read it
};

struct Ingested {
    std::vector<IngestedHost> hosts;  // in the order of the text
    std::vector<Unrecognised> unrecognised;
    std::size_t unrecognised_lines = 0;  // more than those above hold, when there are very many
    std::size_t lines = 0;
    std::vector<std::string> notes;
};

struct IngestOptions {
    // Whether a line of a log is worth keeping, besides what looks like trouble by itself. The cli gives the rules' matcher.
    std::function<bool(std::string_view)> log_of_interest;
};

// Two readings of the same counters with no time between them in the text. Long on purpose: what people paste is rarely further
// apart, so a rate that is made with it is rather too low than too high.
inline constexpr std::int64_t kAssumedIntervalNs = 60'000'000'000;

[[nodiscard]] Ingested ingest_text(std::string_view text, const IngestOptions& options = {});

}  // namespace rd::ingest
