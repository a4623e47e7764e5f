// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/argument_values.h"

#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/base/time.h"

namespace rd::cli {
namespace {

template <class T>
struct Word {
    std::string_view word;
    T value;
};
constexpr Word<Style> kStyles[] = {{"text", Style::text},
                                   {"json", Style::json},
                                   {"nagios", Style::nagios},
                                   {"npd", Style::npd},
                                   {"junit", Style::junit}};
constexpr Word<Likeness> kLikenesses[] = {{"twins", Likeness::twins}, {"recordings", Likeness::recordings}};

template <class T, std::size_t N>
std::string take_word(std::string_view what, const std::string& text, const Word<T> (&words)[N], T& into) {
    std::vector<std::string_view> known;
    for (const Word<T>& one : words) {
        known.push_back(one.word);
        if (one.word != text) continue;
        into = one.value;
        return {};
    }
    return no_such(what, text, known);
}

}  // namespace

ParseValue duration_into(std::chrono::nanoseconds& target, std::chrono::nanoseconds least, bool zero_allowed) {
    return [&target, least, zero_allowed](const std::string& text) -> std::string {
        if (zero_allowed && text == "0") {
            target = std::chrono::nanoseconds(0);
            return {};
        }
        const auto parsed = parse_duration(text);
        if (!parsed) return parsed.error().what;
        if (*parsed < least && !(zero_allowed && parsed->count() == 0)) {
            return "at least " + print_duration(least) + (zero_allowed ? ", or 0" : "") + ", not '" + printable(text) +
                   "'";
        }
        target = *parsed;
        return {};
    };
}

std::string not_empty(const std::string& text) { return text.empty() ? "must not be empty" : ""; }

std::string no_such(std::string_view what, std::string_view typed, const std::vector<std::string_view>& known) {
    std::string all = "there are";
    for (const std::string_view name : known) all.append(1, ' ').append(name);
    const std::string near = did_you_mean(typed, known);
    return "no such " + std::string(what) + " '" + printable(typed) + "'; " + (near.empty() ? all : near);
}

std::string take_kind(const std::string& text, Kind& into) {
    if (kind_from_name(text, into)) return {};
    std::vector<std::string_view> known;
    for (int i = 0; i < kKindCount; ++i) known.push_back(name_of(static_cast<Kind>(i)));
    return no_such("kind", text, known);
}

std::string take_style(const std::string& text, Style& into) { return take_word("style", text, kStyles, into); }

std::string take_likeness(const std::string& text, Likeness& into) {
    return take_word("likeness", text, kLikenesses, into);
}

std::string take_severity(const std::string& text, Severity& into) {
    if (severity_from_name(text, into)) return {};
    return no_such("severity", text, {"info", "low", "medium", "high", "critical"});
}

std::string take_moment(const std::string& text, Moment& into) {
    if (text == "now") {
        into = {std::chrono::nanoseconds(0), 0};
        return {};
    }
    if (const auto ago = parse_duration(text); ago && ago->count() >= 0) {
        into = {*ago, 0};
        return {};
    }
    const auto time = parse_time(text);
    if (!time) {
        return "not a time: '" + printable(text) +
               "' (write 2026-03-01T12:00:00Z, seconds since 1970, now, or 2h for two hours ago)";
    }
    into = {std::nullopt, *time};
    return {};
}

}  // namespace rd::cli
