// SPDX-License-Identifier: GPL-2.0-or-later
// A value of each device, by a loop over their folders:
//   for d in /sys/class/infiniband/mlx5_*; do echo $(basename $d) $(cat $d/device/numa_node); done
// prints a row "mlx5_0 1" each; the same with $d in front instead of its last name.
#include <fmt/format.h>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

struct Loop {
    std::string folder;      // that all of them lie in: "/sys/class/infiniband"
    std::string begin, end;  // of their names: "mlx5_*"
    std::string below;       // "device/numa_node"
};

bool is_path(std::string_view text) {
    return !text.empty() && text.find("..") == std::string_view::npos && text.find("//") == std::string_view::npos &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:") ==
               std::string_view::npos;
}

// What is not such a loop has no folder.
Loop loop_of(const Command& command) {
    const std::string_view text = command.text;
    const std::size_t begin = text.find("for ");
    if (begin == std::string_view::npos || !has(text, "echo ")) return {};
    const std::string_view variable = first_word(text.substr(begin + 4));
    const std::string_view where = first_word(behind(text, " in ").value_or(""));
    const std::string_view glob = where.substr(0, where.find(';'));
    const std::size_t slash = glob.rfind('/'), star = glob.find('*');
    if (!is_name(variable) || !glob.starts_with("/sys/class/") || star == std::string_view::npos || star < slash)
        return {};
    // One value, with the name of its device in front.
    const std::string plain = fmt::format("${}", variable), braced = fmt::format("${{{}}}", variable);
    const std::string_view printed = text.substr(text.find("echo "));
    const std::size_t read = printed.find("$(cat ");
    if (read == std::string_view::npos || printed.find("$(cat", read + 1) != std::string_view::npos) return {};
    if (!has(printed.substr(0, read), plain) && !has(printed.substr(0, read), braced)) return {};
    std::string_view file = printed.substr(read + 6);
    file = file.substr(0, file.find(')'));
    const std::string& name = file.starts_with(plain) ? plain : braced;
    if (!file.starts_with(name + "/")) return {};
    const std::string_view folder = glob.substr(0, slash), below = file.substr(name.size() + 1);
    if (!is_path(folder) || !is_path(below)) return {};
    return {std::string(folder), std::string(glob.substr(slash + 1, star - slash - 1)),
            std::string(glob.substr(star + 1)), std::string(below)};
}

struct Row {
    std::string_view name, value;
};
std::optional<Row> row_of(std::string_view line, const Loop& loop) {
    const auto row = words(line);
    if (row.size() < 2 || row.size() > 3) return std::nullopt;  // "mlx5_0 4: ACTIVE"
    const std::string_view value = trim(trim(line).substr(row[0].size()));
    std::string_view name = row[0];
    if (name.ends_with(':')) name.remove_suffix(1);
    if (name.starts_with(loop.folder + "/")) name.remove_prefix(loop.folder.size() + 1);
    const bool fits = is_numbered_name(name) && name.starts_with(loop.begin) && name.ends_with(loop.end);
    return fits ? std::optional(Row{name, value}) : std::nullopt;
}

bool continues_loop(const Section& section, const Line& line) {
    return (section.empty() || !line.after_blank) && row_of(line.text, loop_of(section.command)).has_value();
}

void parse_loop(const Section& section, Answers& answers) {
    const Loop loop = loop_of(section.command);
    for (const std::string& line : section.lines) {
        const auto row = row_of(line, loop);
        if (!row) continue;
        if (member_of_class(loop.folder, row->name, answers).empty()) continue;
        answers.read(fmt::format("{}/{}/{}", loop.folder, row->name, loop.below), row->value);
    }
}

constexpr Form kForms[] = {
    {"loop over devices", "", [](const Command& command) { return !loop_of(command).folder.empty(); }, nullptr,
     continues_loop, parse_loop},
};

}  // namespace

extern const std::span<const Form> loops;
constinit const std::span<const Form> loops{kForms};

}  // namespace rd::ingest::forms
