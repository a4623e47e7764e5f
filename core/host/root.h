// SPDX-License-Identifier: GPL-2.0-or-later
// Where paths begin. Private to core/host.
#pragma once

#include <cstddef>
#include <string>

#include "core/host/descriptor.h"

namespace rd {

class Root {
public:
    Root();
    // `copied`: what lies there is a copy, which holds one moment, and not mounted from the kernel.
    Root(Descriptor directory, bool copied);

    // The descriptor or the negative errno. O_CLOEXEC and O_NOCTTY are always added, O_NONBLOCK unless O_PATH.
    [[nodiscard]] int open(const std::string& path, int flags) const;
    [[nodiscard]] bool is_tree() const { return static_cast<bool>(directory_); }
    [[nodiscard]] bool is_copy() const { return copied_; }
    [[nodiscard]] int directory() const { return directory_.get(); }
    // A descriptor may be kept open only while enough numbers remain for everybody else. When a host has more files
    // than that, the others are opened, read and closed each time.
    [[nodiscard]] bool may_keep(int fd) const { return fd < keep_below_; }

private:
    Descriptor directory_;
    bool copied_ = false;
    int keep_below_;
};

}  // namespace rd
