// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/text_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rd::ingest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string answer(const IngestedHost& host, const std::string& name, std::size_t moment = 0) {
    const auto& reads = host.bundle.moments.at(moment).reads;
    const auto found = reads.find(name);
    if (found == reads.end()) return "absent";
    if (!found->second) return "failed: " + found->second.error().what;
    // Whether the driver may have more counters than these is an affair of the form.
    constexpr std::string_view kPartial = "partial=1 ";
    return found->second->starts_with(kPartial) ? found->second->substr(kPartial.size()) : *found->second;
}

std::vector<std::string> forms(const IngestedHost& host) {
    std::vector<std::string> out;
    for (const Recognised& one : host.recognised) out.push_back(one.form + ":" + std::to_string(one.line));
    return out;
}

TEST(TextReader, APromptSaysWhichDeviceAnOutputIsOf) {
    const Ingested text = ingest_text("$ ethtool -S eth2 | grep discards\n     rx_discards_phy: 7\n");
    ASSERT_THAT(text.hosts, SizeIs(1));
    EXPECT_EQ(text.hosts[0].name, "");
    EXPECT_EQ(answer(text.hosts[0], "ethtool.stats/eth2"), "rx_discards_phy=7\n");
    EXPECT_TRUE(text.hosts[0].bundle.moments[0].lists.contains("/sys/class/net/eth2"));
    EXPECT_THAT(forms(text.hosts[0]), ElementsAre("ethtool -S:2"));
}

TEST(TextReader, OutputsWithoutAnythingBetweenThemArePartedByTheirForms) {
    const Ingested text = ingest_text(
        "NIC statistics:\n     rx_discards_phy: 7\n/sys/class/net/eth2/mtu:9000\n/sys/class/net/eth2/operstate:up\n"
        "NIC statistics:\n     rx_discards_phy: 9\n");
    ASSERT_THAT(text.hosts, SizeIs(1));
    // The only interface that the text names is meant; the counter that is there again is a later reading.
    ASSERT_THAT(text.hosts[0].bundle.moments, SizeIs(2));
    EXPECT_EQ(answer(text.hosts[0], "ethtool.stats/eth2", 0), "rx_discards_phy=7\n");
    EXPECT_EQ(answer(text.hosts[0], "ethtool.stats/eth2", 1), "rx_discards_phy=9\n");
    EXPECT_EQ(answer(text.hosts[0], "/sys/class/net/eth2/mtu", 0), "9000\n");
    EXPECT_EQ(answer(text.hosts[0], "/sys/class/net/eth2/mtu", 1), "9000\n");
    EXPECT_TRUE(text.hosts[0].interval_assumed);
}

TEST(TextReader, AnInterfaceThatNobodyNamedIsNotGivenAName) {
    const Ingested text = ingest_text("NIC statistics:\n     rx_discards_phy: 7\n");
    ASSERT_THAT(text.hosts, SizeIs(1));
    EXPECT_EQ(answer(text.hosts[0], "ethtool.stats/unnamed"), "rx_discards_phy=7\n");
    const Ingested two = ingest_text(
        "NIC statistics:\n     rx_discards_phy: 7\n/sys/class/net/eth2/mtu:9000\n/sys/class/net/eth3/mtu:9000\n");
    EXPECT_EQ(answer(two.hosts.at(0), "ethtool.stats/unnamed"), "rx_discards_phy=7\n");
}

TEST(TextReader, TimesInTheTextAreBetweenTheReadings) {
    const auto window = [](const std::string& before, const std::string& between) {
        const std::string paste = "$ ethtool -S eth2\nNIC statistics:\n     rx_discards_phy: 7\n";
        const Ingested text = ingest_text(before + paste + between + paste);
        EXPECT_THAT(text.hosts.at(0).bundle.moments, SizeIs(2));
        const auto& moments = text.hosts[0].bundle.moments;
        return std::pair(moments.back().stamp.boot_ns - moments.front().stamp.boot_ns, text.hosts[0].interval_assumed);
    };
    constexpr std::int64_t kTen = 10'000'000'000;
    EXPECT_EQ(window("$ date\nTue Dec  1 10:00:05 UTC 2026\n", "$ date\nTue Dec  1 10:00:15 UTC 2026\n"),
              std::pair(kTen, false));
    EXPECT_EQ(window("10:00:05\n", "10:00:15\n"), std::pair(kTen, false));
    EXPECT_EQ(window("23:59:55\n", "00:00:05\n"), std::pair(kTen, false));
    EXPECT_EQ(window("", "$ sleep 10\n"), std::pair(kTen, false));
    EXPECT_EQ(window("", "after 10 s:\n"), std::pair(kTen, false));
    EXPECT_EQ(window("", "some time later\n"), std::pair(kAssumedIntervalNs, true));
    // A clock that went back says nothing.
    EXPECT_EQ(window("2026-12-01 10:00:05\n", "2026-12-01 10:00:01\n"), std::pair(kAssumedIntervalNs, true));
}

TEST(TextReader, ACommandThatRanTwiceUnderOnePromptWasReadTwice) {
    const std::string values =
        "     rx_discards_phy: 5\n     tx_discards_phy: 0\n     rx_discards_phy: 9\n     tx_discards_phy: 0\n";
    for (const std::string command : {"ethtool -S eth2 | grep disc; sleep 7; ethtool -S eth2 | grep disc",
                                      "while true; do ethtool -S eth2 | grep disc; sleep 7; done"}) {
        const Ingested text = ingest_text("$ " + command + "\n" + values);
        ASSERT_EQ(text.hosts.size(), 1U);
        const auto& moments = text.hosts[0].bundle.moments;
        ASSERT_EQ(moments.size(), 2U) << command;
        EXPECT_EQ(moments[1].stamp.boot_ns - moments[0].stamp.boot_ns, 7'000'000'000) << command;
    }
}

TEST(TextReader, ALogInWhichNothingIsWrongIsUnderstood) {
    EXPECT_EQ(ingest_text("n1:100:160 [0] NCCL INFO Using network IB\n").hosts.size(), 1U);
}

TEST(TextReader, LinesOfAFunctionWithoutItsHeadAreOfTheAdapter) {
    const std::string lines =
        "\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16\n\t\tLnkSta:\tSpeed 16GT/s, Width x8 (downgraded)\n";
    EXPECT_EQ(ingest_text(lines).hosts.size(), 1U);
    const Ingested one = ingest_text("$ lspci -vvs 41:00.0 | grep Lnk\n" + lines);
    EXPECT_EQ(answer(one.hosts.at(0), "/sys/bus/pci/devices/0000:41:00.0/current_link_width"), "8\n");
}

TEST(TextReader, GovernorsMayBeCounted) {
    const Ingested text = ingest_text(
        "$ cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor | sort | uniq -c\n      2 powersave\n");
    EXPECT_EQ(answer(text.hosts.at(0), "/sys/devices/system/cpu/online"), "0-1\n");
    EXPECT_EQ(answer(text.hosts.at(0), "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor"), "powersave\n");
}

TEST(TextReader, PromptsMayShowTheTime) {
    const Ingested text = ingest_text(
        "[10:00:05] root@stor1:~# ethtool -S eth2\n     rx_discards_phy: 7\n"
        "[10:00:15] root@stor1:~# ethtool -S eth2\n     rx_discards_phy: 9\n");
    const auto& moments = text.hosts.at(0).bundle.moments;
    ASSERT_THAT(moments, SizeIs(2));
    EXPECT_EQ(moments[1].stamp.boot_ns - moments[0].stamp.boot_ns, 10'000'000'000);
    EXPECT_FALSE(text.hosts[0].interval_assumed);
}

TEST(TextReader, WhatWasReadOnceIsThereAtTheLastMomentOnly) {
    const Ingested text = ingest_text(
        "$ ethtool -S eth2\n     rx_discards_phy: 7\n$ ethtool -S eth3\n     rx_discards_phy: 1\n"
        "$ ethtool -S eth2\n     rx_discards_phy: 9\n");
    ASSERT_THAT(text.hosts.at(0).bundle.moments, SizeIs(2));
    EXPECT_THAT(answer(text.hosts[0], "ethtool.stats/eth3", 0), testing::Not(HasSubstr("rx_discards_phy")));
    EXPECT_EQ(answer(text.hosts[0], "ethtool.stats/eth3", 1), "rx_discards_phy=1\n");
    EXPECT_TRUE(text.hosts[0].bundle.moments[0].lists.contains("/sys/class/net/eth3"));
}

TEST(TextReader, HostsArePartedByPromptsHeadingsAndSsh) {
    const Ingested text = ingest_text(
        "[root@stor1 ~]# ethtool -S eth2\n     rx_discards_phy: 1\n"
        "user@stor2:~$ ethtool -S eth2\n     rx_discards_phy: 2\n"
        "user@stor2:~$ ssh root@stor3.example.com ethtool -S eth2\n     rx_discards_phy: 3\n"
        "On the client:\n$ ethtool -S eth2\n     rx_discards_phy: 4\n"
        "=== node7 ===\n$ ethtool -S eth2\n     rx_discards_phy: 5\n");
    ASSERT_THAT(text.hosts, SizeIs(5));
    const std::vector<std::string> names{"stor1", "stor2", "stor3", "client", "node7"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        EXPECT_EQ(text.hosts[i].name, names[i]);
        EXPECT_EQ(text.hosts[i].bundle.identity.hostname, names[i]);
        EXPECT_EQ(answer(text.hosts[i], "ethtool.stats/eth2"), "rx_discards_phy=" + std::to_string(i + 1) + "\n");
    }
}

TEST(TextReader, LinesOfManyHostsAreSortedByTheirPrefix) {
    const Ingested text = ingest_text(
        "# pdsh -w node[1-2] ethtool -S eth2\nnode1: NIC statistics:\nnode2: NIC statistics:\nnode2:      "
        "rx_discards_phy: 2\n"
        "node1:      rx_discards_phy: 1\n");
    ASSERT_THAT(text.hosts, SizeIs(2));
    EXPECT_EQ(answer(text.hosts[0], "ethtool.stats/eth2"), "rx_discards_phy=1\n");
    EXPECT_EQ(answer(text.hosts[1], "ethtool.stats/eth2"), "rx_discards_phy=2\n");
}

TEST(TextReader, WhatStandsBeforeTheFirstNameBelongsToIt) {
    const Ingested text =
        ingest_text("/sys/class/net/eth2/mtu:9000\nroot@stor1:~# ethtool -S eth2\n     rx_discards_phy: 1\n");
    ASSERT_THAT(text.hosts, SizeIs(1));
    EXPECT_EQ(text.hosts[0].name, "stor1");
    EXPECT_EQ(answer(text.hosts[0], "/sys/class/net/eth2/mtu"), "9000\n");
}

TEST(TextReader, DecorationIsTakenOff) {
    const Ingested text = ingest_text(
        "\xef\xbb\xbf> hello\r\n```sh\r\n\x1b[32muser@stor1\x1b[0m:\x1b[34m~\x1b[0m$ ethtool -S eth2\r\n"
        "\xc2\xa0\xc2\xa0   \x1b[1mrx_discards_phy\x1b[0m:\xc2\xa0"
        "7\r\n     rx_\xff: 8\r\n```\r\n");
    ASSERT_THAT(text.hosts, SizeIs(1));
    EXPECT_EQ(text.hosts[0].name, "stor1");
    EXPECT_EQ(answer(text.hosts[0], "ethtool.stats/eth2"), "rx_?=8 rx_discards_phy=7\n");
}

TEST(TextReader, ACommandMayStandOverItsOutputInManyWays) {
    for (const std::string head :
         {"`ethtool -S eth2`:\n```\n", "**ethtool -S eth2**\n", "Output of `ethtool -S eth2`:\n\n```\n",
          "ethtool -S eth2\n", "ethtool -S eth2:\n", "+ ethtool -S eth2\n", "# sudo /usr/sbin/ethtool \\\n  -S eth2\n",
          "Every 2.0s: ethtool -S eth2        stor1: Tue Dec  1 10:00:05 2026\n\n",
          "(base) me@x:/tmp (main)$ ethtool -S eth2\n", "[10:22:33] root@x:~# ethtool -S eth2\n",
          "bash-5.1# ethtool -S eth2\n", "x:~ # ethtool -S eth2\n"}) {
        const Ingested text = ingest_text(head + "NIC statistics:\n     rx_discards_phy: 7\n");
        ASSERT_THAT(text.hosts, SizeIs(1)) << head;
        EXPECT_EQ(answer(text.hosts[0], "ethtool.stats/eth2"), "rx_discards_phy=7\n") << head;
    }
}

TEST(TextReader, SentencesAreNoCommands) {
    for (const std::string line :
         {"# time to look at the counters", "# nothing runs on it", "ethtool shows no errors", "# watch out", "$5 each",
          "# same with 16.35.4554, four cards tried", "> I see drops"}) {
        const Ingested text = ingest_text(line + "\nfree text\n");
        EXPECT_THAT(text.hosts, IsEmpty()) << line;
        ASSERT_THAT(text.unrecognised, SizeIs(1)) << line;
        EXPECT_EQ(text.unrecognised[0].lines, 2U) << line;
    }
}

TEST(TextReader, WhatWasNotUnderstoodIsSaidTogether) {
    const Ingested text =
        ingest_text("hello\nthere\n$ ib_write_bw -d mlx5_0\n 65536 5000\n 131072 5000\n$ ethtool -S eth2\n   a: 1\n");
    ASSERT_THAT(text.unrecognised, SizeIs(2));
    EXPECT_EQ(text.unrecognised[0].words, "hello");
    EXPECT_EQ(text.unrecognised[0].lines, 2U);
    EXPECT_EQ(text.unrecognised[1].line, 4U);
    EXPECT_EQ(text.unrecognised[1].words, "$ ib_write_bw -d mlx5_0");
    EXPECT_EQ(text.unrecognised_lines, 4U);
    EXPECT_EQ(text.lines, 7U);
}

TEST(TextReader, ValuesThatContradictAreSaidAndTheFileItselfWins) {
    const Ingested text = ingest_text("/sys/class/net/eth2/mtu:9000\nblah\n/sys/class/net/eth2/mtu:1500\n");
    ASSERT_THAT(text.hosts, SizeIs(1));
    EXPECT_EQ(answer(text.hosts[0], "/sys/class/net/eth2/mtu"), "1500\n");
    ASSERT_THAT(text.hosts[0].notes, SizeIs(1));
    EXPECT_THAT(text.hosts[0].notes[0], HasSubstr("line 3"));
    EXPECT_THAT(ingest_text("/sys/class/net/eth2/mtu:9000\n\n/sys/class/net/eth2/mtu:9000\n").hosts.at(0).notes,
                IsEmpty());
}

TEST(TextReader, AFileThatWasNotThereIsAnAnswer) {
    const Ingested text =
        ingest_text("$ cat /sys/class/net/eth2/mtu\ncat: /sys/class/net/eth2/mtu: No such file or directory\n");
    ASSERT_THAT(text.hosts, SizeIs(1));
    const auto& reads = text.hosts[0].bundle.moments[0].reads;
    ASSERT_TRUE(reads.contains("/sys/class/net/eth2/mtu"));
    EXPECT_EQ(reads.at("/sys/class/net/eth2/mtu").error().code, Errc::not_found);
}

TEST(TextReader, AFewNamesOfADirectoryAreNotItsListing) {
    const Ingested text = ingest_text("/sys/bus/pci/devices/0000:41:00.0/numa_node:1\n");
    const auto& lists = text.hosts.at(0).bundle.moments[0].lists;
    ASSERT_TRUE(lists.contains("/sys/bus/pci/devices/0000:41:00.0"));
    EXPECT_EQ(lists.at("/sys/bus/pci/devices/0000:41:00.0").error().code, Errc::not_collected);
}

TEST(TextReader, FilesAreKnownByTheirOtherNamesToo) {
    const Ingested text = ingest_text(
        "/sys/devices/pci0000:40/0000:40:01.0/0000:41:00.0/net/eth2/mtu:9000\n/sys/class/net/eth2/device/"
        "numa_node:1\n");
    ASSERT_THAT(text.hosts, SizeIs(1));
    const Moment& moment = text.hosts[0].bundle.moments[0];
    EXPECT_EQ(answer(text.hosts[0], "/sys/class/net/eth2/mtu"), "9000\n");
    EXPECT_EQ(answer(text.hosts[0], "/sys/bus/pci/devices/0000:41:00.0/numa_node"), "1\n");
    EXPECT_EQ(moment.links.at("/sys/bus/pci/devices/0000:41:00.0"),
              "/sys/devices/pci0000:40/0000:40:01.0/0000:41:00.0");
}

TEST(TextReader, LogLinesOfTheKernelAndOfApplicationsAreToldApart) {
    IngestOptions options;
    options.log_of_interest = [](std::string_view line) { return line.find("flux") != std::string_view::npos; };
    const Ingested text = ingest_text(
        "[  100.500000] mlx5_core 0000:41:00.0: Port module event: module 0, Cable plugged\n"
        "[  101.000000] random: crng init done\n"
        "host1:12:13 [0] transport/net_ib.cc:94 NCCL WARN NET/IB : Got async event : port error\n"
        "host1:12:13 [0] transport/net_ib.cc:95 NCCL WARN NET/IB : Got async event : port error\n"
        "the flux is gone\nnothing of interest\n",
        options);
    ASSERT_THAT(text.hosts, SizeIs(1));
    EXPECT_THAT(answer(text.hosts[0], "kmsg"),
                testing::AllOf(HasSubstr("us=100500000"), HasSubstr("facility=0"), testing::Not(HasSubstr("crng"))));
    const std::string logs = answer(text.hosts[0], "logs");
    EXPECT_THAT(logs, HasSubstr("source=nccl"));
    EXPECT_THAT(logs, HasSubstr("count=2"));  // of one shape
    EXPECT_THAT(logs, HasSubstr("flux"));
    EXPECT_EQ(text.hosts[0].log_lines, 2U);
    EXPECT_EQ(text.unrecognised_lines, 1U);
    // The text was taken when its last line was written, as far as it tells.
    EXPECT_EQ(text.hosts[0].bundle.moments[0].stamp.boot_ns, 100'500'000'000);
}

TEST(TextReader, TheSameLogPastedTwiceCountsOnce) {
    const std::string line = "[  100.500000] mlx5_core 0000:41:00.0: device's health compromised\n";
    const Ingested text = ingest_text("$ dmesg\n" + line + "$ dmesg | tail\n" + line);
    EXPECT_EQ(text.hosts.at(0).kernel_lines, 1U);
}

TEST(TextReader, TextInUtf16IsRead) {
    std::string wide = "\xff\xfe";
    for (const char c : std::string("/sys/class/net/eth2/mtu:9000\r\n")) wide += {c, '\0'};
    EXPECT_EQ(answer(ingest_text(wide).hosts.at(0), "/sys/class/net/eth2/mtu"), "9000\n");
}

TEST(TextReader, NothingComesOfNothing) {
    for (const std::string& text :
         {std::string(), std::string("\n\n\n"), std::string("\0\0\0", 3), std::string(100'000, 'x')}) {
        EXPECT_THAT(ingest_text(text).hosts, IsEmpty());
    }
}

}  // namespace
}  // namespace rd::ingest
