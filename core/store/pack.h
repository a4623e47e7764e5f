// SPDX-License-Identifier: GPL-2.0-or-later
// When an hour of the axis is over: the journal's rows become one chunk an entity, with the same by minutes and by hours.
#pragma once

#include <string>
#include <vector>

#include "core/store/axis.h"
#include "core/store/sqlite.h"

namespace rd::store {

inline constexpr Millis kMinute = 60'000, kHour = 3'600'000, kDay = 24 * kHour;

// Keys of chunks: in the table `chunk` and `minute` a stretch is an hour, in `hour` a day.
[[nodiscard]] constexpr std::int64_t chunk_key(std::int64_t entity, std::int64_t stretch) {
    return entity << 32 | stretch;
}

// The series of a chunk: (id, bytes) one after the other.
struct ChunkEntry {
    std::int64_t series;
    std::string_view data;
};
[[nodiscard]] Result<std::vector<ChunkEntry>> read_chunk(std::string_view bytes);
void append_entry(std::string& into, std::int64_t series, std::string_view data);

// Packs every hour that ended before `now`, each in its own transaction. Gives what could not be read and is gone: one line each.
[[nodiscard]] Result<std::vector<std::string>> pack(Database& database, Millis now);

}  // namespace rd::store
