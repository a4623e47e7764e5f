// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/base/log_line.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/base/letters.h"
#include "core/base/text.h"

namespace rd {
namespace {

constexpr std::size_t kLongestName =
    15;  // IFNAMSIZ without the NUL; RDMA devices and controllers have no longer ones by default
constexpr std::size_t kLongestQuote = 128;

constexpr std::array<std::string_view, 22> kDevicePrefixes = {
    "bnxt_re", "bond", "efa_",  "enp", "enP",   "eno",  "ens",  "enx",  "erdma_", "eth", "hfi1_",
    "hns_",    "ib",   "irdma", "mlx", "mana_", "nvme", "qedr", "rdma", "roce",   "rxe", "siw"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_alnum(char c) { return is_digit(c) || is_letter(c); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_word(char c) { return is_alnum(c) || c == '_'; }
bool is_joint(char c) { return c == ':' || c == '.' || c == '-'; }  // within addresses, times and names

template <class Is>
std::size_t run(std::string_view text, std::size_t from, Is is) {
    while (from < text.size() && is(text[from])) ++from;
    return from;
}

bool has_digit(std::string_view word) { return std::any_of(word.begin(), word.end(), is_digit); }

// Behind these stands a number that tells what happened, not how often or to whom: "status=12", "failed with error -110".
constexpr std::array<std::string_view, 11> kCodeWords = {"status", "error", "err",     "errno",  "rc",      "ret",
                                                         "code",   "synd",  "syndrom", "return", "returned"};
constexpr std::size_t kLongestCode = 4;

// Whether the digits from `at` to `end` are such a number.
bool is_code(std::string_view line, std::size_t at, std::size_t end) {
    constexpr std::size_t kMostBetween = 3;
    if (end - at > kLongestCode || !std::all_of(line.begin() + static_cast<std::ptrdiff_t>(at),
                                                line.begin() + static_cast<std::ptrdiff_t>(end), is_digit)) {
        return false;
    }
    std::size_t past = at;
    while (past > 0 && at - past < kMostBetween &&
           std::string_view(" =:(-").find(line[past - 1]) != std::string_view::npos)
        --past;
    std::size_t begin = past;
    while (begin > 0 && past - begin <= kLongestName && is_letter(line[begin - 1])) --begin;
    const std::string word = lower(line.substr(begin, past - begin));
    return past != at && std::find(kCodeWords.begin(), kCodeWords.end(), word) != kCodeWords.end();
}

// One word, without joints.
void add_word(std::string_view word, std::string& out) {
    constexpr std::size_t kShortestHex = 4;
    const bool hex = word.size() >= kShortestHex && has_digit(word) && std::all_of(word.begin(), word.end(), is_hex);
    if (hex || starts_with(word, "0x")) {
        out += '#';
        return;
    }
    for (std::size_t at = 0; at < word.size();) {
        if (is_digit(word[at])) {
            out += '#';
            at = run(word, at, is_digit);
        } else {
            out += word[at++];
        }
    }
}

// Words and the joints between them, from `begin` to `past`: an address, a time, a version, or a path of names.
void add_compound(std::string_view line, std::size_t begin, std::size_t past, std::string& out) {
    const std::string_view text = line.substr(begin, past - begin);
    if (is_code(line, begin, past)) {
        out += text;
        return;
    }
    if (is_pci_address(text) || is_device_word(text)) {
        out += text;
        return;
    }
    const bool numbers =
        has_digit(text) && std::all_of(text.begin(), text.end(), [](char c) { return is_hex(c) || is_joint(c); });
    if (numbers) {
        out += '#';
        return;
    }
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = run(text, at, is_word);
        const std::string_view word = text.substr(at, end - at);
        if (is_device_word(word) || is_code(line, begin + at, begin + end)) {
            out += word;
        } else {
            add_word(word, out);
        }
        at = end;
        if (at < text.size()) out += text[at++];
    }
}

// The end of what is quoted from `at` on, the closing quote included; `at` where it is no opening quote (as in "couldn't").
std::size_t quoted(std::string_view line, std::size_t at) {
    const char quote = line[at];
    if ((quote != '"' && quote != '\'') || (at > 0 && is_alnum(line[at - 1]))) return at;
    const std::size_t end = line.substr(0, std::min(line.size(), at + kLongestQuote)).find(quote, at + 1);
    return end == std::string_view::npos ? at : end + 1;
}

// Where the run of words and joints that begins at `at` ends; joints at its end are punctuation.
std::size_t compound_end(std::string_view line, std::size_t at) {
    std::size_t end = run(line, at, [](char c) { return is_word(c) || is_joint(c); });
    while (end > at && is_joint(line[end - 1])) --end;
    return end;
}

}  // namespace

bool is_device_word(std::string_view word) {
    if (word.size() > kLongestName || word.empty() || !is_digit(word.back())) return false;
    if (!std::all_of(word.begin(), word.end(), is_word)) return false;
    return std::any_of(kDevicePrefixes.begin(), kDevicePrefixes.end(), [word](std::string_view prefix) {
        if (!starts_with(word, prefix)) return false;
        // "ib" is short: ib0, ibp65s0, ibs1f0, but not ib_write_17.
        const std::string_view rest = word.substr(prefix.size());
        return prefix != "ib" || (is_digit(rest[0]) || ((rest[0] == 'p' || rest[0] == 's') && is_digit(rest[1])));
    });
}

std::string log_shape(std::string_view line) {
    std::string out;
    out.reserve(line.size());
    for (std::size_t at = 0; at < line.size();) {
        if (const std::size_t end = quoted(line, at); end != at) {
            out += '#';
            at = end;
        } else if (is_word(line[at])) {
            const std::size_t past = compound_end(line, at);
            add_compound(line, at, past, out);
            at = past;
        } else {
            out += line[at++];
        }
    }
    return out;
}

std::vector<std::string_view> names_in_line(std::string_view line) {
    std::vector<std::string_view> names;
    std::set<std::string_view> seen;
    const auto add = [&](std::string_view name) {
        if (std::any_of(name.begin(), name.end(), is_letter) && seen.insert(name).second) names.push_back(name);
    };
    for (std::size_t at = 0; at < line.size();) {
        if (!is_alnum(line[at])) {
            ++at;
            continue;
        }
        std::size_t end = run(line, at, [](char c) { return is_word(c) || c == '.' || c == '-'; });
        while (end > at && (line[end - 1] == '.' || line[end - 1] == '-')) --end;
        if (end + 1 < line.size() && line[end] == '/' && is_digit(line[end + 1])) {
            add(line.substr(at, run(line, end + 1, is_digit) - at));
        }
        add(line.substr(at, end - at));
        at = end;
    }
    return names;
}

std::vector<std::string> pci_addresses_in(std::string_view line) {
    constexpr std::size_t kFull = 12, kShort = 7;
    std::vector<std::string> found;
    const auto add = [&](std::string_view written) {
        std::string address = lower(written);
        if (is_pci_address(address) && std::find(found.begin(), found.end(), address) == found.end())
            found.push_back(std::move(address));
    };
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (!is_hex(line[at]) || (at > 0 && (is_word(line[at - 1]) || line[at - 1] == ':'))) continue;
        const auto ends = [&](std::size_t size) {
            return at + size <= line.size() && (at + size == line.size() || !is_word(line[at + size]));
        };
        if (ends(kFull)) add(std::string(line.substr(at, kFull)));
        if (ends(kShort) && at > 0 && line[at - 1] == '[') add("0000:" + std::string(line.substr(at, kShort)));
    }
    return found;
}

}  // namespace rd
