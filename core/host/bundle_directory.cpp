// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "core/base/text.h"
#include "core/host/bundle_reader.h"
#include "core/host/files.h"

namespace rd {
namespace {

constexpr std::size_t kMaxDepth = 64;

// manifest.toml, t0, t1 …: a fixture may keep its notes and expectations beside them.
bool belongs_to_bundle(std::string_view name) {
    return name == kManifest ||
           (name.size() > 1 && name[0] == 't' &&
            std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; }));
}

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

Error at(std::string_view name, int errnum) { return error_from_errno(errnum, "'" + printable(name, 200) + "'"); }

Result<std::string> read_text(int directory, const char* entry, const std::string& name) {
    const Descriptor file(::openat(directory, entry, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0) return tl::unexpected<Error>(at(name, errno));
    if (!S_ISREG(status.st_mode)) {
        return fail(Errc::bad_input, "'" + printable(name, 200) + "': not a regular file", std::string(kRecordAgain));
    }
    std::string text;
    for (std::size_t space = static_cast<std::size_t>(std::clamp<off_t>(status.st_size, 0, kMaxAnswer)) + 1;;) {
        const std::size_t filled = text.size();
        text.resize(filled + space);
        const ssize_t got = ::read(file.get(), text.data() + filled, space);
        if (got < 0) return tl::unexpected<Error>(at(name, errno));
        text.resize(filled + static_cast<std::size_t>(got));
        if (text.size() > kMaxAnswer) {
            return fail(Errc::limit, "'" + printable(name, 200) + "': larger than 8 MiB", std::string(kRecordAgain));
        }
        if (got == 0) return text;
        space = 4096;
    }
}

class Walk {
public:
    // `prefix` is empty or ends in '/'.
    Result<> into(Descriptor place, const std::string& prefix, std::size_t depth);
    [[nodiscard]] Pieces take() { return box_.take(); }

private:
    Result<> entry(int directory, const char* file, const std::string& name, std::size_t depth);

    PieceBox box_;
};

Result<> Walk::into(Descriptor place, const std::string& prefix, std::size_t depth) {
    if (depth > kMaxDepth) {
        return fail(Errc::bad_input, "'" + printable(prefix, 200) + "': nested too deeply", std::string(kRecordAgain));
    }
    const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(place.get()));
    if (!directory) return tl::unexpected<Error>(at(prefix, errno));
    const int number = place.release();  // closedir closes it
    for (errno = 0; const dirent* const found = ::readdir(directory.get()); errno = 0) {
        const std::string_view file = found->d_name;
        if (file == "." || file == ".." || (depth == 0 && !belongs_to_bundle(file))) continue;
        if (auto done = entry(number, found->d_name, prefix + found->d_name, depth); !done) return done;
    }
    if (errno != 0) return tl::unexpected<Error>(at(prefix, errno));
    return {};
}

Result<> Walk::entry(int directory, const char* file, const std::string& name, std::size_t depth) {
    if (auto good = box_.check_name(name); !good) return good;
    struct stat status {};
    if (::fstatat(directory, file, &status, AT_SYMLINK_NOFOLLOW) != 0) return tl::unexpected<Error>(at(name, errno));
    if (S_ISDIR(status.st_mode)) {
        Descriptor below(::openat(directory, file, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
        if (!below) return tl::unexpected<Error>(at(name, errno));
        return into(std::move(below), name + "/", depth + 1);
    }
    if (!S_ISREG(status.st_mode)) {
        return fail(Errc::bad_input,
                    "'" + printable(name, 200) + "': " + (S_ISLNK(status.st_mode) ? "a link" : "not a regular file"),
                    "copy the bundle again; links of the host belong into the table t0/links");
    }
    auto text = read_text(directory, file, name);
    if (!text) return tl::unexpected<Error>(text.error());
    return box_.add(name, std::move(*text));
}

}  // namespace

Result<Pieces> read_directory(Descriptor directory) {
    Walk walk;
    return walk.into(std::move(directory), "", 0).map([&] { return walk.take(); });
}

}  // namespace rd
