// SPDX-License-Identifier: GPL-2.0-or-later
// The small parts of the room: commands, prompts, headings, times, lines of logs, names of files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ingest/clean.h"
#include "core/ingest/command.h"
#include "core/ingest/counters.h"
#include "core/ingest/dates.h"
#include "core/ingest/layout.h"
#include "core/ingest/log_line.h"
#include "core/ingest/paths.h"
#include "core/ingest/prompt.h"
#include "core/ingest/text_host.h"
#include "core/ingest/unwrap.h"

namespace rd::ingest {
namespace {

using testing::ElementsAre;

TEST(CommandLine, WhatRunsAnotherCommandIsTakenOff) {
    for (const std::string text :
         {"ethtool -S eth2", "sudo ethtool -S eth2", "sudo -u root -n /usr/sbin/ethtool -S eth2",
          "watch -n 1 -d 'ethtool -S eth2'", "timeout 5 ethtool -S eth2", "LC_ALL=C ethtool -S eth2",
          "ip netns exec red ethtool -S eth2", "taskset -c 3 ethtool -S eth2",
          "kubectl exec -it pod-1 -- ethtool -S eth2", "docker exec -it name ethtool -S eth2",
          "bash -c \"ethtool -S eth2\"", "ethtool -S eth2 > out.txt 2>&1", "ethtool -S eth2 # all of them",
          "while true; do ethtool -S eth2; done"}) {
        const CommandLine line = parse_command_line(text);
        ASSERT_FALSE(line.commands.empty()) << text;
        const Command& command = text[0] == 'w' && text[1] == 'h' ? line.commands.back() : line.commands.front();
        EXPECT_EQ(command.program, "ethtool") << text;
        EXPECT_TRUE(command.has_option('S')) << text;
        EXPECT_EQ(command.operand(0), "eth2") << text;
    }
}

TEST(CommandLine, PipelinesAndListsArePartedAndSleepIsTime) {
    const CommandLine line =
        parse_command_line("ethtool -S eth2 | grep -E 'a|b' | head; sleep 2.5 && rdma link show --dev=mlx5_0");
    ASSERT_EQ(line.commands.size(), 2U);
    EXPECT_THAT(line.commands[0].filters, ElementsAre("grep -E a|b", "head"));
    EXPECT_EQ(line.commands[1].program, "rdma");
    EXPECT_EQ(line.commands[1].after("--dev"), "mlx5_0");
    EXPECT_EQ(line.slept_s, 2.5);
}

TEST(CommandLine, RemoteHostsAreNamed) {
    EXPECT_EQ(parse_command_line("ssh -p 22 root@stor1 'ibstat | head'").host, "stor1");
    EXPECT_EQ(parse_command_line("ssh -p 22 root@stor1 'ibstat | head'").commands.at(0).program, "ibstat");
    EXPECT_TRUE(parse_command_line("ssh stor1").commands.empty());
    EXPECT_TRUE(parse_command_line("pdsh -w n[1-4] ibstat").many_hosts);
}

TEST(CommandLine, LoopsOverWordsAreUnrolled) {
    const auto programs = [](std::string_view text) {
        std::vector<std::string> found;
        for (const Command& command : parse_command_line(text).commands)
            found.push_back(command.program + " " + (command.arguments.empty() ? "" : command.arguments.back()));
        return found;
    };
    EXPECT_THAT(programs("for i in a b; do ethtool -S $i; ethtool ${i}; done"),
                ElementsAre("ethtool a", "ethtool a", "ethtool b", "ethtool b"));
    EXPECT_THAT(programs("for n in {0..1}; do cat /x/$n; done | sort"), ElementsAre("cat /x/0", "cat /x/1"));
    EXPECT_THAT(programs("for n in $(seq 2); do cat /x/$n; done"), ElementsAre("cat /x/1", "cat /x/2"));
    EXPECT_THAT(programs("for f in *.txt; do cat $f; done"), ElementsAre("cat $f")) << "nobody knows which";
    for (const char* const odd :
         {"for", "for i in", "for i in a; done", "for i in {9..1}; do x $i; done", "for i in a; do done"})
        (void)parse_command_line(odd);
}

TEST(Unwrap, TakesOffWhatMailAndPagesPutAround) {
    EXPECT_EQ(unwrapped("> # ethtool eth0\n> > Speed\n>\nend"), "# ethtool eth0\nSpeed\n\nend");
    EXPECT_EQ(unwrapped("> ethtool eth0\nSettings for eth0:"), "> ethtool eth0\nSettings for eth0:") << "a prompt";
    EXPECT_EQ(unwrapped("&lt;UP,LOWER_UP&gt; a &amp;&amp; b"), "<UP,LOWER_UP> a && b");
    EXPECT_EQ(unwrapped("a &amp; b"), "a &amp; b") << "no page writes one and not the others";
    EXPECT_EQ(unwrapped("see:\n\n    $ ip link\n    4: eth0\n        link/ether\n\nso"),
              "see:\n\n$ ip link\n4: eth0\n    link/ether\n\nso");
    EXPECT_EQ(unwrapped("4: eth0\n    link/ether"), "4: eth0\n    link/ether");
    EXPECT_EQ(unwrapped("     rx_crc: 5\n     tx: 1"), "     rx_crc: 5\n     tx: 1") << "of ethtool";
    EXPECT_EQ(unwrapped(""), "");
}

TEST(Prompts, ShowHostAndCommand) {
    const auto seen = [](std::string_view line) {
        const auto prompt = prompt_of(line);
        return prompt ? prompt->host + "|" + std::string(prompt->command) : std::string("none");
    };
    EXPECT_EQ(seen("$ ibstat"), "|ibstat");
    EXPECT_EQ(seen("# ibstat"), "|ibstat");
    EXPECT_EQ(seen("user@host1:~$ ibstat"), "host1|ibstat");
    EXPECT_EQ(seen("[root@host1.example.com ~]# ibstat"), "host1|ibstat");
    EXPECT_EQ(seen("root@host1:/sys/class/net# "), "host1|");
    EXPECT_EQ(seen("host1:~ # ibstat"), "host1|ibstat");
    EXPECT_EQ(seen("> $ ibstat"), "|ibstat");
    EXPECT_EQ(seen("~> ibstat"), "|ibstat");
    EXPECT_EQ(seen("[10:22:33] user@host1 ~ $ ibstat"), "host1|ibstat");
    EXPECT_EQ(seen("# a comment"), "none");
    EXPECT_EQ(seen("# time flies"), "none");
    EXPECT_EQ(seen("someone@example.com wrote:"), "none");
    EXPECT_EQ(seen("     rx_packets: 5"), "none");
    EXPECT_EQ(seen("mlx5_0: link up # really"), "none");
    EXPECT_EQ(seen("+ added line"), "none");
    EXPECT_EQ(seen(""), "none");
}

TEST(Headings, NameHostsOnlyWhereTheyDo) {
    EXPECT_EQ(host_heading_of("=== stor-12 ==="), "stor-12");
    EXPECT_EQ(host_heading_of("On the server:"), "server");
    EXPECT_EQ(host_heading_of("## Node2"), "Node2");
    EXPECT_EQ(host_heading_of("Host: stor1.example.com"), "stor1");
    EXPECT_EQ(host_heading_of("**Client side:**"), "Client");
    for (const std::string_view line : {"eth0:", "mlx5_0:", "Output:", "======", "hosts:", "=== Results ===", "Port 1:",
                                        "node distances:", "Node 0:", "server is down"}) {
        EXPECT_FALSE(host_heading_of(line)) << line;
    }
}

TEST(Dates, AreReadInTheWaysTheyArePrinted) {
    constexpr std::int64_t kTime = 1'796'119'205'000'000'000;  // 2026-12-01 10:00:05 UTC
    for (const std::string_view text :
         {"Tue Dec  1 10:00:05 UTC 2026", "2026-12-01T10:00:05Z", "2026-12-01 10:00:05", "2026-12-01T11:00:05+01:00",
          "Tue Dec  1 10:00:05 2026", "Tue 01 Dec 2026 10:00:05 AM UTC", "Tue Dec  1 05:00:05 EST 2026",
          "--- 2026-12-01 10:00:05 ---", "date: 2026-12-01T10:00:05.000+00:00", "Tue 01 Dec 2026 10:00:05 UTC"}) {
        const auto time = time_line_of(text);
        ASSERT_TRUE(time) << text;
        EXPECT_EQ(time->ns, kTime) << text;
        EXPECT_TRUE(time->has_year) << text;
    }
    EXPECT_EQ(time_line_of("10:00:05.5")->ns, (10 * 3600 + 5) * 1'000'000'000LL + 500'000'000);
    EXPECT_FALSE(time_at_front("Dec  1 10:00:05 host kernel: x")->has_year);
    for (const std::string_view text :
         {"", "10:00", "2026-13-01 10:00:05", "25:00:05", "10:00:05 and more", "2026-12-01"}) {
        EXPECT_FALSE(time_line_of(text)) << text;
    }
    EXPECT_EQ(uptime_of(" 10:00:05 up 12 days,  3:04,  2 users,  load average: 0.00, 0.01, 0.05"),
              ((12 * 24 + 3) * 3600 + 4 * 60) * 1'000'000'000LL);
    EXPECT_EQ(pause_of("after 10 s:"), 10'000'000'000LL);
    EXPECT_EQ(pause_of("2 minutes later"), 120'000'000'000LL);
    EXPECT_FALSE(pause_of("it hangs after 10 s of traffic over the whole link"));
}

TEST(LogLines, OfTheKernelAreKnownInAllTheirForms) {
    for (const std::string_view line :
         {"[   12.345678] mlx5_core 0000:41:00.0: text", "<6>[   12.345678] mlx5_core 0000:41:00.0: text",
          "kern  :info  : [   12.345678] mlx5_core 0000:41:00.0: text",
          "[Tue Dec  1 10:00:05 2026] mlx5_core 0000:41:00.0: text",
          "[Tue Dec  1 10:00:05 2026] host1 kernel: mlx5_core 0000:41:00.0: text",
          "Dec  1 10:00:05 host1 kernel: mlx5_core 0000:41:00.0: text",
          "Dec  1 10:00:05 host1 kernel: [   12.345678] mlx5_core 0000:41:00.0: text",
          "2026-12-01T10:00:05.123456+00:00 host1 kernel: mlx5_core 0000:41:00.0: text",
          "2026-12-01T10:00:05,123456+00:00 mlx5_core 0000:41:00.0: text", "host1 kernel: mlx5_core 0000:41:00.0: text",
          "[   12.345678] [   T123] mlx5_core 0000:41:00.0: text", "mlx5_core 0000:41:00.0: text"}) {
        const auto found = log_line_of(line);
        ASSERT_TRUE(found) << line;
        EXPECT_TRUE(found->kernel) << line;
        EXPECT_EQ(found->text, "mlx5_core 0000:41:00.0: text") << line;
    }
    EXPECT_EQ(log_line_of("[   12.345678] x")->boot_us, 12'345'678);
    EXPECT_EQ(log_line_of("<3>[   12.345678] x")->level, 3);
    EXPECT_TRUE(log_line_of("rocep1s0f0/1: QP 312 error: local protection error (0x3b 0x0 0x9d)")->kernel);
    // Seconds since 1970 are an application's.
    const auto ucx = log_line_of("[1670312031.120451] [n0412:233522:0]  ib_md.c:379  UCX  ERROR ibv_reg_mr() failed");
    EXPECT_FALSE(ucx->kernel);
    EXPECT_EQ(ucx->source, "ucx");
    EXPECT_EQ(ucx->wall_ns, 1'670'312'031'120'451'000);
    const auto daemon = log_line_of("Aug 17 06:18:01 host1 systemd-networkd[5398]: ib6: lost carrier");
    EXPECT_FALSE(daemon->kernel);
    EXPECT_EQ(daemon->source, "systemd-networkd");
    EXPECT_EQ(daemon->text, "ib6: lost carrier");
    for (const std::string_view line : {"", "hello there", "     rx_packets: 5", "[0] transport", "Rate: 100"}) {
        EXPECT_FALSE(log_line_of(line)) << line;
    }
}

TEST(Counters, AreKnownByName) {
    EXPECT_TRUE(is_counter("ethtool.stats/eth2", "rx_packets"));
    EXPECT_TRUE(is_counter("rtnl.link", "rx_dropped"));
    EXPECT_FALSE(is_counter("rtnl.link", "mtu"));
    EXPECT_TRUE(is_counter("/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence", ""));
    EXPECT_FALSE(is_counter("/sys/class/infiniband/mlx5_0/ports/1/hw_counters/lifespan", ""));
    EXPECT_FALSE(is_counter("/sys/class/infiniband/mlx5_0/ports/1/rate", ""));
}

TEST(Layouts, TellTheCommandOfAFile) {
    EXPECT_EQ(command_of_file_name("ethtool_-S_eth_0"), "ethtool -S eth_0");
    EXPECT_EQ(command_of_file_name("ethtool_eth0"), "ethtool eth0");
    EXPECT_EQ(command_of_file_name("ibv_devinfo_-v"), "ibv_devinfo -v");
    EXPECT_EQ(command_of_file_name("ip_-s_-d_link"), "ip -s -d link");
    EXPECT_EQ(command_of_file_name("lsmod"), "lsmod");
    EXPECT_EQ(command_of_file_name("yum_list"), "");
    EXPECT_EQ(layout_told_by("sosreport-x-2026/sos_commands/pci/lspci"), Layout::sos);
    EXPECT_EQ(layout_told_by("sysinfo-snapshot-v3-x/commands_txt_output/a.txt"), Layout::sysinfo);
    EXPECT_EQ(layout_told_by("x/y"), Layout::none);
    EXPECT_EQ(place_of(Layout::sos, "sosreport-x/proc/cmdline").path, "/proc/cmdline");
    EXPECT_EQ(place_of(Layout::sos, "sosreport-x/var/log/messages-1.gz").what, Place::What::packed);
    EXPECT_EQ(place_of(Layout::sysinfo, "snap/ethtool_S/ethtool_S_eth2").command, "ethtool -S eth2");
}

TEST(Paths, HaveOneName) {
    const Canonical found =
        canonical_path("/sys/devices/pci0000:80/0000:80:02.2/0000:82:00.0/infiniband/mlx4_0/ports/1/rate");
    EXPECT_EQ(found.path, "/sys/class/infiniband/mlx4_0/ports/1/rate");
    EXPECT_THAT(found.links,
                testing::Contains(std::pair<std::string, std::string>(
                    "/sys/class/infiniband/mlx4_0/device", "/sys/devices/pci0000:80/0000:80:02.2/0000:82:00.0")));
    EXPECT_EQ(canonical_path("/proc/cmdline").path, "/proc/cmdline");
    EXPECT_EQ(canonical_path("/sys/devices/system/node/online").path, "/sys/devices/system/node/online");
}

TEST(Remedies, AreCommandsToPaste) {
    EXPECT_EQ(remedy_for("ethtool.stats/eth2"), "paste `ethtool -S eth2`");
    EXPECT_EQ(remedy_for("/sys/class/infiniband"), "paste `ibv_devinfo -v`");
    EXPECT_EQ(remedy_for("/sys/class/infiniband/mlx5_0/ports/1/hw_counters/x"),
              "paste `grep -H . /sys/class/infiniband/mlx5_0/ports/*/hw_counters/*`");
    EXPECT_EQ(remedy_for("/sys/bus/pci/devices"), "paste `lspci -vvv`");
    EXPECT_EQ(remedy_for("/proc/cmdline"), "paste `cat /proc/cmdline`");
}

TEST(Clean, LeavesWhatWasOnTheScreen) {
    EXPECT_EQ(clean_line("10%\r20%\r100%\r\n"), "100%");
    EXPECT_EQ(clean_line("\x1b]0;title\x07text\x1b[K"), "text");
    EXPECT_EQ(clean_line("a\bb"), "b");
    EXPECT_EQ(clean_line("\xe2\x80\x9cx\xe2\x80\x9d \xe2\x80\x93 y"), "\"x\" - y");
    EXPECT_EQ(clean_line("\x1b"), "");
    EXPECT_EQ(clean_line(std::string(kLongestLine + 100, 'x')).size(), kLongestLine);
}

}  // namespace
}  // namespace rd::ingest
