// SPDX-License-Identifier: GPL-2.0-or-later
// Files, directories and links of a host, from "/" or from a directory that stands for it. Private to core/host.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/host/descriptor.h"
#include "core/host/host.h"

namespace rd {

class Root;

class Files {
public:
    Files();  // from "/"
    // Beneath a directory: nothing, links included, leads out of it. `copied`: a copy, which holds one moment.
    explicit Files(Descriptor directory, bool copied = true);
    [[nodiscard]] std::unique_ptr<Handle> open(std::string_view path) const;
    [[nodiscard]] Result<std::vector<std::string>> list(std::string_view path) const;
    [[nodiscard]] Result<std::string> link(std::string_view path) const;

private:
    std::shared_ptr<const Root> root_;  // shared with the handles
};

// A directory with sys/ or proc/ below it; the remedy is for one that has neither.
[[nodiscard]] Result<Descriptor> open_tree(const std::string& root, const std::string& remedy);

// An errno with the object and, where rights are what is missing, the remedy.
[[nodiscard]] Error file_error(int errnum, std::string_view path);

}  // namespace rd
