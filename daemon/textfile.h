// SPDX-License-Identifier: GPL-2.0-or-later
// Metrics as a file, for the textfile collector of a node_exporter that runs anyway.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace rd::daemon {

// Whoever reads `path` sees the text before or this one, never a part. Readable for everybody. The form is that of prometheus_text().
[[nodiscard]] Result<> write_textfile(const std::string& path, std::string_view text);

}  // namespace rd::daemon
