// SPDX-License-Identifier: GPL-2.0-or-later
// Sos reports and snapshots, as directories and as archives made here; archives that are up to something.
#include "core/ingest/collection.h"

#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "core/ingest/source.h"
#include "tests/unit/support/temp_directory.h"

namespace rd::ingest {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

struct File {
    std::string name, text;
    std::string link = {};
};

const std::vector<File> kSos{
    {"sosreport-stor1-2026/sos_commands/networking/ethtool_-S_eth2", "NIC statistics:\n     rx_discards_phy: 7\n"},
    {"sosreport-stor1-2026/sos_commands/kernel/dmesg",
     "[   12.345678] mlx5_core 0000:41:00.0: device's health compromised\n"},
    {"sosreport-stor1-2026/sos_commands/yum/yum_list", "many packages\n"},
    {"sosreport-stor1-2026/proc/sys/kernel/hostname", "stor1\n"},
    {"sosreport-stor1-2026/proc/sys/kernel/osrelease", "6.8.0\n"},
    {"sosreport-stor1-2026/sys/devices/pci0000:40/0000:40:01.0/0000:41:00.0/net/eth2/mtu", "9000\n"},
    {"sosreport-stor1-2026/sys/class/net/eth2", "", "../../devices/pci0000:40/0000:40:01.0/0000:41:00.0/net/eth2"},
    {"sosreport-stor1-2026/var/log/messages-1.gz", "\x1f\x8b packed"},
    {"sosreport-stor1-2026/version.txt", "sosreport: 4.5\n"},
};

const std::vector<File> kSnapshot{
    {"sysinfo-snapshot-v3.7-x/commands_txt_output/ibdev2netdev.txt",
     "Invoked Command: ibdev2netdev\nmlx5_0 port 1 ==> eth2 (Up)\n"},
    {"sysinfo-snapshot-v3.7-x/ethtool_S/ethtool_S_eth2", "NIC statistics:\n     rx_discards_phy: 7\n"},
    {"sysinfo-snapshot-v3.7-x/status-log-x", "all went well\n"},
};

class Archives : public testing::Test {
protected:
    std::string packed(const std::string& name, const std::vector<File>& files,
                       const std::function<int(archive*)>& filter) {
        archive* const out = ::archive_write_new();
        ::archive_write_set_format_pax_restricted(out);
        filter(out);
        const std::string path = directory_ / name;
        ::archive_write_open_filename(out, path.c_str());
        for (const File& file : files) {
            archive_entry* const entry = ::archive_entry_new();
            ::archive_entry_set_pathname(entry, file.name.c_str());
            ::archive_entry_set_perm(entry, 0644);
            ::archive_entry_set_filetype(entry, file.link.empty() ? AE_IFREG : AE_IFLNK);
            if (!file.link.empty()) ::archive_entry_set_symlink(entry, file.link.c_str());
            ::archive_entry_set_size(entry, static_cast<la_int64_t>(file.text.size()));
            ::archive_write_header(out, entry);
            ::archive_write_data(out, file.text.data(), file.text.size());
            ::archive_entry_free(entry);
        }
        ::archive_write_free(out);
        return path;
    }
    std::string packed(const std::string& name, const std::vector<File>& files) {
        return packed(name, files, ::archive_write_add_filter_gzip);
    }

    TempDirectory directory_;
};

std::string answer(const IngestedHost& host, const std::string& name) {
    const auto& reads = host.bundle.moments.back().reads;
    const auto found = reads.find(name);
    if (found == reads.end() || !found->second) return "absent";
    constexpr std::string_view kPartial = "partial=1 ";
    return found->second->starts_with(kPartial) ? found->second->substr(kPartial.size()) : *found->second;
}

void expect_sos(const Result<Opened>& opened) {
    ASSERT_TRUE(opened) << opened.error().what;
    ASSERT_TRUE(opened->ingested);
    ASSERT_THAT(opened->ingested->hosts, SizeIs(1));
    const IngestedHost& host = opened->ingested->hosts[0];
    EXPECT_THAT(host.bundle.moments, SizeIs(1));
    EXPECT_EQ(host.bundle.identity.hostname, "stor1");
    EXPECT_EQ(host.bundle.identity.kernel, "6.8.0");
    EXPECT_EQ(answer(host, "ethtool.stats/eth2"), "rx_discards_phy=7\n");
    EXPECT_EQ(answer(host, "/sys/class/net/eth2/mtu"), "9000\n");
    EXPECT_THAT(answer(host, "kmsg"), HasSubstr("compromised"));
    EXPECT_EQ(host.bundle.moments[0].links.at("/sys/class/net/eth2/device"),
              "/sys/devices/pci0000:40/0000:40:01.0/0000:41:00.0");
    ASSERT_THAT(opened->ingested->notes, SizeIs(1));
    EXPECT_THAT(opened->ingested->notes[0], HasSubstr("messages-1.gz"));
}

TEST_F(Archives, ASosReportIsReadInEveryPacking) {
    expect_sos(open_source(packed("a.tar.gz", kSos)));
    expect_sos(open_source(packed("a.tar.xz", kSos, ::archive_write_add_filter_xz)));
    expect_sos(open_source(packed("a.tar.zst", kSos, ::archive_write_add_filter_zstd)));
    expect_sos(open_source(packed("a.tar", kSos, [](archive*) { return 0; })));
}

TEST_F(Archives, AnArchiveInAnArchiveIsNotOpenedAndThatIsSaid) {
    const auto bytes = [](const std::string& path) {
        std::ifstream in(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    std::string inner = packed("inner.tar.gz", kSos);
    for (int depth = 0; depth < 8; ++depth)
        inner = packed(std::to_string(depth) + ".tar.gz", {{"inner.tar.gz", bytes(inner)}});
    const auto opened = open_source(inner);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().what, inner + ": there is no text in it");
    EXPECT_THAT(opened.error().remedy, HasSubstr("unpack it"));
}

TEST_F(Archives, ASosReportIsReadUnpacked) {
    for (const File& file : kSos) {
        const std::string name = file.name.substr(file.name.find('/') + 1);
        if (file.link.empty()) directory_.file("report/" + name, file.text);
    }
    std::filesystem::create_directories(directory_ / "report/sys/class/net");
    std::filesystem::create_symlink(kSos[6].link, directory_ / "report/sys/class/net/eth2");
    expect_sos(open_source(directory_ / "report"));
}

TEST_F(Archives, ASnapshotSaysItsCommandsItself) {
    const auto opened = open_source(packed("a.tgz", kSnapshot));
    ASSERT_TRUE(opened) << opened.error().what;
    const IngestedHost& host = opened->ingested->hosts.at(0);
    EXPECT_EQ(answer(host, "ethtool.stats/eth2"), "rx_discards_phy=7\n");
    EXPECT_TRUE(host.bundle.moments[0].lists.contains("/sys/class/infiniband/mlx5_0") ||
                answer(host, "rdma.port/mlx5_0/1") != "absent");
}

TEST_F(Archives, TextsMayBePackedTogetherOrAlone) {
    const auto together = open_source(packed("a.tar.gz", {{"logs/ethtool_-S_eth2.txt", "     rx_discards_phy: 7\n"}}));
    ASSERT_TRUE(together) << together.error().what;
    EXPECT_EQ(answer(together->ingested->hosts.at(0), "ethtool.stats/eth2"), "rx_discards_phy=7\n");
    archive* const out = ::archive_write_new();
    ::archive_write_set_format_raw(out);
    ::archive_write_add_filter_zstd(out);
    ::archive_write_open_filename(out, (directory_ / "one.txt.zst").c_str());
    archive_entry* const entry = ::archive_entry_new();
    ::archive_entry_set_filetype(entry, AE_IFREG);
    ::archive_entry_set_pathname(entry, "data");
    ::archive_write_header(out, entry);
    const std::string text = "/sys/class/net/eth2/mtu:9000\n";
    ::archive_write_data(out, text.data(), text.size());
    ::archive_entry_free(entry);
    ::archive_write_free(out);
    const auto alone = open_source(directory_ / "one.txt.zst");
    ASSERT_TRUE(alone) << alone.error().what;
    EXPECT_EQ(answer(alone->ingested->hosts.at(0), "/sys/class/net/eth2/mtu"), "9000\n");
}

TEST_F(Archives, HostileOnesAreRefusedWithThePlace) {
    const File good = kSos[0];
    const auto refused = [&](const std::vector<File>& files) {
        const auto opened = open_source(packed("hostile.tar.gz", files));
        return opened ? std::string("accepted") : opened.error().what + " (" + opened.error().remedy + ")";
    };
    EXPECT_THAT(refused({good, {"sosreport-x/../../etc/passwd", "x"}}), HasSubstr("passwd': a name with '..'"));
    EXPECT_THAT(refused({good, {"/etc/passwd", "x"}}), HasSubstr("an absolute name"));
    EXPECT_THAT(refused({good, good}), HasSubstr("the entry is there twice (pack it again"));
}

TEST_F(Archives, LinksOutOfItLeadNowhere) {
    const auto opened =
        open_source(packed("a.tar.gz", {kSos[0], {"sosreport-stor1-2026/etc/shadow", "", "../../../../etc/shadow"}}));
    ASSERT_TRUE(opened);
    EXPECT_EQ(answer(opened->ingested->hosts.at(0), "/etc/shadow"), "absent");
}

TEST_F(Archives, ACutArchiveIsNoAnswer) {
    const std::string path = packed("a.tar.gz", kSos);
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
    const auto opened = open_source(path);
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().what, HasSubstr("does not read"));
}

}  // namespace
}  // namespace rd::ingest
