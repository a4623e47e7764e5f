// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <string>

#include "core/base/text.h"
#include "core/host/settings_formats.h"

namespace rd {
namespace {

// "ms async rdma-dscp" and "ms_async_rdma_dscp" are one name.
std::string normal(std::string_view name) {
    std::string out;
    for (const char c : trim(name)) {
        const bool separator = c == ' ' || c == '\t' || c == '-' || c == '_';
        if (separator && !out.empty() && out.back() == '_') continue;
        out += separator ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

// A mark begins a comment at the start of a line or after white space; within a value ('#' of a colour, ';' of a provider such as
// "ofi+verbs;ofi_rxm") it belongs to it.
std::string_view without_comment(std::string_view line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
        const bool mark = line[i] == '#' || line[i] == ';';
        if (mark && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) return line.substr(0, i);
    }
    return line;
}

std::string_view unquoted(std::string_view value) {
    if (value.size() < 2 || value.front() != value.back()) return value;
    return value.front() == '"' || value.front() == '\'' ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

Result<> read_ini(std::string_view text, std::string_view name, const SettingSink& take) {
    if (text.find('\0') != std::string_view::npos) return fail(Errc::bad_input, "not text");
    const std::string wanted = normal(name);
    std::string section;
    std::string joined;
    for (const std::string_view line : lines(text)) {
        std::string_view part = trim(without_comment(line));
        const bool continues = part.ends_with('\\');
        if (continues) part.remove_suffix(1);
        joined += part;
        if (continues) continue;
        const std::string whole = std::exchange(joined, {});
        if (whole.starts_with('[')) {
            const std::size_t end = whole.find(']');
            section = end == std::string::npos ? std::string()
                                               : std::string(trim(std::string_view(whole).substr(1, end - 1)));
            continue;
        }
        const std::size_t equals = whole.find('=');
        if (equals == std::string::npos || normal(std::string_view(whole).substr(0, equals)) != wanted) continue;
        take(section, unquoted(trim(std::string_view(whole).substr(equals + 1))));
    }
    return {};
}

}  // namespace rd
