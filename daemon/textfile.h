// SPDX-License-Identifier: GPL-2.0-or-later
// Metrics as a file, for the textfile collector of a node_exporter that runs anyway.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "daemon/frame.h"

namespace rd::daemon {

// Whoever reads `path` sees the text before or this one, never a part. Readable for everybody. The form is that of prometheus_text().
[[nodiscard]] Result<> write_textfile(const std::string& path, std::string_view text);

// The file of a daemon that runs: written now and then, not with each sweep, for nobody scrapes it that often.
class Textfile {
public:
    static constexpr std::chrono::nanoseconds kEvery = std::chrono::seconds(10);

    explicit Textfile(std::string path) : path_(std::move(path)) {}  // empty: none

    // After each sweep. `now`: of the boot clock. `frame` is asked for when it is time. Gives a line for the log where there is something
    // new to say: why it could not be written, once for as long as that lasts.
    [[nodiscard]] std::optional<std::string> swept(std::int64_t now,
                                                   const std::function<std::shared_ptr<const Frame>()>& frame);

private:
    std::string path_, trouble_;
    std::optional<std::int64_t> due_;
};

}  // namespace rd::daemon
