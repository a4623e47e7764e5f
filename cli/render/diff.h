// SPDX-License-Identifier: GPL-2.0-or-later
// What differs between hosts, for people and machines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "core/facts/drift.h"
#include "core/host/host.h"

namespace rd::cli {

struct DiffHost {
    std::string name;  // as it is called in the output
    HostIdentity identity;
    Stamp at;
    std::optional<std::size_t> devices;  // none: they could not be enumerated
};

struct DiffRow {
    FactRow row;
    std::vector<std::string> read_by;                           // rules that ask for the fact, the gravest first
    std::vector<std::pair<std::string, std::size_t>> found_by;  // rules that it makes fire, and on which host
};

struct DiffView {
    Likeness likeness = Likeness::twins;
    std::string because;  // why they are taken for that
    std::vector<DiffHost> hosts;
    std::string rules_version, rules_hash;
    std::vector<DiffRow> drift;
    Comparison rest;                                  // its own `drift` is in the rows above
    std::optional<std::vector<CounterRow>> counters;  // when asked for
    std::string no_counters;                          // why there are none though asked for
};

[[nodiscard]] std::string render_diff_text(const DiffView& view, const Terminal& terminal);
[[nodiscard]] std::string render_diff_json(const DiffView& view);  // docs/schema/diff.schema.json

}  // namespace rd::cli
