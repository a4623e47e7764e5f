// SPDX-License-Identifier: GPL-2.0-or-later
// Opens what `--from` names: the live host, a bundle, or a directory with sys/ and/or proc/ below it.
#pragma once

#include <memory>
#include <string>

#include "cli/answer.h"
#include "core/host/host.h"

namespace rd::cli {

[[nodiscard]] bool is_live(const std::string& from);
[[nodiscard]] OrFailure<std::shared_ptr<Host>> open_source(const std::string& from);

}  // namespace rd::cli
