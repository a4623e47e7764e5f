// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace rd::cli {

std::string number_text(double value) {
    const double size = std::fabs(value);
    if (!std::isfinite(value)) return fmt::format("{}", value);
    if (size == 0 || size >= 100 || (value == std::floor(value) && size < 1e15)) return fmt::format("{:.0f}", value);
    return fmt::format("{:.3g}", value);
}

std::string value_text(const Value& value, std::string_view unit) {
    const auto* real = std::get_if<double>(&value);
    std::string text = real != nullptr ? number_text(*real) : print(value);
    if (!unit.empty()) text += " " + std::string(unit);
    return text;
}

std::string gap_text(const Gap& gap) {
    std::string text(name_of(gap.kind));
    if (!gap.reason.empty()) text += ": " + gap.reason;
    if (!gap.remedy.empty()) text += " (" + gap.remedy + ")";
    return text;
}

std::string seconds_text(std::chrono::nanoseconds time) {
    const double seconds = std::chrono::duration<double>(time).count();
    if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1e3);
    if (seconds < 180) return fmt::format("{:.1f} s", seconds);
    if (seconds < 10800) return fmt::format("{:.0f} min", seconds / 60);
    return fmt::format("{:.1f} h", seconds / 3600);
}

std::string day_text(std::int64_t wall_ns) {
    // 1970 began with a Thursday.
    static constexpr const char* kDays[] = {"Thursday", "Friday",  "Saturday", "Sunday",
                                            "Monday",   "Tuesday", "Wednesday"};
    constexpr std::int64_t kDay = std::int64_t{86'400} * 1'000'000'000;
    const std::string time = rfc3339(wall_ns);
    return fmt::format("{} {} {} UTC", kDays[std::max<std::int64_t>(wall_ns, 0) / kDay % 7], time.substr(0, 10),
                       time.substr(11, 5));
}

std::string evidence_text(const Evidence& evidence) {
    if (!evidence.reading) return gap_text(evidence.reading.error());
    std::string unit = evidence.unit;
    if (evidence.how == "rate" && !unit.ends_with("/s")) unit += "/s";
    std::string text = value_text(*evidence.reading, unit);
    if (evidence.how == "lifetime") text += " since it was last reset";
    if (evidence.how == "increase") text = "+" + text;
    if (evidence.how == "min" || evidence.how == "max" || evidence.how == "avg") text = evidence.how + " " + text;
    if (evidence.how == "changed") text = text == "true" ? "changed" : "unchanged";
    if (evidence.window) text += " over " + seconds_text(*evidence.window);
    return text;
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
    return fmt::format("{}", fmt::join(parts, separator));
}

std::string some_of(const std::vector<std::string>& parts, std::size_t limit) {
    if (parts.size() <= limit) return joined(parts, ", ");
    const std::vector<std::string> first(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(limit));
    return fmt::format("{} and {} more", joined(first, ", "), parts.size() - limit);
}

std::string upper(std::string_view text) {
    std::string out(text);
    for (char& letter : out) {
        if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
    }
    return out;
}

}  // namespace rd::cli
