// SPDX-License-Identifier: GPL-2.0-or-later
// What counts, of all that a host answers, and the readings of it that a text has. The n-th last reading of every counter belongs to
// the n-th last moment: people paste A, B, A, B as well as A, A, B, B.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace rd::ingest {

// A file whose numbers count, or a field of a subject's record.
[[nodiscard]] bool is_counter(std::string_view name, std::string_view field);

// When something was printed, as far as the text tells.
struct Mark {
    std::uint32_t section = 0;            // order within the text
    std::optional<std::int64_t> wall_ns;  // a time with its date
    std::optional<std::int64_t> day_ns;   // a time of day
    std::int64_t slept_ns = 0;            // what was waited for since the text began
};

// From `before` to `after`; nullopt when the text does not tell.
[[nodiscard]] std::optional<std::int64_t> between(const Mark& before, const Mark& after);

class Readings {
public:
    struct Key {
        std::string name, id, field;  // of a file the name only
        friend auto operator<=>(const Key&, const Key&) = default;
    };
    struct Reading {
        Mark mark;
        std::string text;
    };

    void add(Key key, Reading reading);
    [[nodiscard]] const std::map<Key, std::vector<Reading>>& all() const { return all_; }
    [[nodiscard]] bool empty() const { return all_.empty(); }
    // Under another name, together with what is there.
    void rename(const Key& from, Key to);

    [[nodiscard]] std::size_t moments() const;
    // The mark of each moment: of the latest section that gave one of its readings.
    [[nodiscard]] std::vector<Mark> marks() const;
    // Number of the moment a reading belongs to.
    [[nodiscard]] static std::size_t moment_of(std::size_t reading, std::size_t readings, std::size_t moments) {
        return moments - readings + reading;
    }

private:
    std::map<Key, std::vector<Reading>> all_;
};

// More readings of one counter are thinned out: the first and the newest stay.
inline constexpr std::size_t kMostReadings = 32;

}  // namespace rd::ingest
