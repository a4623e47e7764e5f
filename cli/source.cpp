// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/source.h"

#include <utility>

#include "cli/files.h"
#include "cli/options.h"
#include "core/host/bundle.h"
#include "core/host/live.h"

namespace rd::cli {

bool is_live(const std::string& from) { return from == kLive; }

OrFailure<std::shared_ptr<Host>> open_source(const std::string& from) {
    if (is_live(from)) return std::shared_ptr<Host>(live_host());
    if (!exists(from))
        return usage_failure(from + ": no such file or directory (--from takes a bundle or a directory)");
    const bool tree = is_directory(from) && !exists(from + "/manifest.toml");
    if (tree && !is_directory(from + "/sys") && !is_directory(from + "/proc")) {
        return usage_failure(from + ": neither a bundle (no manifest.toml) nor a copy of a host (no sys/ or proc/)");
    }
    if (tree) {
        Result<std::unique_ptr<Host>> host = tree_host(from);
        if (!host) return usage_failure(describe(host.error()));
        return std::shared_ptr<Host>(std::move(*host));
    }
    Result<Bundle> bundle = load_bundle(from);
    if (!bundle) return usage_failure(describe(bundle.error()));
    return std::shared_ptr<Host>(replay_host(std::move(*bundle), from));
}

}  // namespace rd::cli
