// SPDX-License-Identifier: GPL-2.0-or-later
#include <archive.h>
#include <archive_entry.h>

#include <array>
#include <memory>

#include "core/base/text.h"
#include "core/host/bundle_reader.h"

namespace rd {
namespace {

struct FreeArchive {
    void operator()(archive* reader) const { ::archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, FreeArchive>;

constexpr std::size_t kBlock = 64u << 10;
// Decompressed bytes, headers and padding included: texts of 256 MiB in 200,000 entries need no more.
constexpr std::int64_t kMaxStream = std::int64_t{kMaxBundleBytes} + std::int64_t{kMaxPieces} * 4096;

Error broken(archive* reader) {
    const char* const why = ::archive_error_string(reader);
    return {Errc::bad_input, "the archive does not read: " + printable(why == nullptr ? "unknown error" : why, 200),
            "copy it again: it may be incomplete"};
}

Error no_archive(archive* reader) {
    return {Errc::bad_input, "is no rdmadoctor bundle: " + broken(reader).what,
            "give a directory or a .tar, .tar.gz or .tar.zst that `rdmadoctor record` has written"};
}

Reader make_reader() {
    Reader reader(::archive_read_new());
    // Only what `record` writes: every further format would be one more parser for hostile bytes.
    ::archive_read_support_format_tar(reader.get());
    ::archive_read_support_filter_gzip(reader.get());
    ::archive_read_support_filter_zstd(reader.get());
    return reader;
}

Result<std::string> read_text(archive* reader, std::string_view name) {
    std::array<char, 16u << 10> chunk;
    std::string text;
    while (true) {
        const la_ssize_t got = ::archive_read_data(reader, chunk.data(), chunk.size());
        if (got < 0) return tl::unexpected<Error>(broken(reader));
        if (got == 0) return text;
        text.append(chunk.data(), static_cast<std::size_t>(got));
        if (text.size() > kMaxAnswer) {
            return fail(Errc::limit, "'" + printable(name, 200) + "': larger than 8 MiB", std::string(kRecordAgain));
        }
    }
}

// "./t0/links", as `tar -C bundle .` writes it.
std::string_view without_dot(std::string_view name) {
    while (starts_with(name, "./")) name.remove_prefix(2);
    return name;
}

Result<> take_entry(archive* reader, archive_entry* entry, PieceBox& box) {
    const char* const raw = ::archive_entry_pathname(entry);
    std::string_view name = without_dot(raw == nullptr ? "" : raw);
    const auto type = ::archive_entry_filetype(entry);
    if (type == AE_IFDIR) {
        while (name.size() > 1 && name.back() == '/') name.remove_suffix(1);
        return name.empty() || name == "." ? Result<>() : box.check_name(name);
    }
    if (auto good = box.check_name(name); !good) return good;
    if (::archive_entry_hardlink(entry) != nullptr || type != AE_IFREG) {
        return fail(Errc::bad_input, "'" + printable(name, 200) + "': a link or device instead of a file",
                    "links of the host belong into the table t0/links; " + std::string(kRecordAgain));
    }
    if (::archive_entry_size(entry) > static_cast<la_int64_t>(kMaxAnswer)) {
        return fail(Errc::limit, "'" + printable(name, 200) + "': larger than 8 MiB", std::string(kRecordAgain));
    }
    const std::string kept(name);
    auto text = read_text(reader, kept);
    if (!text) return tl::unexpected<Error>(text.error());
    return box.add(kept, std::move(*text));
}

Result<Pieces> read_entries(archive* reader) {
    PieceBox box;
    bool first = true;
    while (true) {
        archive_entry* entry = nullptr;
        const int status = ::archive_read_next_header(reader, &entry);
        if (status == ARCHIVE_EOF) return box.take();
        if (status == ARCHIVE_RETRY) continue;
        if (status < ARCHIVE_WARN && first) return tl::unexpected<Error>(no_archive(reader));
        // A warning is about what a name or an attribute may mean, and an answer must not depend on that.
        if (status != ARCHIVE_OK) return tl::unexpected<Error>(broken(reader));
        first = false;
        if (::archive_filter_bytes(reader, 0) > kMaxStream) {
            return fail(Errc::limit, "more than 1 GiB when decompressed",
                        "no bundle is this large: take it from its source again");
        }
        if (auto taken = take_entry(reader, entry, box); !taken) return tl::unexpected<Error>(taken.error());
    }
}

}  // namespace

Result<Pieces> read_archive(Descriptor file) {
    const Reader reader = make_reader();
    if (::archive_read_open_fd(reader.get(), file.get(), kBlock) != ARCHIVE_OK) {
        return tl::unexpected<Error>(no_archive(reader.get()));
    }
    return read_entries(reader.get());
}

Result<Pieces> read_archive(std::string_view bytes) {
    const Reader reader = make_reader();
    if (::archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
        return tl::unexpected<Error>(no_archive(reader.get()));
    }
    return read_entries(reader.get());
}

}  // namespace rd
