// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/prose.h"

namespace rd {
namespace {

bool is_name(std::string_view text) {
    if (text.empty()) return false;
    for (const char c : text) {
        const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                          c == '.' || c == '$';
        if (!good) return false;
    }
    return true;
}

// Gives the text piece by piece: literal text, names, lone braces.
template <class Literal, class Name, class Lone>
void walk(std::string_view text, Literal literal, Name name, Lone lone) {
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        const bool brace = c == '{' || c == '}';
        if (brace && at + 1 < text.size() && text[at + 1] == c) {
            literal(text.substr(at, 1));
            at += 2;
            continue;
        }
        const std::size_t end = c == '{' ? text.find('}', at) : std::string_view::npos;
        if (end != std::string_view::npos && is_name(text.substr(at + 1, end - at - 1))) {
            name(at, text.substr(at + 1, end - at - 1));
            at = end + 1;
            continue;
        }
        if (brace) lone(at);
        literal(text.substr(at, 1));
        ++at;
    }
}

}  // namespace

std::vector<Placeholder> placeholders(std::string_view text) {
    std::vector<Placeholder> found;
    walk(
        text, [](std::string_view) {},
        [&](std::size_t at, std::string_view name) {
            found.push_back({at, std::string(name)});
        },
        [&](std::size_t at) {
            found.push_back({at, ""});
        });
    return found;
}

std::string fill(std::string_view text, const std::function<std::string(std::string_view name)>& value) {
    std::string out;
    walk(
        text, [&](std::string_view piece) { out += piece; },
        [&](std::size_t, std::string_view name) { out += value(name); }, [](std::size_t) {});
    return out;
}

}  // namespace rd
