// SPDX-License-Identifier: GPL-2.0-or-later
// Room core/facts: what is known of a host. A fact is (entity, name) → typed value, or the reason there is none.
// Nothing here judges good or bad, opens a file, or asks the time.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/result.h"

namespace rd {

// Closed and bounded: nothing here grows with load. Processes are live: judged and shown, never stored as series.
enum class Kind : std::uint8_t {
    host,
    device,
    port,
    netdev,
    priority,
    pci,
    numa,
    cpu,
    irq,
    nvme,
    service,
    process,
    log
};
inline constexpr int kKindCount = 13;

[[nodiscard]] std::string_view name_of(Kind kind);
[[nodiscard]] bool kind_from_name(std::string_view name, Kind& out);

// Identity is what does not rename. Names people type ("mlx5_0", "ens1f0") are facts with history.
//   host      ""                          pci       0000:41:00.0
//   device    pci-0000:41:00.0, or guid-506b:4b03:00f4:9f1c where there is no PCI function (soft-RoCE)
//   port      <device>/<port number>      netdev    pci-0000:41:00.0/<dev_port>; virtual ones: name-<ifname>
//   priority  <netdev>/<0–7>              numa 0  cpu 17  irq 131  process <pid>
//   nvme      <NQN>#<id>                  service   <unit or program name>
//   log       <source>/<hash>: lines of one shape (core/base/log_line.h), as many as are kept
struct Entity {
    Kind kind = Kind::host;
    std::string id;

    friend auto operator<=>(const Entity&, const Entity&) = default;
};

enum class Type : std::uint8_t { boolean, integer, real, text, reference };

using Value = std::variant<bool, std::int64_t, double, std::string, Entity>;

[[nodiscard]] std::string_view name_of(Type type);
[[nodiscard]] bool type_from_name(std::string_view name, Type& out);
[[nodiscard]] Type type_of(const Value& value);
[[nodiscard]] std::string print(const Value& value);  // "true" "42" "15.75" "text" "pci:0000:41:00.0"

enum class GapClass : std::uint8_t { not_offered, no_privilege, error, timed_out, not_collected };

[[nodiscard]] std::string_view name_of(
    GapClass gap);  // "not offered", "no privilege", "error", "timed out", "not collected"
[[nodiscard]] bool gap_from_name(std::string_view name, GapClass& out);

struct Gap {
    GapClass kind = GapClass::error;
    std::string reason;  // names the file or subject
    std::string remedy;  // what the reader can do; empty when nothing specific

    friend bool operator==(const Gap&, const Gap&) = default;
};

// not_found and not_supported → not offered; no_privilege, timed_out, not_collected as they are; the rest → error.
[[nodiscard]] Gap gap_from(Error error);

// A value, or why there is none. Missing is never 0 and never "ok".
using Reading = tl::expected<Value, Gap>;

// Equality, quick for whole numbers: a thousand readings are compared in each sweep.
[[nodiscard]] bool same(const Reading& a, const Reading& b);
// Assignments, quick for what is written most: a whole number over a whole number.
void assign(Reading& to, const Reading& from);
void assign(Reading& to, Value&& from);

}  // namespace rd
