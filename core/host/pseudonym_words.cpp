// SPDX-License-Identifier: GPL-2.0-or-later
// Names that have no form of their own: of the host and its domain, serial numbers, NQNs and WWIDs.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/letters.h"
#include "core/base/text.h"
#include "core/host/pseudonyms.h"

namespace rd {
namespace {

constexpr std::size_t kShortestSerial = 4, kShortestNumber = 8, kLongestWord = 256;

// From the first letter or digit to the last.
std::string_view core_of(std::string_view text) {
    while (!text.empty() && !is_alnum(text.front())) text.remove_prefix(1);
    while (!text.empty() && !is_alnum(text.back())) text.remove_suffix(1);
    return text;
}

std::size_t run_end(std::string_view text, std::size_t at) {
    while (at < text.size() && is_alnum(text[at])) ++at;
    return at;
}

// Names that every host may have.
bool names_nobody(std::string_view name) {
    return name.empty() || name == "localhost" || name == "localdomain" || name == "(none)";
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether it can be told from the words and numbers around it.
bool is_distinctive(std::string_view serial) {
    const bool digit = std::any_of(serial.begin(), serial.end(), is_digit);
    const bool letter = std::any_of(serial.begin(), serial.end(), [](char c) { return is_alnum(c) && !is_digit(c); });
    const bool varied = serial.find_first_not_of(serial.front()) != std::string_view::npos;
    return serial.size() <= kLongestWord && digit && varied &&
           (letter ? serial.size() > kShortestSerial : serial.size() >= kShortestNumber);
}

// Whether it is `form` with a number in the place of '#'.
bool is_numbered(std::string_view word, std::string_view form) {
    const std::size_t at = form.find('#'), after = form.size() - at - 1;
    return word.size() >= form.size() && word.starts_with(form.substr(0, at)) && word.ends_with(form.substr(at + 1)) &&
           std::all_of(word.begin() + static_cast<std::ptrdiff_t>(at), word.end() - static_cast<std::ptrdiff_t>(after),
                       is_digit);
}

std::string with_dashes(std::string_view text, std::string_view dash) {
    std::string out;
    for (const char c : text) {
        if (c == '-') {
            out += dash;
        } else {
            out += c;
        }
    }
    return out;
}

}  // namespace

void Pseudonyms::learn_host(std::string_view name) {
    const std::string host = lower(trim(name));
    const std::size_t dot = host.find('.');
    const std::string label = host.substr(0, dot);
    if (!names_nobody(label) && label.size() <= kLongestWord) hosts_.try_emplace(label);
    // "cluster.example.com" and "example.com", in which other hosts are too, but not "com".
    for (std::size_t at = dot; at != std::string::npos; at = host.find('.', at + 1)) {
        const std::string domain = host.substr(at + 1);
        if (domain.size() > kLongestWord || names_nobody(domain)) continue;
        if (keeps_own_words_ && domain == "example.net") continue;
        if (at == dot || domain.find('.') != std::string::npos) domains_.try_emplace(domain);
    }
}

void Pseudonyms::learn_common_host(std::string_view name) {
    if (const std::string host = lower(trim(name)); !names_nobody(host)) whole_.try_emplace(host);
}

void Pseudonyms::learn_serial(std::string_view serial) {
    const std::string_view value = trim(serial);
    if (value.size() < kShortestSerial || std::none_of(value.begin(), value.end(), is_digit)) return;
    if (keeps_own_words_ && is_numbered(lower(value), "name-#")) {
        whole_.try_emplace(lower(value));
        return;
    }
    for (const std::string_view word : words(value)) {
        const std::string_view core = core_of(word);
        if (!core.empty() && is_distinctive(core)) serials_.try_emplace(lower(core));
    }
    if (!serials_.contains(lower(value))) whole_.try_emplace(lower(value));
}

void Pseudonyms::number_words() {
    std::size_t next = 1;
    for (auto& [name, to] : names_) {
        if (name.starts_with("nqn.")) {
            do to = fmt::format("nqn.2014-08.org.example:nvme-{}", next++);
            while (names_.contains(to));
            continue;
        }
        if (name.starts_with("iqn.")) {
            do to = fmt::format("iqn.2014-08.org.example:disk-{}", next++);
            while (names_.contains(to));
            continue;
        }
        const std::string_view digits = std::string_view(name).substr(name.find('.') + 1);
        do {
            to = name.substr(0, name.find('.') + 1);
            const std::string number = fmt::format("{:0{}x}", next++, digits.size());
            for (std::size_t i = 0; i < digits.size(); ++i) to += digits[i] == '-' ? '-' : number[i];
        } while (names_.contains(to));
    }
    const auto is_free = [this](const std::string& word) {
        const std::string key = lower(word);
        return !hosts_.contains(key) && !domains_.contains(key) && !serials_.contains(key) && !whole_.contains(key);
    };
    const auto fill = [&](auto& map, std::string_view own, auto make) {
        std::size_t number = 1;
        for (auto& [key, to] : map) {
            if (keeps_own_words_ && is_numbered(key, lower(own))) {
                to = std::string(own.substr(0, own.find('#'))) + key.substr(own.find('#'));
                continue;
            }
            do to = make(number++);
            while (!is_free(to));
        }
    };
    fill(hosts_, "host-#", [](std::size_t n) { return fmt::format("host-{}", n); });
    fill(domains_, "net-#.example.net",
         [](std::size_t n) { return n == 1 ? "example.net" : fmt::format("net-{}.example.net", n); });
    fill(serials_, "SN#", [](std::size_t n) { return fmt::format("SN{:06}", n); });
    fill(whole_, "name-#", [](std::size_t n) { return fmt::format("name-{}", n); });
    for (const auto* map : {&hosts_, &domains_, &serials_}) {
        for (const auto& [key, to] : *map) {
            std::vector<Word>& all = words_[key.substr(0, run_end(key, 0))];
            all.push_back({key, to});
            if (key.find('-') == std::string::npos) continue;
            // As device mapper, systemd and those write it whose names have no dashes.
            for (const std::string_view dash : {std::string_view("--"), kEscapedDash, std::string_view("_")}) {
                all.push_back({with_dashes(key, dash), with_dashes(to, dash)});
            }
        }
    }
    for (auto& [first, all] : words_) {
        std::stable_sort(all.begin(), all.end(),
                         [](const Word& a, const Word& b) { return a.key.size() > b.key.size(); });
    }
}

const Pseudonyms::Word* Pseudonyms::word_at(std::string_view text, std::size_t at, std::size_t end) const {
    const std::size_t first = run_end(text, at);
    if (first > end || first - at > kLongestWord) return nullptr;
    const auto candidates = words_.find(lower(text.substr(at, first - at)));
    if (candidates == words_.end()) return nullptr;
    for (const Word& word : candidates->second) {
        const std::size_t to = at + word.key.size();
        if (to > end || (to < text.size() && is_alnum(text[to]))) continue;
        if (lower(text.substr(at, word.key.size())) == word.key) return &word;
    }
    return nullptr;
}

void Pseudonyms::append_words(std::string_view text, std::size_t from, std::size_t to, std::string& out) const {
    if (words_.empty()) {
        out += text.substr(from, to - from);
        return;
    }
    while (from < to) {
        if (!is_alnum(text[from])) {
            out += text[from++];
            continue;
        }
        const bool starts = from == 0 || !is_alnum(text[from - 1]);
        if (const Word* const word = starts ? word_at(text, from, to) : nullptr; word != nullptr) {
            out += word->to;
            from += word->key.size();
            continue;
        }
        const std::size_t end = std::min(run_end(text, from), to);
        out += text.substr(from, end - from);
        from = end;
    }
}

std::string Pseudonyms::replace_whole(std::string_view text) const {
    const std::string_view value = trim(text);
    const auto found = whole_.find(lower(value));
    if (found == whole_.end()) return replace(text, {});
    const std::size_t from = static_cast<std::size_t>(value.data() - text.data());
    return std::string(text.substr(0, from)) + found->second + std::string(text.substr(from + value.size()));
}

}  // namespace rd
