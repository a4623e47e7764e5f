// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/bundle_reader.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "core/base/text.h"
#include "core/host/files.h"

namespace rd {

Result<> PieceBox::check_name(std::string_view name) {
    const auto refuse = [name](std::string_view why) {
        return fail(Errc::bad_input, "'" + printable(name, 200) + "': " + std::string(why), std::string(kRecordAgain));
    };
    if (++entries_ > kMaxPieces) {
        return fail(Errc::limit, "more than 200,000 entries", "no bundle is this large: take it from its source again");
    }
    if (name.empty()) return refuse("an entry without a name");
    if (name.size() > kMaxPieceName) return refuse("a name of more than 4,096 bytes");
    if (name.front() == '/') return refuse("an absolute name");
    for (const std::string_view component : split(name, '/')) {
        if (component == "..") return refuse("a name with '..'");
        if (component.empty() || component == ".") return refuse("a name with an empty part");
    }
    for (const char c : name) {
        if (c < ' ' || c > '~') return refuse("other bytes than printable ASCII must be written %XX");
    }
    return {};
}

Result<> PieceBox::add(std::string name, std::string text) {
    bytes_ += text.size();
    if (bytes_ > kMaxBundleBytes) {
        return fail(Errc::limit, "more than 256 MiB of text", "no bundle is this large: take it from its source again");
    }
    const auto [at, added] = pieces_.try_emplace(std::move(name), std::move(text));
    if (!added) {
        return fail(Errc::bad_input, "'" + printable(at->first, 200) + "': the entry is there twice",
                    std::string(kRecordAgain));
    }
    return {};
}

Pieces without_folder(Pieces pieces) {
    if (pieces.empty() || pieces.contains(kManifest)) return pieces;
    const std::string folder = pieces.begin()->first.substr(0, pieces.begin()->first.find('/')) + "/";
    if (!pieces.contains(folder + std::string(kManifest))) return pieces;
    Pieces out;
    for (auto& [name, text] : pieces) {
        if (starts_with(name, folder)) out.emplace(name.substr(folder.size()), std::move(text));
    }
    return out;
}

namespace {

Result<Pieces> read_pieces(const std::string& path) {
    Descriptor place(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat status {};
    if (!place || ::fstat(place.get(), &status) != 0) return tl::unexpected<Error>(file_error(errno, "cannot be read"));
    if (S_ISDIR(status.st_mode)) return read_directory(std::move(place));
    if (!S_ISREG(status.st_mode))
        return fail(Errc::bad_input, "is no rdmadoctor bundle: neither a directory nor a file");
    return read_archive(std::move(place)).map(without_folder);
}

}  // namespace

Result<Bundle> load_bundle(const std::string& path) {
    return read_pieces(path)
        .and_then(assemble)
        .map([&](Bundle bundle) {
            bundle.identity.source = path;
            return bundle;
        })
        .map_error([&](Error error) {
            const bool is_sentence = starts_with(error.what, "is no ");
            error.what = path + (is_sentence ? " " : ": ") + error.what;
            return error;
        });
}

}  // namespace rd
