// SPDX-License-Identifier: GPL-2.0-or-later
#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>

#include "core/base/text.h"
#include "core/host/bundle_sink.h"
#include "core/host/files.h"

namespace rd {
namespace {

struct FreeWriter {
    void operator()(archive* writer) const { ::archive_write_free(writer); }
};
struct FreeEntry {
    void operator()(archive_entry* entry) const { ::archive_entry_free(entry); }
};

struct Form {
    std::string_view ending;
    int (*add_filter)(archive*);
};

constexpr std::array<Form, 3> kForms{{
    {".tar", ::archive_write_add_filter_none},
    {".tar.gz", ::archive_write_add_filter_gzip},
    {".tar.zst", ::archive_write_add_filter_zstd},
}};

// Archives of others. Their names would become directories, which nobody meant.
constexpr std::array<std::string_view, 21> kForeign{"tar", "gz",  "tgz",  "zst", "zstd", "tzst", "zip",
                                                    "7z",  "rar", "bz2",  "tbz", "tbz2", "xz",   "txz",
                                                    "lz",  "lz4", "lzma", "lzo", "cpio", "iso",  "Z"};

class ArchiveSink final : public Sink {
public:
    ArchiveSink(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}

    Result<> open(const Form& form) {
        // pax: names of more than 100 bytes are usual below /sys/devices.
        if (::archive_write_set_format_pax_restricted(writer_.get()) != ARCHIVE_OK ||
            form.add_filter(writer_.get()) != ARCHIVE_OK ||
            ::archive_write_open_fd(writer_.get(), file_.get()) != ARCHIVE_OK) {
            return failed();
        }
        return {};
    }
    Result<> add(std::string_view piece, std::string_view text) override {
        ::archive_entry_clear(entry_.get());
        ::archive_entry_set_pathname(entry_.get(), std::string(piece).c_str());
        ::archive_entry_set_filetype(entry_.get(), AE_IFREG);
        ::archive_entry_set_perm(entry_.get(), 0600);
        ::archive_entry_set_size(entry_.get(), static_cast<la_int64_t>(text.size()));
        if (::archive_write_header(writer_.get(), entry_.get()) != ARCHIVE_OK) return failed();
        if (::archive_write_data(writer_.get(), text.data(), text.size()) != static_cast<la_ssize_t>(text.size())) {
            return failed();
        }
        return {};
    }
    Result<> finish() override {
        if (::archive_write_close(writer_.get()) != ARCHIVE_OK) return failed();
        if (::fsync(file_.get()) != 0) return tl::unexpected<Error>(not_written(errno));
        return {};
    }
    const std::string& path() const override { return path_; }

private:
    [[nodiscard]] tl::unexpected<Error> failed() const {
        if (const int error = ::archive_errno(writer_.get()); error > 0) {
            return tl::unexpected<Error>(not_written(error));
        }
        const char* const why = ::archive_error_string(writer_.get());
        return fail(Errc::io, std::string("cannot be written: ") + (why == nullptr ? "unknown error" : why));
    }

    std::string path_;
    Descriptor file_;
    std::unique_ptr<archive, FreeWriter> writer_{::archive_write_new()};
    std::unique_ptr<archive_entry, FreeEntry> entry_{::archive_entry_new()};
};

Result<std::unique_ptr<Sink>> archive_sink(const std::string& target, const Form& form) {
    std::string path = target + ".XXXXXX";
    Descriptor file(::mkostemp(path.data(), O_CLOEXEC));  // readable by the owner only
    if (!file) return tl::unexpected<Error>(no_place(errno, target));
    auto sink = std::make_unique<ArchiveSink>(path, std::move(file));
    if (auto opened = sink->open(form); !opened) {
        ::unlink(path.c_str());
        return tl::unexpected<Error>(opened.error());
    }
    return sink;
}

}  // namespace

Result<> check_ending(std::string_view target) {
    const auto written = [&](const Form& form) { return target.ends_with(form.ending); };
    if (std::any_of(kForms.begin(), kForms.end(), written)) return {};
    const std::string_view name = target.substr(target.rfind('/') + 1);
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return {};
    const std::string_view ending = name.substr(dot + 1);
    const auto same = [&](std::string_view other) {
        return std::equal(ending.begin(), ending.end(), other.begin(), other.end(),
                          [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
    };
    if (std::none_of(kForeign.begin(), kForeign.end(), same)) return {};
    return fail(Errc::bad_input, "archives of this kind are not written",
                "give a name ending in .tar.zst, .tar.gz or .tar, or the name of a directory");
}

Result<std::unique_ptr<Sink>> make_sink(const std::string& target) {
    const auto form =
        std::find_if(kForms.begin(), kForms.end(), [&](const Form& f) { return target.ends_with(f.ending); });
    return form == kForms.end() ? directory_sink(target) : archive_sink(target, *form);
}

}  // namespace rd
