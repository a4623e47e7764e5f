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
            return fail(Errc::limit, "'" + printable(piece.name, 200) + "': larger than 4 MiB");
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
    const fs::path folder = fs::path(target).parent_path();
    const Descriptor place(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // EINVAL: a file system that cannot do this for a directory has nothing to flush either.
    if (!place || (::fsync(place.get()) != 0 && errno != EINVAL)) {
        return tl::unexpected<Error>(file_error(errno, folder.string()));
    }
    return {};
}

Result<> write_pieces(const Bundle& bundle, const std::string& target) {
    const std::vector<PieceView> pieces = take_apart(bundle);
    if (auto good = check(bundle, pieces); !good) return good;
    struct stat status {};
    if (::lstat(target.c_str(), &status) == 0) {
        return fail(Errc::bad_input, "exists already, and a bundle never overwrites", "give a new name");
    }
    auto sink = make_sink(target);
    if (!sink) return tl::unexpected<Error>(sink.error());
    Draft draft((*sink)->path());
    if (auto done = (*sink)->add(kManifest, print_manifest(bundle, pieces.size())); !done) return done;
    for (const PieceView& piece : pieces) {
        if (auto done = (*sink)->add(piece.name, piece.text()); !done) return done;
    }
    return (*sink)->finish().and_then([&] { return draft.become(target); }).and_then([&] {
        return sync_folder(target);
    });
}

}  // namespace

Result<> save_bundle(const Bundle& bundle, const std::string& path) {
    std::string target = path;
    while (target.size() > 1 && target.back() == '/') target.pop_back();
    return write_pieces(bundle, target).map_error([&](Error error) {
        error.what = target + ": " + error.what;
        return error;
    });
}

}  // namespace rd
