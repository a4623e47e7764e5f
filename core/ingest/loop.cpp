// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/loop.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/text.h"

namespace rd::ingest {
namespace {

constexpr std::size_t kMostTurns = 256;
constexpr std::size_t kMostBytes = 64u << 10;

bool is_plain(std::string_view word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("_-.:/@+,=").find(c) != std::string_view::npos;
    });
}

bool add_range(std::string_view from, std::string_view to, std::vector<std::string>& out) {
    const auto first = parse_counter(from), last = parse_counter(to);
    if (!first || !last || *last < *first || *last - *first >= static_cast<std::int64_t>(kMostTurns)) return false;
    for (std::int64_t i = *first; i <= *last; ++i) out.push_back(std::to_string(i));
    return true;
}

// "1 2", "{0..7}", "$(seq 0 7)"
std::optional<std::vector<std::string>> words_of_loop(std::string_view list) {
    std::vector<std::string> out;
    list = trim(list);
    if ((starts_with(list, "$(seq ") && list.ends_with(')')) || (starts_with(list, "`seq ") && list.ends_with('`'))) {
        const std::size_t begin = list.find("seq ") + 4;
        const auto ends = words(list.substr(begin, list.size() - 1 - begin));
        const bool good =
            ends.size() == 2 ? add_range(ends[0], ends[1], out) : ends.size() == 1 && add_range("1", ends[0], out);
        return good ? std::optional(out) : std::nullopt;
    }
    for (const std::string_view word : words(list)) {
        const std::size_t dots = word.find("..");
        if (word.starts_with('{') && word.ends_with('}') && dots != std::string_view::npos) {
            if (!add_range(word.substr(1, dots - 1), word.substr(dots + 2, word.size() - dots - 3), out))
                return std::nullopt;
        } else if (is_plain(word)) {
            out.emplace_back(word);
        } else {
            return std::nullopt;
        }
    }
    return out.empty() || out.size() > kMostTurns ? std::nullopt : std::optional(out);
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

}  // namespace

std::string unrolled(std::string_view text) {
    const std::string whole(text);
    const std::string_view line = trim(text);
    const std::size_t in = line.find(" in "), semicolon = line.find(';', in == std::string_view::npos ? 0 : in);
    const std::size_t done = line.rfind("done");
    if (!starts_with(line, "for ") || in == std::string_view::npos || semicolon == std::string_view::npos ||
        done == std::string_view::npos || done < semicolon) {
        return whole;
    }
    const std::string_view name = trim(line.substr(4, in - 4));
    std::string_view body = trim(line.substr(semicolon + 1, done - semicolon - 1));
    const auto turns = words_of_loop(line.substr(in + 4, semicolon - in - 4));
    if (!starts_with(body, "do ") || !turns || !is_plain(name) || body.find("for ") != std::string_view::npos)
        return whole;
    body.remove_prefix(3);
    std::string out;
    for (const std::string& turn : *turns) {
        std::string one(trim(body));
        while (one.ends_with(';')) one.pop_back();
        replace_all(one, "${" + std::string(name) + "}", turn);
        replace_all(one, "$" + std::string(name), turn);
        out += (out.empty() ? "" : "; ") + one;
        if (out.size() > kMostBytes) return whole;
    }
    return out + std::string(line.substr(done + 4));
}

}  // namespace rd::ingest
