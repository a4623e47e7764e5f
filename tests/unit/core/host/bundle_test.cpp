// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <limits>

#include "core/host/bundle_format.h"
#include "core/host/recording.h"
#include "tests/unit/support/fake_host.h"
#include "tests/unit/support/in_child.h"
#include "tests/unit/support/temp_directory.h"

namespace rd {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

void expect_equal(const Bundle& one, const Bundle& other) {
    EXPECT_EQ(one.tool, other.tool);
    EXPECT_EQ(one.scrubbed, other.scrubbed);
    EXPECT_EQ(one.identity.hostname, other.identity.hostname);
    EXPECT_EQ(one.identity.kernel, other.identity.kernel);
    EXPECT_EQ(one.identity.machine, other.identity.machine);
    EXPECT_EQ(one.identity.boot_id, other.identity.boot_id);
    EXPECT_EQ(one.identity.uid, other.identity.uid);
    EXPECT_EQ(one.identity.capabilities, other.identity.capabilities);
    EXPECT_EQ(one.identity.hypervisor, other.identity.hypervisor);
    ASSERT_EQ(one.moments.size(), other.moments.size());
    for (std::size_t at = 0; at < one.moments.size(); ++at) {
        EXPECT_EQ(one.moments[at].stamp, other.moments[at].stamp);
        EXPECT_TRUE(one.moments[at].reads == other.moments[at].reads) << at;
        EXPECT_TRUE(one.moments[at].links == other.moments[at].links) << at;
        EXPECT_TRUE(one.moments[at].lists == other.moments[at].lists) << at;
    }
}

Bundle example() {
    std::string every_byte;
    for (int byte = 1; byte < 256; ++byte) every_byte += static_cast<char>(byte);
    FakeHost host({{"/sys/class/net/ens1f0/mtu", "9000\n"},
                   {"/sys/class/net/ens1f0/empty", ""},
                   {"/sys/binary", every_byte + std::string(5, '\0')},
                   {"/odd/\x01\t\n\r %41\"\\\x7f\x80\xff", "odd name"},
                   {"/odd//x/../y/./z/", "odd path"},
                   {"/links", "a file called like a table"},
                   {"/@/x", "a file called like the folder of subjects"},
                   {"rtnl.link", "ifindex=2 ifname=ens1f0\n"},
                   {"pci.config/0000:41:00.0", "mps=256\n"},
                   {"/sys/class/net/ens1f0/statistics/rx_bytes", "1\n"}});
    host.link("/sys/class/net/ens1f0/device", "/sys/devices/pci0000:40/0000:41:00.0")
        .link("/odd\tlink\n", "/100%\\")
        .directory("/sys/class/net", {"ens1f0", "lo"})
        .directory("/odd", {"a\tb", "c\nd", "e%f", every_byte})
        .directory("/sys/empty", {})
        .error("/sys/denied", {Errc::no_privilege, "/sys/denied: Permission denied", "run as root"})
        .error("kmsg", {Errc::timed_out, "tab\tand\nline % …", ""});
    HostIdentity who = std::as_const(host).identity();
    who.uid = 1000;
    who.capabilities = ~std::uint64_t{0};
    who.hypervisor = true;
    host.identity(who)
        .next_moment(2s)
        .file("/sys/class/net/ens1f0/statistics/rx_bytes", "2\n")
        .error("/sys/class/net/ens1f0/mtu", {Errc::not_found, "went away", ""})
        .file("/sys/denied", "allowed now")
        .gone("pci.config/0000:41:00.0")
        .gone("/odd")
        .next_moment(1s)
        .next_moment(3s)
        .file("pci.config/0000:41:00.0", "mps=256\n")
        .file("/sys/class/net/ens1f0/mtu", "1500\n")
        .gone("/sys/class/net/ens1f0/device");
    Bundle bundle = host.bundle();
    bundle.tool = "rdmadoctor 0.1.0 \"quoted\\";
    bundle.moments[1].links.insert_or_assign("/sys/broken", fail(Errc::not_found, "no link", ""));
    bundle.moments[1].lists.insert_or_assign("/sys/broken", fail(Errc::io, "no list", "look"));
    bundle.moments[2].stamp.wall_ns -= 3'600'000'000'000;  // the wall clock was set back
    return bundle;
}

class BundleFiles : public testing::TestWithParam<const char*> {
protected:
    TempDirectory directory_;
};

TEST_P(BundleFiles, RoundTrip) {
    const std::string path = directory_ / "saved" + GetParam();
    const Bundle bundle = example();
    const auto saved = save_bundle(bundle, path);
    ASSERT_TRUE(saved) << saved.error().what;
    const auto loaded = load_bundle(path);
    ASSERT_TRUE(loaded) << loaded.error().what;
    expect_equal(bundle, *loaded);
    EXPECT_EQ(loaded->identity.source, path);
    // Nothing is left beside it, and it is not readable by others.
    EXPECT_EQ(std::distance(fs::directory_iterator(directory_.path()), {}), 1);
    EXPECT_EQ(fs::status(path).permissions() & fs::perms(0077), fs::perms::none);
}

TEST_P(BundleFiles, WhatWasRecordedIsReplayed) {
    FakeHost host({{"/sys/a/b", "1"}, {"/sys/once", "only in the first moment"}});
    host.error("/sys/e", {Errc::not_supported, "no", "do"})
        .link("/sys/l", "/sys/a")
        .next_moment(2s)
        .file("/sys/a/b", "2");
    RecordingHost recorder(host);
    const auto ask = [](const Host& from) {
        return std::tuple(from.read("/sys/a/b"), from.read("/sys/e"), from.link("/sys/l"), from.list("/sys/a"),
                          from.list("/sys/none"), from.link("/sys/none"), from.now());
    };
    const auto first = ask(recorder);
    EXPECT_TRUE(recorder.read("/sys/once"));
    ASSERT_TRUE(recorder.advance(2s));
    const auto second = ask(recorder);

    const std::string path = directory_ / "saved" + GetParam();
    ASSERT_TRUE(save_bundle(recorder.bundle(), path));
    const auto replay = replay_host(*load_bundle(path), path);
    EXPECT_TRUE(ask(*replay) == first);
    EXPECT_TRUE(replay->read("/sys/once"));
    ASSERT_TRUE(replay->advance(2s));
    EXPECT_TRUE(ask(*replay) == second);
    EXPECT_EQ(replay->read("/sys/once").error().code, Errc::not_collected);
    EXPECT_FALSE(replay->advance(2s));
}

TEST_P(BundleFiles, NeverOverwrites) {
    const std::string path = directory_.file("saved" + std::string(GetParam()), "precious");
    const auto saved = save_bundle(example(), path);
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().what, path + ": exists already, and a bundle never overwrites");
    EXPECT_EQ(std::distance(fs::directory_iterator(directory_.path()), {}), 1);
}

TEST_P(BundleFiles, AFullDiskLeavesNothing) {
    const std::string path = directory_ / "saved" + GetParam();
    Bundle bundle = example();
    std::string noise;  // does not compress
    for (std::uint32_t i = 0, x = 1; i < 100'000; ++i)
        noise += static_cast<char>((x = x * 1'664'525 + 1'013'904'223) >> 24);
    bundle.moments[0].reads.insert_or_assign("/sys/noise", noise);
    EXPECT_TRUE(in_child([&] {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit small{20'000, 20'000};
        if (::setrlimit(RLIMIT_FSIZE, &small) != 0) return false;
        const auto saved = save_bundle(bundle, path);
        return !saved && saved.error().code == Errc::limit;  // EFBIG
    }));
    EXPECT_TRUE(fs::is_empty(directory_.path()));
}

TEST_P(BundleFiles, AFolderThatIsNotThereIsAnError) {
    EXPECT_EQ(save_bundle(example(), directory_ / "no/saved" + GetParam()).error().code, Errc::not_found);
}

INSTANTIATE_TEST_SUITE_P(Forms, BundleFiles, testing::Values("", ".tar", ".tar.gz", ".tar.zst"));

class HandWritten : public testing::Test {
protected:
    [[nodiscard]] std::unique_ptr<Host> open() const {
        auto bundle = load_bundle(directory_.path());
        EXPECT_TRUE(bundle) << bundle.error().what;
        return replay_host(bundle ? *bundle : Bundle(), directory_.path());
    }
    [[nodiscard]] Error refused() const {
        const auto bundle = load_bundle(directory_.path());
        return bundle ? Error{} : bundle.error();
    }

    TempDirectory directory_;
};

TEST_F(HandWritten, OneMomentNeedsAManifestOfOneLine) {
    directory_.file("manifest.toml", "format = 1\n");
    directory_.file("t0/sys/class/net/ens1f0/mtu", "9000\n");
    directory_.file("t0/@/dcb.pfc/ens1f0", "enabled=8\n");
    directory_.file("README", "notes beside it are left alone");
    directory_.file("tests/x", "these too");
    const auto host = open();
    EXPECT_EQ(host->read("/sys/class/net/ens1f0/mtu"), "9000\n");
    EXPECT_EQ(host->read("dcb.pfc/ens1f0"), "enabled=8\n");
    EXPECT_THAT(*host->list("/sys/class/net"), ElementsAre("ens1f0"));
    EXPECT_FALSE(host->advance(0s));
}

TEST_F(HandWritten, TablesAndLaterMoments) {
    directory_.file("manifest.toml",
                    "format = 1\nhostname = 'gpu7'\ncapabilities = '0x1f'\n"
                    "[[sweep]]\nboot_ns = 10\n[[sweep]]\nboot_ns = 2_000_000_010\n");
    directory_.file("t0/sys/a", "1\n");
    directory_.file("t0/sys/b", "1\n");
    directory_.file("t0/values", "/sys/v/one\t1 of%092\nrdma.port/x/1\tstate=4\n/sys/v/empty\t\n");
    directory_.file("t0/links", "/sys/l\t/sys/devices/x\n\n");
    directory_.file("t0/lists", "/sys/class/net\tlo\tens1f0\r\n/sys/empty\n");
    directory_.file("t0/errors", "/sys/e\tno_privilege\tnot permitted\n/sys/f\tio\twhat\tremedy\n");
    directory_.file("t1/sys/a", "2\n");
    directory_.file("t1/values", "/sys/v/one\t2\n");
    directory_.file("t1/gone", "/sys/b\nlink:/sys/l\nlist:/sys/empty\n");
    const auto host = open();
    EXPECT_EQ(host->identity().hostname, "gpu7");
    EXPECT_EQ(host->identity().capabilities, 31U);
    EXPECT_THAT(*host->list("/sys/class/net"), ElementsAre("ens1f0", "lo"));
    EXPECT_THAT(*host->list("/sys/empty"), IsEmpty());
    EXPECT_EQ(host->read("/sys/v/one"), "1 of\t2\n");
    EXPECT_EQ(host->read("/sys/v/empty"), "\n");
    EXPECT_EQ(host->read("rdma.port/x/1"), "state=4\n");
    EXPECT_THAT(*host->list("/sys/v"), ElementsAre("empty", "one"));
    EXPECT_EQ(host->read("/sys/e").error(), (Error{Errc::no_privilege, "not permitted", ""}));
    EXPECT_EQ(host->read("/sys/f").error(), (Error{Errc::io, "what", "remedy"}));
    ASSERT_TRUE(host->advance(0s));
    EXPECT_EQ(host->read("/sys/a"), "2\n");
    EXPECT_EQ(host->read("/sys/v/one"), "2\n");
    EXPECT_EQ(host->read("/sys/b").error().code, Errc::not_collected);
    EXPECT_EQ(host->link("/sys/l").error().code, Errc::not_collected);
    EXPECT_EQ(host->list("/sys/empty").error().code, Errc::not_collected);
    EXPECT_EQ(host->read("/sys/f").error().what, "what");
    EXPECT_EQ(host->now().boot_ns, 2'000'000'010);
}

TEST_F(HandWritten, MistakesInTablesHaveAPlace) {
    directory_.file("manifest.toml", "format = 1\n[[sweep]]\n[[sweep]]\n");
    directory_.file("t0/sys/a", "1");
    directory_.file("t1/sys/c", "1");
    const auto expect = [&](std::string_view piece, std::string_view text, std::string_view what) {
        const std::string path = directory_.file(piece, text);
        EXPECT_EQ(refused().what, directory_.path() + ": " + std::string(what));
        fs::remove(path);
    };
    expect("t0/values", "/a\n", "t0/values: line 1: must be name<TAB>text");
    expect("t0/values", "/sys/a\t2\n", "t0/values: line 1: '/sys/a' is given twice");
    expect("t0/links", "/a\t/b\n/c\n", "t0/links: line 2: must be path<TAB>target");
    expect("t0/links", "/a\t/b\n/a\t/c\n", "t0/links: line 2: '/a' is given twice");
    expect("t0/lists", "/a\t%\n", "t0/lists: line 1: '%': a '%' must be written %25");
    expect("t0/errors", "/x\tdenied\twhat\n", "t0/errors: line 1: 'denied' is no class of errors");
    expect("t0/errors", "/x\tio\n", "t0/errors: line 1: must be name<TAB>class<TAB>what<TAB>remedy");
    expect("t0/errors", "/sys/a\tio\twhat\n", "t0/sys/a: '/sys/a' is given twice");
    expect("t1/gone", "/sys/b\n", "t1/gone: line 1: '/sys/b' was not there before");
    expect("t1/gone", "/sys/a\tx\n", "t1/gone: line 1: must be one name");
    expect("t0/lists", "/a\t" + std::string(2 << 20, 'x'), "t0/lists: line 1: longer than 1 MiB");
    expect("t0/sys/%41", "x", "t0/sys/%41: not how this name is written in a bundle");
    expect("t0/sys/100%", "x", "t0/sys/100%: other bytes than printable ASCII must be written %XX");
    expect("t2/sys/x", "x", "'t2/sys/x': the manifest has 2 [[sweep]], so there are t0/ to t1/");
    expect("t01/sys/x", "x", "'t01/sys/x': the manifest has 2 [[sweep]], so there are t0/ to t1/");
    EXPECT_TRUE(load_bundle(directory_.path()));
}

TEST_F(HandWritten, MistakesInTheManifestHaveAPlace) {
    directory_.file("t0/sys/a", "1");
    const auto expect = [&](std::string_view text, std::string_view what) {
        directory_.file("manifest.toml", text);
        EXPECT_THAT(refused().what, HasSubstr(directory_.path() + ": manifest.toml: " + std::string(what)));
        EXPECT_EQ(refused().code, Errc::bad_input);
    };
    expect("", "it is empty");
    expect("# nothing yet\n", "it is empty");
    expect("hostname = 'gpu7'\n", "it has no `format`");
    expect("format = 0", "format = 0: this version reads format = 1");
    expect("format = 2", "format = 2: this version reads format = 1");
    expect("format = '1'", "line 1: format must be a whole number");
    expect("format = 1\nuid = -1", "line 2: uid must be from 0 to 4294967295");
    expect("format = 1\nuid = 99999999999", "line 2: uid must be from 0 to 4294967295");
    expect("format = 1\ncapabilities = 'xyz'", "line 2: capabilities must be a string of hexadecimal digits");
    expect("format = 1\ncapabilities = 31", "line 2: capabilities must be a string of hexadecimal digits");
    expect("format = 1\n[[sweep]]\n[[sweep]]\nunchanged = 1", "line 4: unchanged must be true or false");
    expect("format = 1\n[[sweep]]\nunchanged = true", "line 2: unchanged cannot be true in the first [[sweep]]");
    expect("format = 1\nhypervisor = 1", "line 2: hypervisor must be true or false");
    expect("format = 1\nsweep = 1", "line 2: [[sweep]] must be from 1 to 1000 tables");
    expect("format = 1\nsweep = []", "line 2: [[sweep]] must be from 1 to 1000 tables");
    expect("format = 1\nsweep = [1]", "line 2: [[sweep]] must be a table");
    expect("format = 1\n[[sweep]]\nboot_ns = -1", "line 3: boot_ns must be from 0");
    expect("format = 1\n[[sweep]]\nwall_ns = 1.5", "line 3: wall_ns must be a whole number");
    expect("format = 1\n[[sweep]]\nboot_ns = 5\n[[sweep]]\nboot_ns = 4", "line 4: boot_ns is before the moment before");
    expect("format = 1\n[[sweep]]\n[[sweep]]\nboot_ns = 4", "line 3: boot_ns must be in each [[sweep]] or in none");
    expect("format = 1\n[[sweep]]\nboot_ns = 4\n[[sweep]]\n", "line 4: boot_ns must be in each [[sweep]] or in none");
    expect("format = 1\n[[sweep]", "line 2: ");
    expect("format = 1\npieces = 2", "pieces = 2, but 1 are there");
    std::string many = "format = 1\n";
    for (int i = 0; i < 1001; ++i) many += "[[sweep]]\n";
    expect(many, "line 2: [[sweep]] must be from 1 to 1000 tables");
}

TEST_F(HandWritten, WithoutAManifestItIsNoBundle) {
    directory_.file("t0/sys/a", "1");
    EXPECT_EQ(refused().what, directory_.path() + " is no rdmadoctor bundle: manifest.toml is missing");
    EXPECT_EQ(refused().remedy, "record one with `rdmadoctor record DIR`");
    fs::remove_all(directory_ / "t0");
    directory_.file("manifest.toml", "format = 1\n");
    EXPECT_EQ(refused().what, directory_.path() + ": t0/ is missing");
    EXPECT_EQ(load_bundle(directory_ / "missing").error().code, Errc::not_found);
}

TEST_F(HandWritten, AMissingPieceOfARecordedBundleIsNoticed) {
    const std::string path = directory_ / "saved";
    ASSERT_TRUE(save_bundle(example(), path));
    fs::remove(path + "/t0/@/rtnl.link");
    const auto loaded = load_bundle(path);
    ASSERT_FALSE(loaded);
    EXPECT_THAT(loaded.error().what, HasSubstr("manifest.toml: pieces = "));
    EXPECT_THAT(loaded.error().remedy, HasSubstr("remove the line `pieces`"));
}

TEST(BundleLimits, WhatCouldNotBeLoadedIsNotSaved) {
    const TempDirectory directory;
    EXPECT_EQ(save_bundle({}, directory / "x").error().code, Errc::bad_input);
    Bundle bundle = example();
    bundle.moments[0].reads.insert_or_assign("/sys/large", std::string(kMaxAnswer + 1, 'x'));
    EXPECT_EQ(save_bundle(bundle, directory / "x").error().code, Errc::limit);
    bundle = example();
    bundle.moments[0].reads.insert_or_assign("/", "the root is no file");
    EXPECT_EQ(save_bundle(bundle, directory / "x").error().code, Errc::bad_input);
    bundle.moments.assign(1001, Moment());
    EXPECT_EQ(save_bundle(bundle, directory / "x").error().code, Errc::limit);
    EXPECT_TRUE(fs::is_empty(directory.path()));
}

TEST(BundleLimits, SmallDifferencesCannotGrowWithoutBound) {
    const TempDirectory directory;
    std::string manifest = "format = 1\n[[sweep]]\n";
    for (int i = 1; i < 1000; ++i) manifest += "[[sweep]]\nunchanged = true\n";
    directory.file("manifest.toml", manifest);
    directory.file("t0/sys/large", std::string(8 << 20, 'x'));
    EXPECT_EQ(load_bundle(directory.path()).error().code, Errc::limit);
}

TEST(BundleNames, AreWrittenInOneWay) {
    EXPECT_EQ(piece_of("/sys/class/net"), "sys/class/net");
    EXPECT_EQ(piece_of("dcb.pfc/ens1f0"), "@/dcb.pfc/ens1f0");
    EXPECT_EQ(piece_of("/sys/../x"), "sys/%2E./x");
    EXPECT_EQ(piece_of("/sys//x/"), "sys/%2Fx%2F");
    EXPECT_EQ(piece_of("/gone/x"), "%67one/x");
    EXPECT_EQ(piece_of("/values/x"), "%76alues/x");
    EXPECT_EQ(piece_of("/sys/a b%\n\xff"), "sys/a b%25%0A%FF");
    for (const auto name : {"/sys/a", "rtnl.link", "/@", "/@/x", "/..", "//", "/a//", "@/x", "links", "/links/x"}) {
        EXPECT_EQ(name_of_piece(piece_of(name)), name);
    }
    for (const auto piece : {"", "links/x", "sys//x", "sys/", "@", "@/", "sys/..", "%", "sys/%2e./x", "sys/\xff"}) {
        EXPECT_FALSE(name_of_piece(piece)) << piece;
    }
}

}  // namespace
}  // namespace rd
