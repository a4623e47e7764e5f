// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>

#include "core/base/letters.h"
#include "core/base/text.h"
#include "core/ingest/prompt.h"

namespace rd::ingest {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name_char(char c) { return is_alpha(c) || is_digit(c) || c == '-' || c == '_' || c == '.'; }

constexpr std::size_t kLongestHost = 64;

std::size_t name_length(std::string_view text) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_name_char);
    return static_cast<std::size_t>(end - text.begin());
}

constexpr std::array kHostWords{"host",      "node",    "server", "client",    "gpu",       "worker",
                                "compute",   "storage", "target", "initiator", "sender",    "receiver",
                                "machine",   "box",     "dgx",    "nfs",       "responder", "requester",
                                "requestor", "osd",     "mds",    "oss",       "hgx",       "rank"};

// "server", "client2", "hostA", "node-03", "gpu01"
bool is_host_word(std::string_view word) {
    if (word.size() < 3 || word.size() > kLongestHost) return false;
    const std::string small = lower(word);
    for (const std::string_view stem : kHostWords) {
        if (!starts_with(small, stem)) continue;
        std::string_view rest = std::string_view(small).substr(stem.size());
        const bool stands_alone = stem == "server" || stem == "client" || stem == "target" || stem == "initiator" ||
                                  stem == "sender" || stem == "receiver" || stem == "responder" ||
                                  stem == "requester" || stem == "requestor";
        if (rest.empty()) return stands_alone;
        if (rest[0] == '-' || rest[0] == '_') rest.remove_prefix(1);
        if (rest.size() == 1 && (is_alpha(rest[0]) || is_digit(rest[0]))) return rest[0] != 's';  // "hosts:"
        if (!rest.empty() && std::all_of(rest.begin(), rest.end(), [](char c) { return is_digit(c) || c == '-'; }))
            return true;
    }
    return false;
}

bool is_decoration(char c) {
    return c == '=' || c == '-' || c == '*' || c == '#' || c == '_' || c == '~' || c == '+' || c == '>';
}

std::string_view undecorated(std::string_view line, std::size_t& count) {
    const std::size_t before = line.size();
    while (!line.empty() && (is_decoration(line.front()) || line.front() == ' ' || line.front() == '`'))
        line.remove_prefix(1);
    while (!line.empty() && (is_decoration(line.back()) || line.back() == ' ' || line.back() == '`'))
        line.remove_suffix(1);
    count = before - line.size();
    return line;
}

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= kLongestHost && name_length(text) == text.size();
}

// "ethtool shows no errors" begins with a program and is a sentence.
bool is_terse(std::string_view text) {
    const auto parts = words(text);
    for (const std::string_view program : {"rdma", "ip", "dcb", "devlink"}) {
        if (parts[0] == program) return true;
    }
    return parts.size() <= 3 || std::any_of(parts.begin(), parts.end(), [](std::string_view word) {
               return word[0] == '-' || word[0] == '|' || std::any_of(word.begin(), word.end(), is_digit);
           });
}

}  // namespace

std::optional<std::string> host_heading_of(std::string_view line) {
    line = trim(line);
    if (line == "node distances:") return std::nullopt;  // of numactl
    if (line.size() < 4 || line.size() > 100 ||
        (line.back() != ':' && !is_decoration(line.front()) && line[0] != 'H' && line[0] != 'h' && line[0] != 'N' &&
         line[0] != 'n')) {
        return std::nullopt;
    }
    std::size_t count = 0;
    std::string_view inner = undecorated(line, count);
    const bool framed = count >= 4 && is_decoration(line.front()) && is_decoration(line.back());
    const bool marked = count >= 2 && (line.front() == '#' || line.front() == '*');
    bool labelled = false;
    if (!inner.empty() && inner.back() == ':') {
        inner = trim(inner.substr(0, inner.size() - 1));
        labelled = true;
    }
    auto parts = words(inner);
    if (parts.empty() || parts.size() > 4) return std::nullopt;
    const std::string first = lower(parts[0]);
    if (first == "on" || first == "from" || first == "at") parts.erase(parts.begin());
    if (!parts.empty() && lower(parts[0]) == "the") parts.erase(parts.begin());
    if (parts.size() == 2 && lower(parts[1]) == "side") parts.pop_back();
    if (parts.size() == 1 && (framed || marked || labelled) && is_host_word(parts[0])) return std::string(parts[0]);
    if (parts.size() == 1 && framed && is_name(parts[0]) && is_alpha(parts[0][0]) &&
        std::any_of(parts[0].begin(), parts[0].end(), is_digit) && parts[0].find('_') == std::string_view::npos) {
        return std::string(parts[0]);
    }
    if (parts.size() == 2 && (framed || marked || labelled || parts[0].back() == ':')) {
        std::string kind = lower(parts[0]);
        if (!kind.empty() && kind.back() == ':') kind.pop_back();
        const bool is_kind = kind == "host" || kind == "node" || kind == "server" || kind == "client" ||
                             kind == "hostname" || kind == "machine" || kind == "target" || kind == "initiator";
        std::string_view name = parts[1];
        if (name.size() > 2 && name.front() == '(' && name.back() == ')') name = name.substr(1, name.size() - 2);
        if (!is_kind || !is_name(name)) return std::nullopt;
        const bool has_digit = std::any_of(name.begin(), name.end(), is_digit);
        const bool is_whole = is_alpha(name[0]) && name.size() > 1;
        // "Host: stor", "server stor1:", "client 2:"; but "node distances:" and "Node 0:" are of memory.
        if (is_whole && (has_digit || parts[0].back() == ':')) return std::string(name.substr(0, name.find('.')));
        if (!is_whole && kind != "node") return kind + std::string(name);
        return std::nullopt;
    }
    return std::nullopt;
}

std::optional<CommandHeading> command_heading_of(std::string_view line) {
    line = trim(line);
    if (line.size() < 2 || line.size() > 300) return std::nullopt;
    const std::size_t tick = line.find('`');
    if (tick != std::string_view::npos && !starts_with(line, "```")) {
        const std::size_t close = line.find('`', tick + 1);
        if (close == std::string_view::npos) return std::nullopt;
        const std::string_view code = trim(line.substr(tick + 1, close - tick - 1));
        const std::string_view behind = trim(line.substr(close + 1));
        // In a sentence only where it ends with the command: "Output of `ibstat`:"
        if (tick > 0 && behind.size() > 24) return std::nullopt;
        if (auto inner = prompt_of(code)) return CommandHeading{std::string(inner->command), true};
        if (code.empty()) return std::nullopt;
        return CommandHeading{std::string(code), true};
    }
    std::size_t count = 0;
    std::string_view inner = undecorated(line, count);
    const bool set_apart =
        count >= 2 && (line.front() == '*' || line.front() == '#' || line.front() == '=' || line.front() == '-');
    if (line.front() == '/' || line.front() == '.') inner = line;
    if (!inner.empty() && inner.back() == ':') inner = trim(inner.substr(0, inner.size() - 1));
    const std::string small = lower(inner);
    for (const std::string_view before : {"output of ", "result of ", "the output of ", "output from "}) {
        if (!starts_with(small, before)) continue;
        inner = trim(inner.substr(before.size()));
        if (is_surely_command(inner)) return CommandHeading{std::string(inner), true};
        return std::nullopt;
    }
    if (!is_surely_command(inner) || (!set_apart && !is_terse(inner))) return std::nullopt;
    return CommandHeading{std::string(inner), set_apart};
}

bool is_fence(std::string_view line) {
    line = trim(line);
    return starts_with(line, "```") || starts_with(line, "~~~") || line == "{code}" || line == "{noformat}" ||
           line == "<pre>" || line == "</pre>" || line == "[code]" || line == "[/code]";
}

std::size_t host_prefix_of(std::string_view line) {
    const std::size_t length = name_length(line);
    if (length == 0 || length > kLongestHost || length >= line.size() || line[length] != ':') return 0;
    if (length + 1 < line.size() && line[length + 1] != ' ' && line[length + 1] != '\t') return 0;
    return length;
}

}  // namespace rd::ingest
