// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>

#include "core/host/bundle_sink.h"
#include "core/host/files.h"

namespace rd {
namespace {

class DirectorySink final : public Sink {
public:
    DirectorySink(std::string path, Descriptor place) : path_(std::move(path)), place_(std::move(place)) {}

    Result<> add(std::string_view piece, std::string_view text) override;
    Result<> finish() override {
        // One call for ten thousand small files.
        if (::syncfs(place_.get()) != 0) return tl::unexpected<Error>(not_written(errno));
        return {};
    }
    const std::string& path() const override { return path_; }

private:
    [[nodiscard]] int make_folders(const std::string& piece);

    std::string path_;
    Descriptor place_;
    std::string folder_;  // of the piece before: pieces come sorted, so that most folders are there
};

// Readable by the owner only: what a host says of itself is not for everybody before it has been scrubbed.
int DirectorySink::make_folders(const std::string& piece) {
    const std::string folder = piece.substr(0, piece.rfind('/') + 1);
    if (folder == folder_) return 0;
    for (std::size_t slash = folder.find('/'); slash != std::string::npos; slash = folder.find('/', slash + 1)) {
        if (::mkdirat(place_.get(), folder.substr(0, slash).c_str(), 0700) != 0 && errno != EEXIST) return errno;
    }
    folder_ = folder;
    return 0;
}

Result<> DirectorySink::add(std::string_view piece, std::string_view text) {
    const std::string name(piece);
    if (const int error = make_folders(name); error != 0) return tl::unexpected<Error>(file_error(error, name));
    const Descriptor file(
        ::openat(place_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) return tl::unexpected<Error>(file_error(errno, name));
    while (!text.empty()) {
        const ssize_t written = ::write(file.get(), text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return tl::unexpected<Error>(file_error(errno, name));
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<Sink>> directory_sink(const std::string& target) {
    std::string path = target + ".XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) return tl::unexpected<Error>(no_place(errno, target));
    Descriptor place(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!place) {
        Error error = no_place(errno, target);
        ::rmdir(path.c_str());
        return tl::unexpected<Error>(std::move(error));
    }
    return std::make_unique<DirectorySink>(std::move(path), std::move(place));
}

}  // namespace rd
