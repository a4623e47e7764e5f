// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/textfile.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/host/descriptor.h"
#include "daemon/metrics.h"

namespace rd::daemon {
namespace {

Result<> failed(const std::string& path) {
    const int why = errno;
    Error error = error_from_errno(why, path);
    const bool no_room = why == ENOSPC || why == EDQUOT || why == EFBIG;
    error.remedy = no_room ? "make room there, or raise the limit on the size of files (ulimit -f)"
                   : why == EROFS
                       ? "in the service it needs a drop-in: systemctl edit rdmadoctord, with ReadWritePaths= and the "
                         "folder below [Service], then systemctl restart rdmadoctord"
                       : "the folder must be there and belong to the user the daemon runs as";
    return tl::unexpected(std::move(error));
}

}  // namespace

Result<> write_textfile(const std::string& path, std::string_view text) {
    // In the same folder, or it could not be renamed; not ending in .prom, or it would be read as well.
    const std::string temporary = path + ".new";
    static_cast<void>(::unlink(temporary.c_str()));
    // Excl: a name that somebody else has put there is not followed.
    Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (file.get() < 0) return failed(temporary);
    while (!text.empty()) {
        const ssize_t written = ::write(file.get(), text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            const auto result = failed(temporary);
            static_cast<void>(::unlink(temporary.c_str()));
            return result;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    // The umask of a service is narrow; the exporter is another user.
    if (::fchmod(file.get(), 0644) != 0 || ::rename(temporary.c_str(), path.c_str()) != 0) {
        const auto result = failed(path);
        static_cast<void>(::unlink(temporary.c_str()));
        return result;
    }
    return {};
}

std::optional<std::string> Textfile::swept(std::int64_t now,
                                           const std::function<std::shared_ptr<const Frame>()>& frame) {
    if (path_.empty() || now < due_.value_or(now)) return std::nullopt;
    // In step, though sweeps come a little sooner or later than their time.
    due_ = std::max(due_.value_or(now), now - kEvery.count() / 2) + kEvery.count();
    const auto done = write_textfile(path_, prometheus_text(*frame()));
    std::string trouble = done ? "" : "no textfile: " + describe(done.error());
    const bool said = trouble == trouble_;
    trouble_ = std::move(trouble);
    if (said || trouble_.empty()) return std::nullopt;
    return trouble_;
}

}  // namespace rd::daemon
