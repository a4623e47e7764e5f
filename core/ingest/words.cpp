// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/words.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/base/text.h"

namespace rd::ingest {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Words of a state, without what tools write around them: "PORT_ACTIVE (4)", "4: ACTIVE", "LINK_UP".
std::string bare_state(std::string_view text) {
    text = trim(text);
    if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) text = trim(text.substr(colon + 1));
    text = trim(text.substr(0, text.find('(')));
    std::string word = lower(text);
    std::erase_if(word, [](char c) { return c == '_' || c == ' '; });
    if (word.starts_with("port")) word.erase(0, 4);
    return word;
}

struct State {
    std::string_view word;
    std::string_view text;
};

std::string state_in(std::span<const State> states, const std::string& word) {
    for (const State& state : states) {
        if (state.word == word) return std::string(state.text);
    }
    return {};
}

}  // namespace

std::optional<Pair> pair_of(std::string_view line, char separator) {
    const std::size_t at = line.find(separator);
    if (at == std::string_view::npos) return std::nullopt;
    const Pair pair{trim(line.substr(0, at)), trim(line.substr(at + 1))};
    if (pair.key.empty()) return std::nullopt;
    return pair;
}

std::optional<std::string_view> behind(std::string_view text, std::string_view mark) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    return trim(text.substr(at + mark.size()));
}

std::optional<std::string_view> word_behind(const std::vector<std::string_view>& row, std::string_view key) {
    const auto found = std::find(row.begin(), row.end(), key);
    if (found == row.end() || found + 1 == row.end()) return std::nullopt;
    return *(found + 1);
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [text](std::string_view beginning) { return text.starts_with(beginning); });
}

bool is_any(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

bool indented(std::string_view line) { return !line.empty() && (line.front() == ' ' || line.front() == '\t'); }

std::string_view first_word(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line.substr(0, line.find_first_of(" \t"));
}

std::string upper(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return out;
}

bool is_digits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), digit); }

bool is_hexadecimal(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    });
}

bool is_name(std::string_view text) {
    constexpr std::size_t kLongest = 63;
    return !text.empty() && text.size() <= kLongest && (letter(text.front()) || digit(text.front())) &&
           std::all_of(text.begin(), text.end(),
                       [](char c) { return letter(c) || digit(c) || c == '.' || c == '_' || c == '-'; });
}

bool is_numbered_name(std::string_view text) {
    return is_name(text) && !is_digits(text) && text.find_first_of("0123456789") != std::string_view::npos;
}

std::string member_of_class(std::string_view folder, std::string_view name, Answers& answers) {
    if (folder == "/sys/class/net") return answers.netdev(name);
    if (folder == "/sys/class/infiniband") return answers.device(name);
    return std::string(name);
}

std::optional<std::int64_t> whole_number(std::string_view text) {
    text = trim(text);
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if (hexadecimal) text.remove_prefix(2);
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
    if (error != std::errc{} || stop == text.data()) return std::nullopt;
    return value;
}

std::string_view number_text(std::string_view text) {
    text = trim(text);
    std::size_t end = !text.empty() && text.front() == '-' ? 1 : 0;
    while (end < text.size() && (digit(text[end]) || text[end] == '.')) ++end;
    while (end > 0 && text[end - 1] == '.') --end;
    text = text.substr(0, end);
    return parse_number(text) ? text : std::string_view();
}

std::string_view switch_of(std::string_view word) {
    const std::string small = lower(trim(word));
    if (is_any(small, {"on", "yes", "enabled", "enable", "true", "1"})) return "1";
    if (is_any(small, {"off", "no", "disabled", "disable", "false", "0"})) return "0";
    return {};
}

std::optional<std::string> guid_of(std::string_view text) {
    std::string digits = lower(trim(text));
    if (digits.starts_with("0x")) digits.erase(0, 2);
    std::erase(digits, ':');
    if (digits.size() > 16 || !is_hexadecimal(digits)) return std::nullopt;
    digits.insert(0, 16 - digits.size(), '0');
    return fmt::format("{}:{}:{}:{}", digits.substr(0, 4), digits.substr(4, 4), digits.substr(8, 4), digits.substr(12));
}

std::optional<std::string> gid_of(std::string_view text) {
    const std::string word(trim(text));
    in6_addr address{};
    if (word.size() > 45 || ::inet_pton(AF_INET6, word.c_str(), &address) != 1) return std::nullopt;
    std::string out;
    for (std::size_t i = 0; i < 16; i += 2) {
        out += fmt::format("{}{:02x}{:02x}", i == 0 ? "" : ":", address.s6_addr[i], address.s6_addr[i + 1]);
    }
    return out;
}

std::string port_state(std::string_view text) {
    constexpr std::array<State, 7> kStates{{{"down", "1: DOWN"},
                                            {"init", "2: INIT"},
                                            {"initializing", "2: INIT"},
                                            {"armed", "3: ARMED"},
                                            {"active", "4: ACTIVE"},
                                            {"activedefer", "5: ACTIVE_DEFER"},
                                            {"nop", "0: NOP"}}};
    return state_in(kStates, bare_state(text));
}

std::string physical_state(std::string_view text) {
    constexpr std::array<State, 7> kStates{{{"sleep", "1: Sleep"},
                                            {"polling", "2: Polling"},
                                            {"disabled", "3: Disabled"},
                                            {"configurationtraining", "4: PortConfigurationTraining"},
                                            {"linkup", "5: LinkUp"},
                                            {"linkerrorrecovery", "6: LinkErrorRecovery"},
                                            {"phytest", "7: Phy Test"}}};
    return state_in(kStates, bare_state(text));
}

void Fields::put(std::string_view key, std::string_view value) {
    if (key.empty() || value.empty()) return;
    answers_.field(subject_, key, value);
    answers_.field(subject_, "partial", "1");
}

void Fields::put(std::string_view key, const std::optional<std::int64_t>& value) {
    if (value) put(key, std::to_string(*value));
}

}  // namespace rd::ingest
