// SPDX-License-Identifier: GPL-2.0-or-later
// Single settings out of configuration files. Such a file may hold passwords and keys, and what is read here ends up in bundles that are
// given away: so the answer has the one setting that was asked for and nothing else of the file, an Error says where the file does not
// parse and never what stands there, and what sounds like a secret is refused.
//
// A setting is asked for by name; `config.FORMAT/NAME/PATH` (subjects.h). The answer is one record a place: at (the section, or the path
// to the value within the tree: engines.0.fabric_iface) and value. Empty when the file does not set it.
//
//   ini    [section], NAME = VALUE; '#' and ';' comments, '\' at the end continues. A file without sections is one of this kind too. Spaces,
//          '-' and '_' in names are the same, and so are small and capital letters (ceph.conf, nfs.conf, beegfs-*.conf, nccl.conf)
//   yaml   by libyaml, which reads JSON as well (daos_server.yml, the configuration of SPDK). Anchors are not followed
//   toml   by toml++
//
// In yaml and toml NAME is the end of a path, numbers of elements left out: `engines.fabric_iface`, `ib_devices.device_filter`.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/host/host.h"

namespace rd {

enum class SettingsFormat : std::uint8_t { ini, yaml, toml };

// Of the text of one file. `object` names it in an Error.
[[nodiscard]] Result<std::string> pick_setting(SettingsFormat format, std::string_view name, std::string_view text,
                                               std::string_view object);
[[nodiscard]] bool sounds_secret(std::string_view name);

// Opens a file by its path: of the machine, of a copy of a part of it, or of what was pasted.
using Opener = std::function<std::unique_ptr<Handle>(std::string_view path)>;

// A handle for `config.FORMAT/NAME/PATH`, `config.mounts/PATH`, `proc.env/PID` and `proc.option/PID/NAME`, which live in files. nullptr:
// another subject.
[[nodiscard]] std::unique_ptr<Handle> open_filtered(const Opener& files, std::string_view name);

}  // namespace rd
