// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "core/base/text.h"
#include "core/host/bundle_sink.h"
#include "core/host/files.h"

namespace rd {
namespace {

namespace fs = std::filesystem;

// What could not be loaded again is not saved.
Result<> check(const Bundle& bundle, const std::vector<PieceView>& pieces) {
    if (bundle.moments.empty()) return fail(Errc::bad_input, "the bundle has no moment");
    if (bundle.moments.size() > kMaxMoments)
        return fail(Errc::limit, "more than 1,000 moments", "record fewer moments");
    if (pieces.size() >= kMaxPieces) return fail(Errc::limit, "more than 200,000 pieces", "record fewer moments");
    std::size_t bytes = 0;
    for (const PieceView& piece : pieces) {
        bytes += piece.text().size();
        if (piece.name.size() > kMaxPieceName || piece.name.back() == '/') {
            return fail(Errc::bad_input, "'" + printable(piece.name, 200) + "' cannot be the name of a piece");
        }
        if (piece.text().size() > kMaxAnswer) {
            return fail(Errc::limit, "'" + printable(piece.name, 200) + "': larger than 8 MiB");
        }
    }
    if (bytes > kMaxBundleBytes) return fail(Errc::limit, "more than 256 MiB of text", "record fewer moments");
    return {};
}

// Something beside the target that disappears unless it becomes the target.
class Draft {
public:
    explicit Draft(std::string path) : path_(std::move(path)) {}
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;
    ~Draft() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    [[nodiscard]] const std::string& path() const { return path_; }
    // The kernel refuses an existing target, also one that came in the meantime. NFS and FUSE cannot do that; there the
    // check at the beginning must do.
    [[nodiscard]] Result<> become(const std::string& target) {
        int failed = ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE);
        if (failed != 0 && errno == EINVAL) failed = ::rename(path_.c_str(), target.c_str());
        if (failed != 0) return tl::unexpected<Error>(file_error(errno, "the finished bundle cannot get its name"));
        path_.clear();
        return {};
    }

private:
    std::string path_;
};

Result<> sync_folder(const std::string& target) {
    const std::string folder = folder_of(target);
    const Descriptor place(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // EINVAL: a file system that cannot do this for a directory has nothing to flush either.
    if (!place || (::fsync(place.get()) != 0 && errno != EINVAL)) {
        return tl::unexpected<Error>(file_error(errno, folder));
    }
    return {};
}

// The name itself, before anything is made.
Result<> check_name(const std::string& target) {
    if (target.empty()) return fail(Errc::bad_input, "the name is empty", "give a new directory or NAME.tar.zst");
    if (target == "-") {
        return fail(Errc::bad_input, "a bundle is not written to standard output",
                    "give a new directory or NAME.tar.zst");
    }
    struct stat status {};
    if (::lstat(target.c_str(), &status) == 0) {
        return fail(Errc::bad_input, "exists already, and a bundle never overwrites", "give a new name");
    }
    return check_ending(target);
}

Result<> write_pieces(const Bundle& bundle, const std::string& target) {
    const std::vector<PieceView> pieces = take_apart(bundle);
    if (auto good = check(bundle, pieces); !good) return good;
    if (auto good = check_name(target); !good) return good;
    auto sink = make_sink(target);
    if (!sink) return tl::unexpected<Error>(sink.error());
    Draft draft((*sink)->path());
    const std::string manifest = print_manifest(bundle, contents_of(pieces, bundle.moments.size()));
    if (auto done = (*sink)->add(kManifest, manifest); !done) return done;
    for (const PieceView& piece : pieces) {
        if (auto done = (*sink)->add(piece.name, piece.text()); !done) return done;
    }
    return (*sink)->finish().and_then([&] { return draft.become(target); }).and_then([&] {
        return sync_folder(target);
    });
}

std::string without_slashes(std::string path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
}

Result<> about(const std::string& target, Result<> done) {
    return std::move(done).map_error([&](Error error) {
        error.what = (target.empty() ? "\"\"" : target) + ": " + error.what;
        return error;
    });
}

}  // namespace

std::string folder_of(const std::string& target) {
    const fs::path folder = fs::path(target).parent_path();
    return folder.empty() ? "." : folder.string();
}

Error no_place(int errnum, const std::string& target) {
    const std::string folder = folder_of(target);
    Error error = error_from_errno(
        errnum, "cannot be made in " + (folder == "." ? std::string("the current directory") : folder));
    switch (errnum) {
        case ENOENT:
        case ENOTDIR:
            error.remedy = "make that directory first, or give another place";
            break;
        case EACCES:
        case EPERM:
        case EROFS:
            error.remedy = "give a place where you may write";
            break;
        case ENAMETOOLONG:
            error.remedy = "give a shorter name";
            break;
        default:
            error.remedy = "give another place";
    }
    return error;
}

Error not_written(int errnum) {
    Error error = error_from_errno(errnum, "cannot be written");
    error.remedy =
        errnum == EFBIG ? "raise the limit on the size of files (ulimit -f)" : "make room there, or give another place";
    return error;
}

Result<> check_bundle_target(const std::string& path) {
    const std::string target = without_slashes(path);
    return about(target, check_name(target).and_then([&]() -> Result<> {
        auto sink = make_sink(target);
        if (!sink) return tl::unexpected<Error>(sink.error());
        const Draft taken_away((*sink)->path());
        return {};
    }));
}

Result<> save_bundle(const Bundle& bundle, const std::string& path) {
    const std::string target = without_slashes(path);
    return about(target, write_pieces(bundle, target));
}

}  // namespace rd
