// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/compressed.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <set>
#include <vector>

#include "core/base/text.h"

namespace rd::ingest {
namespace {

// Decompressed bytes of all entries. A large sos report is a tenth of it.
constexpr std::int64_t kMaxStream = std::int64_t{16} << 30;
// What is decompressed to more than this many times its size is no text that somebody has.
constexpr std::int64_t kMaxRatio = 2000;
constexpr std::int64_t kFreeBytes = std::int64_t{256} << 20;
constexpr std::size_t kLongestName = 4096;
constexpr std::size_t kMaxDepth = 64;

struct FreeReader {
    void operator()(archive* reader) const { ::archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, FreeReader>;

Error broken(archive* reader) {
    const char* const why = ::archive_error_string(reader);
    return {Errc::bad_input, "the archive does not read: " + printable(why == nullptr ? "unknown error" : why, 200),
            "copy it again: it may be incomplete"};
}

la_ssize_t give(archive*, void* source, const void** block) {
    auto* const bytes = static_cast<ByteSource*>(source);
    const auto next = bytes->next();
    if (!next) return -1;
    *block = next->data();
    return static_cast<la_ssize_t>(next->size());
}

Reader make_reader() {
    Reader reader(::archive_read_new());
    // What sos and sysinfo-snapshot write, and what logs are compressed with: every further format is a parser for hostile bytes.
    ::archive_read_support_format_tar(reader.get());
    ::archive_read_support_format_raw(reader.get());
    ::archive_read_support_filter_gzip(reader.get());
    ::archive_read_support_filter_xz(reader.get());
    ::archive_read_support_filter_zstd(reader.get());
    ::archive_read_support_filter_bzip2(reader.get());
    return reader;
}

Result<> check_size(archive* reader) {
    const std::int64_t out = ::archive_filter_bytes(reader, 0), in = ::archive_filter_bytes(reader, -1);
    if (out > kMaxStream || (out > kFreeBytes && in > 0 && out / in > kMaxRatio)) {
        return fail(Errc::limit, "decompressed it would be " + std::to_string(out >> 20) + " MiB and more",
                    "give the parts of it that matter, uncompressed");
    }
    return {};
}

Result<> read_data(archive* reader, Entries& entries) {
    std::array<char, 64u << 10> block;
    while (true) {
        const la_ssize_t got = ::archive_read_data(reader, block.data(), block.size());
        if (got < 0) return tl::unexpected<Error>(broken(reader));
        if (got == 0) return {};
        entries.data({block.data(), static_cast<std::size_t>(got)});
        if (auto good = check_size(reader); !good) return good;
    }
}

std::string without_dot(std::string_view name) {
    while (starts_with(name, "./")) name.remove_prefix(2);
    while (name.size() > 1 && name.back() == '/') name.remove_suffix(1);
    return std::string(name);
}

Entry entry_from(archive_entry* raw) {
    const char* const name = ::archive_entry_pathname(raw);
    Entry entry{Entry::Kind::other, without_dot(name == nullptr ? "" : name), {}};
    const auto type = ::archive_entry_filetype(raw);
    if (type == AE_IFLNK) {
        const char* const target = ::archive_entry_symlink(raw);
        entry.kind = Entry::Kind::link;
        entry.target = target == nullptr ? "" : target;
    } else if (type == AE_IFREG && ::archive_entry_hardlink(raw) == nullptr) {
        entry.kind = Entry::Kind::file;
    }
    return entry;
}

Result<> take_entry(archive* reader, archive_entry* raw, std::size_t counted, std::set<std::string>& names,
                    Entries& entries) {
    const bool one_text = ::archive_format(reader) == ARCHIVE_FORMAT_RAW;
    Entry entry = one_text ? Entry{} : entry_from(raw);
    if (!one_text) {
        if (auto good = check_entry_name(entry.name, counted); !good) return good;
        if (entry.kind == Entry::Kind::file && !names.insert(entry.name).second) {
            return fail(Errc::bad_input, "'" + printable(entry.name, 200) + "': the entry is there twice",
                        "pack it again from its source");
        }
    }
    const auto wanted = entries.entry(entry);
    if (!wanted) return tl::unexpected<Error>(wanted.error());
    if (!*wanted || entry.kind != Entry::Kind::file) return {};
    auto read = read_data(reader, entries);
    if (read) entries.end();
    return read;
}

// --- directories -------------------------------------------------------------------------------------------------------------

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

class Walk {
public:
    explicit Walk(Entries& entries) : entries_(entries) {}

    Result<> into(Descriptor place, const std::string& prefix, std::size_t depth) {
        if (depth > kMaxDepth) return {};
        const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(place.get()));
        if (!directory) return tl::unexpected<Error>(error_from_errno(errno, "'" + printable(prefix, 200) + "'"));
        const int number = place.release();
        std::vector<std::string> names;
        for (errno = 0; const dirent* const found = ::readdir(directory.get()); errno = 0) {
            const std::string_view name = found->d_name;
            if (name != "." && name != "..") names.emplace_back(name);
        }
        std::sort(names.begin(), names.end());
        for (const std::string& name : names) {
            if (auto done = one(number, name, prefix + name, depth); !done) return done;
        }
        return {};
    }

private:
    Result<> one(int directory, const std::string& file, const std::string& name, std::size_t depth) {
        if (auto good = check_entry_name(name, ++counted_); !good) return good;
        struct stat status {};
        if (::fstatat(directory, file.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return {};  // vanished meanwhile
        if (S_ISDIR(status.st_mode)) {
            Descriptor below(::openat(directory, file.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
            if (!below) return {};
            return into(std::move(below), name + "/", depth + 1);
        }
        Entry entry{S_ISREG(status.st_mode) ? Entry::Kind::file : Entry::Kind::other, name, {}};
        if (S_ISLNK(status.st_mode)) {
            std::array<char, kLongestName> target;
            const ssize_t length = ::readlinkat(directory, file.c_str(), target.data(), target.size());
            entry.kind = Entry::Kind::link;
            if (length > 0) entry.target.assign(target.data(), static_cast<std::size_t>(length));
        }
        const auto wanted = entries_.entry(entry);
        if (!wanted) return tl::unexpected<Error>(wanted.error());
        if (!*wanted || entry.kind != Entry::Kind::file) return {};
        ByteSource bytes(
            Descriptor(::openat(directory, file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)));
        while (true) {
            const auto block = bytes.next();
            if (!block || block->empty()) break;  // a file that may not be read is one that is not there
            entries_.data(*block);
        }
        entries_.end();
        return {};
    }

    Entries& entries_;
    std::size_t counted_ = 0;
};

}  // namespace

bool is_packed(std::string_view start) {
    return starts_with(start, "\x1f\x8b") || starts_with(start, "\x28\xb5\x2f\xfd") ||
           starts_with(start,
                       "\xfd"
                       "7zXZ") ||
           starts_with(start, "BZh") || (start.size() > 262 && start.substr(257, 5) == "ustar");
}

Result<> check_entry_name(std::string_view name, std::size_t counted) {
    const auto refuse = [name](std::string_view why) {
        return fail(Errc::bad_input, "'" + printable(name, 200) + "': " + std::string(why),
                    "pack it again from its source");
    };
    if (counted > kMostEntries) {
        return fail(Errc::limit, "more than 400,000 entries", "give the parts of it that matter");
    }
    if (name.size() > kLongestName) return refuse("a name of more than 4,096 bytes");
    if (starts_with(name, "/")) return refuse("an absolute name");
    for (const std::string_view component : split(name, '/')) {
        if (component == "..") return refuse("a name with '..'");
    }
    return {};
}

Result<> read_packed(ByteSource& bytes, Entries& entries) {
    const Reader reader = make_reader();
    if (::archive_read_open(reader.get(), &bytes, nullptr, give, nullptr) != ARCHIVE_OK) {
        return tl::unexpected<Error>(broken(reader.get()));
    }
    std::set<std::string> names;
    for (std::size_t counted = 0;;) {
        archive_entry* entry = nullptr;
        const int status = ::archive_read_next_header(reader.get(), &entry);
        if (status == ARCHIVE_EOF) return {};
        if (status == ARCHIVE_RETRY) continue;
        // A warning is about a name or an attribute in another character set.
        if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return tl::unexpected<Error>(broken(reader.get()));
        if (auto taken = take_entry(reader.get(), entry, ++counted, names, entries); !taken) return taken;
        if (auto good = check_size(reader.get()); !good) return good;
    }
}

Result<> read_folder(Descriptor directory, Entries& entries) { return Walk(entries).into(std::move(directory), "", 0); }

}  // namespace rd::ingest
