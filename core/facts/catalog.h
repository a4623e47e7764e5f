// SPDX-License-Identifier: GPL-2.0-or-later
// The one row a fact is declared in. Store, rules, exporter, CLI and reference pages are generic over these rows.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/facts/value.h"

namespace rd {

enum class Nature : std::uint8_t {
    config,       // changes when somebody changes it
    gauge,        // goes up and down
    counter,      // 64 bit, grows; a decrease is a reset
    counter32,    // 32 bit in hardware, wraps (mlx5 Q counters)
    saturating4,  // PMA counters stick at their maximum until cleared: "at least", rate unknown
    saturating8,
    saturating16,
    saturating32,
    percent,  // of the last second; a gauge that must not be differentiated
};

[[nodiscard]] std::string_view name_of(Nature nature);
[[nodiscard]] bool nature_from_name(std::string_view name, Nature& out);
[[nodiscard]] bool is_counter(Nature nature);
// Largest value of a counter of this nature, 0 when it is not bounded below 2^63.
[[nodiscard]] std::int64_t counter_max(Nature nature);
[[nodiscard]] bool is_saturating(Nature nature);

struct FactSpec {
    Kind kind;
    std::string_view name;  // [a-z][a-z0-9_]*; written port.active_mtu in output, in rules relative to the scope
    Type type;
    Nature nature;
    std::string_view unit;     // "bytes", "packets", "Gbit/s", "GT/s", "lanes", "seconds", "" for none
    std::string_view doc;      // one line: meaning and source (file, netlink attribute)
    Kind target = Kind::host;  // of a reference
    bool family = false;       // `name` is a prefix: an open set of driver counters, kept but refused in shipped rules
};

// A relation is a fact: `device.pci` refers to a pci entity; rules follow it as `pci.link_width`.
constexpr FactSpec reference(Kind kind, std::string_view name, Kind target, std::string_view doc) {
    return {kind, name, Type::reference, Nature::config, "", doc, target};
}
// An open set, such as `raw_` for hw_counters that no row names.
constexpr FactSpec family(Kind kind, std::string_view prefix, Nature nature, std::string_view unit,
                          std::string_view doc) {
    return {kind, prefix, Type::integer, nature, unit, doc, Kind::host, true};
}

class Catalog {
public:
    // An Error names the two rows that declare the same fact.
    static Result<Catalog> build(std::span<const std::span<const FactSpec>> tables);

    [[nodiscard]] const FactSpec* find(Kind kind, std::string_view name) const;              // families match by prefix
    [[nodiscard]] const std::vector<const FactSpec*>& all() const { return all_; }           // by kind, then name
    [[nodiscard]] std::vector<std::string> similar(Kind kind, std::string_view name) const;  // for hints, best first

private:
    std::map<std::pair<Kind, std::string_view>, const FactSpec*> by_name_;
    std::vector<const FactSpec*> families_;
    std::vector<const FactSpec*> all_;
};

}  // namespace rd
