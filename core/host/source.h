// SPDX-License-Identifier: GPL-2.0-or-later
// What `--from SOURCE` may name. The table of recognisers in source.cpp is the one place where a form is added.
#pragma once

#include <memory>
#include <string>

#include "core/host/host.h"

namespace rd {

// "" or "live": this machine. Else the path of a bundle (directory or archive) or of a directory with sys/ or proc/ below
// it. Anything else is an Error that says which forms are understood.
[[nodiscard]] Result<std::unique_ptr<Host>> open_source(const std::string& spec);

}  // namespace rd
