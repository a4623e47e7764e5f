// SPDX-License-Identifier: GPL-2.0-or-later
// Bundles that were made to do harm, or that a copy has damaged.
#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <vector>

#include "core/host/bundle.h"
#include "core/host/bundle_reader.h"
#include "tests/unit/support/temp_directory.h"

namespace rd {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
namespace fs = std::filesystem;

// Builds an archive with entries that no honest program writes.
class Tar {
public:
    explicit Tar(int (*add_filter)(archive*) = ::archive_write_add_filter_none) : writer_(::archive_write_new()) {
        ::archive_write_set_format_gnutar(writer_);
        add_filter(writer_);
        ::archive_write_set_bytes_per_block(writer_, 0);
        ::archive_write_open2(writer_, &bytes_, nullptr, append, nullptr, nullptr);
        entry("manifest.toml", "format = 1\n");
    }
    Tar(const Tar&) = delete;
    Tar& operator=(const Tar&) = delete;
    ~Tar() { ::archive_write_free(writer_); }

    Tar& entry(const std::string& name, std::string_view text, unsigned type = AE_IFREG, const char* link = nullptr) {
        archive_entry* const entry = ::archive_entry_new();
        ::archive_entry_copy_pathname(entry, name.c_str());
        ::archive_entry_set_filetype(entry, type);
        ::archive_entry_set_perm(entry, 0644);
        ::archive_entry_set_size(entry, static_cast<la_int64_t>(text.size()));
        if (link != nullptr && type == AE_IFLNK) ::archive_entry_set_symlink(entry, link);
        if (link != nullptr && type == AE_IFREG) ::archive_entry_set_hardlink(entry, link);
        EXPECT_GE(::archive_write_header(writer_, entry), ARCHIVE_WARN) << ::archive_error_string(writer_);
        ::archive_write_data(writer_, text.data(), text.size());
        ::archive_entry_free(entry);
        return *this;
    }
    std::string bytes() {
        ::archive_write_close(writer_);
        return bytes_;
    }

private:
    static la_ssize_t append(archive*, void* to, const void* data, std::size_t size) {
        static_cast<std::string*>(to)->append(static_cast<const char*>(data), size);
        return static_cast<la_ssize_t>(size);
    }

    archive* writer_;
    std::string bytes_;
};

Result<Bundle> load(const std::string& bytes) {
    return read_archive(std::string_view(bytes)).map(without_folder).and_then(assemble);
}

Error refused(Tar& tar) {
    const auto bundle = load(tar.bytes());
    EXPECT_FALSE(bundle);
    return bundle ? Error{} : bundle.error();
}

TEST(HostileArchive, AnHonestOneLoads) {
    Tar tar;
    tar.entry("t0/", "", AE_IFDIR).entry("t0/sys/a", "1").entry("./t0/sys/b", "2");
    const auto bundle = load(tar.bytes());
    ASSERT_TRUE(bundle) << bundle.error().what;
    EXPECT_EQ(bundle->moments.front().reads.size(), 2U);
}

TEST(HostileArchive, AFolderAroundTheBundleIsTakenOff) {
    const Pieces pieces = without_folder({{"b/manifest.toml", "format = 1"}, {"b/t0/x", "1"}, {"c/other", ""}});
    EXPECT_EQ(pieces.size(), 2U);
    EXPECT_TRUE(pieces.contains("t0/x"));
    EXPECT_TRUE(without_folder({{"a/x", ""}}).contains("a/x"));
}

TEST(HostileArchive, NamesThatLeadOutAreRefused) {
    for (const auto name : {"../evil", "t0/../../evil", "t0/..", "/etc/passwd", "t0//x", "t0/./x", "t0/\xff\xfe",
                            "t0/\n", "t0/\xc3\xa4"}) {
        Tar tar;
        tar.entry(name, "x");
        const Error error = refused(tar);
        EXPECT_EQ(error.code, Errc::bad_input) << name;
        EXPECT_FALSE(error.remedy.empty()) << name;
    }
    Tar tar;
    EXPECT_EQ(refused(tar.entry("t0/../x", "")).what, "'t0/../x': a name with '..'");
    Tar folder;
    EXPECT_EQ(refused(folder.entry("../x/", "", AE_IFDIR)).what, "'../x': a name with '..'");
    Tar endless;
    EXPECT_THAT(refused(endless.entry("t0/" + std::string(5000, 'x'), "")).what,
                EndsWith("a name of more than 4,096 bytes"));
}

TEST(HostileArchive, OnlyFilesAreTaken) {
    for (const unsigned type : {AE_IFLNK, AE_IFCHR, AE_IFBLK, AE_IFIFO}) {
        Tar tar;
        EXPECT_EQ(refused(tar.entry("t0/x", "", type, "/etc/passwd")).what,
                  "'t0/x': a link or device instead of a file");
    }
    Tar tar;
    tar.entry("t0/a", "1").entry("t0/b", "", AE_IFREG, "t0/a");
    EXPECT_EQ(refused(tar).what, "'t0/b': a link or device instead of a file");
}

TEST(HostileArchive, EntriesThatAreThereTwiceAreRefused) {
    Tar tar;
    tar.entry("t0/a", "1").entry("./t0/a", "2");
    EXPECT_EQ(refused(tar).what, "'t0/a': the entry is there twice");
}

TEST(HostileArchive, SizesAreLimited) {
    Tar one;
    EXPECT_EQ(refused(one.entry("t0/a", std::string((8 << 20) + 1, 'x'))).what, "'t0/a': larger than 8 MiB");
    Tar bomb(::archive_write_add_filter_zstd);
    const std::string zeros(8 << 20, '\0');
    for (int i = 0; i < 65; ++i) bomb.entry("t0/" + std::to_string(i), zeros);
    EXPECT_LT(bomb.bytes().size(), 1U << 20);
    EXPECT_EQ(refused(bomb).what, "more than 256 MiB of text");
    Tar ants(::archive_write_add_filter_zstd);
    for (int i = 0; i < 200'000; ++i) ants.entry("t0/" + std::to_string(i), "");
    EXPECT_EQ(refused(ants).what, "more than 200,000 entries");
}

TEST(HostileArchive, ABombThatIsSkippedIsCountedToo) {
    Tar tar(::archive_write_add_filter_zstd);
    tar.entry("beside/x", std::string(300 << 20, '\0'));
    EXPECT_EQ(refused(tar).code, Errc::limit);
}

TEST(HostileArchive, EveryTruncationIsNoticed) {
    for (const auto filter :
         {::archive_write_add_filter_none, ::archive_write_add_filter_gzip, ::archive_write_add_filter_zstd}) {
        Tar tar(filter);
        const std::string whole = tar.entry("t0/a", "1").entry("t0/b", "2").bytes();
        ASSERT_TRUE(load(whole));
        const std::size_t content = std::min<std::size_t>(whole.size(), 5 * 512);
        for (std::size_t size = 0; size < content; size += 7) {
            const auto part = load(whole.substr(0, size));
            // A tar that ends between two entries is complete as far as tar knows; what `record` writes counts its pieces.
            const bool between = filter == ::archive_write_add_filter_none && size > 2 * 1024;
            EXPECT_FALSE(!between && part && part->moments.front().reads.size() == 2) << size;
        }
    }
}

TEST(HostileArchive, DamagedBytesNeverCrash) {
    Tar tar(::archive_write_add_filter_gzip);
    const std::string whole = tar.entry("t0/a", "1").entry("t0/links", "/a\t/b\n").bytes();
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
        EXPECT_NO_THROW(static_cast<void>(load(damaged)));
    }
}

TEST(HostileArchive, WhatIsNoArchiveIsSaidToBeNone) {
    const TempDirectory directory;
    for (const std::string text : {"", "hello\n", "\x1f\x8bgarbage", "PK\x03\x04"}) {
        const auto loaded = load_bundle(directory.file("x.tar.zst", text));
        ASSERT_FALSE(loaded);
        EXPECT_THAT(loaded.error().what, HasSubstr("x.tar.zst is no rdmadoctor bundle: "));
        EXPECT_FALSE(loaded.error().remedy.empty());
    }
    ASSERT_EQ(::mkfifo((directory / "fifo").c_str(), 0600), 0);
    EXPECT_THAT(load_bundle(directory / "fifo").error().what, HasSubstr("neither a directory nor a file"));
}

class HostileDirectory : public testing::Test {
protected:
    HostileDirectory() {
        directory_.file("manifest.toml", "format = 1\n");
        directory_.file("t0/sys/a", "1");
    }
    [[nodiscard]] Error refused() const {
        const auto bundle = load_bundle(directory_.path());
        EXPECT_FALSE(bundle);
        return bundle ? Error{} : bundle.error();
    }

    TempDirectory directory_;
};

TEST_F(HostileDirectory, LinksAreRefused) {
    fs::create_symlink("/etc/passwd", directory_ / "t0/sys/link");
    EXPECT_EQ(refused().what, directory_.path() + ": 't0/sys/link': a link");
    fs::remove(directory_ / "t0/sys/link");
    fs::create_directory_symlink("/etc", directory_ / "t0/etc");
    EXPECT_EQ(refused().what, directory_.path() + ": 't0/etc': a link");
    fs::remove(directory_ / "t0/etc");
    fs::create_directory_symlink("/etc", directory_ / "t1");
    EXPECT_EQ(refused().what, directory_.path() + ": 't1': a link");
}

TEST_F(HostileDirectory, FifosAndLargeFilesAreRefused) {
    ASSERT_EQ(::mkfifo((directory_ / "t0/fifo").c_str(), 0600), 0);
    EXPECT_EQ(refused().what, directory_.path() + ": 't0/fifo': not a regular file");
    fs::remove(directory_ / "t0/fifo");
    directory_.file("t0/large", std::string((8 << 20) + 1, 'x'));
    EXPECT_EQ(refused().what, directory_.path() + ": 't0/large': larger than 8 MiB");
}

TEST_F(HostileDirectory, OddNamesAndDepthAreRefused) {
    const std::string odd = directory_.file("t0/sys/\xff", "x");
    EXPECT_THAT(refused().what, EndsWith("'t0/sys/\\xff': other bytes than printable ASCII must be written %XX"));
    fs::remove(odd);
    std::string deep = "t0";
    for (int i = 0; i < 70; ++i) deep += "/d";
    directory_.file(deep + "/x", "x");
    EXPECT_THAT(refused().what, EndsWith("nested too deeply"));
}

}  // namespace
}  // namespace rd
