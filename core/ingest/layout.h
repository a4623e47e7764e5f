// SPDX-License-Identifier: GPL-2.0-or-later
// Where things lie in what the collecting tools of others make, and which command each file is the output of.
#pragma once

#include <string>
#include <string_view>

namespace rd::ingest {

enum class Layout {
    none,
    sos,      // sos report: sos_commands/PLUGIN/COMMAND, and copies of files below their path
    sysinfo,  // linux-sysinfo-snapshot: commands_txt_output/*.txt with the command in the first line, ethtool_S/, …
    texts,    // an archive of anything else: each file a text of its own
};

// What an entry, by its name, says about the layout; none: nothing.
[[nodiscard]] Layout layout_told_by(std::string_view name);

struct Place {
    enum class What {
        ignored,
        tree,    // the very file of the host: `path`
        output,  // of `command`, or text of any kind when that is empty
        packed,  // another archive within: not opened
    };
    What what = What::ignored;
    std::string path;
    std::string command;
};

// `name` as the archive has it; the folder that everything lies in is taken off.
[[nodiscard]] Place place_of(Layout layout, std::string_view name);

// "ethtool_-S_eth0" → "ethtool -S eth0"; "ibv_devinfo_-v" → "ibv_devinfo -v". Empty: no command that is known.
[[nodiscard]] std::string command_of_file_name(std::string_view name);

}  // namespace rd::ingest
