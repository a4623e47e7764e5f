// SPDX-License-Identifier: GPL-2.0-or-later
// Every form against text that is cut anywhere, and against lines of other forms.
#include <set>
#include <string>
#include <vector>

#include "core/ingest/answers.h"
#include "core/ingest/form.h"
#include "core/ingest/ingest.h"

#include <gtest/gtest.h>

namespace rd::ingest::test {
namespace {

const std::vector<std::string> kLines{"",
                                      " ",
                                      ":",
                                      "=",
                                      "hca_id:",
                                      "\tport:\t999999999999999999999",
                                      "GID[",
                                      "GID[ 1]:",
                                      "GID[99999999]: ::, RoCE v2",
                                      "CA '",
                                      "\tRate: x",
                                      "Infiniband device '' port -1 status:",
                                      "link /1 state",
                                      "link mlx5_0/999 state ACTIVE",
                                      "link mlx5_0/1 lqpn",
                                      "0: :",
                                      "0: mlx5_0: pd",
                                      "[{",
                                      "{\"ifname\":\"",
                                      "}}}}",
                                      "\"a\":",
                                      "mlx5_0 port  ==> ",
                                      "mlx5_0 port 0 ==> eth0 (Up)",
                                      "Settings for ",
                                      "Settings for ../..:",
                                      "\tSpeed: 99999999999999999999Mb/s",
                                      "driver:",
                                      "bus-info: 0000:zz:00.0",
                                      "Pause parameters for",
                                      "RX:",
                                      "Channel parameters for a:",
                                      "41:00.0 ",
                                      "41:00.0 :",
                                      "41:00.0 PCI bridge: x",
                                      "\tBus: primary=",
                                      "\tBus: primary=00, secondary=41, subordinate=41",
                                      "\t\tLnkSta:\tSpeed GT/s, Width x",
                                      "\t\tLnkCap:\tSpeed 1e999GT/s, Width x99999999999",
                                      "ACSCtl:",
                                      "MaxPayload , MaxReadReq ",
                                      "prio:9 dscp:99,,",
                                      "\tpriority 0 1 2 3 4 5 6 7",
                                      "enabled 1 1 1 1 1 1 1 1",
                                      "tc: 99 tsa: ,",
                                      "prio-pfc 9:on :on 0:",
                                      "dscp-prio AF99:9 :",
                                      "buffer-size 0:1e9Mb 1:",
                                      "4: e: <",
                                      "4: eth0: <UP> mtu",
                                      "    inet 1.2.3.4/",
                                      "    inet6 ::/999 scope",
                                      "RX: bytes",
                                      "eth0 UP",
                                      "eth0: flags=1<UP> mtu x",
                                      "Linux",
                                      "Linux a 1 #",
                                      "NAME=",
                                      "mod 1 2",
                                      "net.ipv4. = 1",
                                      "max locked memory (kbytes, -l)",
                                      "max locked memory       (kbytes, -l) 99999999999999999999",
                                      "HugePages_Total:",
                                      "Mem: x x x x x x x",
                                      "node 0 cpus:",
                                      "node x cpus: 1",
                                      "node 0 size: 99999999999999999 MB",
                                      "NUMA node99999999999 CPU(s): 0-",
                                      "CPU0",
                                      "1: 2 MSI",
                                      "99999999: 1 PCI-MSI a@pci:",
                                      "Identifier : (",
                                      "Rcvr signal avg optical power(Channel 99) : 1",
                                      "State :",
                                      "Speed : 99999999999999999999G",
                                      "PSID:",
                                      "FW Version:",
                                      "pci/:",
                                      "pci/0000:01:00.0:",
                                      "  driver ",
                                      "#bytes BW peak",
                                      "Device         :",
                                      "NCCL_=",
                                      "=x",
                                      "crw",
                                      "crw------- 1 root root uverbs0",
                                      "lrwxrwxrwx 1 a b 0 x 1 1 mlx5_0 -> devices/",
                                      "Chain INPUT (policy DROP)",
                                      "nvme-subsys - NQN=",
                                      " +- nvme",
                                      "a:/b /c nfs4 rdma",
                                      "# Port counters: Lid",
                                      "SymbolErrorCounter:..",
                                      "out_of_sequence:",
                                      "/sys/",
                                      "/sys/a:",
                                      "==> /sys/a <==",
                                      "NIC statistics:",
                                      "eth2: a: 1"};

TEST(Forms, EveryLineInEveryFormDoesNoHarm) {
    Command command;
    command.text = "any -d -i $x";
    command.program = "any";
    command.arguments = {"-d", "-i", "$x", "dev"};
    for (const auto& group : all_forms()) {
        for (const Form& form : group) {
            for (const bool with_command : {false, true}) {
                for (const std::string& first : kLines) {
                    for (const std::string& second :
                         {std::string(), first, kLines[5], std::string("\xff\x01 \x80:\x7f")}) {
                        Section section;
                        if (with_command) section.command = command;
                        section.lines = {first.empty() ? std::string("x") : first, second};
                        const std::vector<std::string_view> ahead{section.lines[0], section.lines[1]};
                        if (form.begins != nullptr) (void)form.begins(ahead);
                        if (form.begins != nullptr) (void)form.begins(std::span(ahead).first(1));
                        (void)form.continues(section, {second, false});
                        (void)form.continues(Section{section.command, {}, 0, {}, true}, {first, true});
                        Answers answers;
                        form.parse(section, answers);
                        for (const auto& [name, piece] : answers.pieces())
                            EXPECT_EQ(name.find(".."), std::string::npos);
                    }
                }
            }
        }
    }
}

TEST(Forms, TextsThatAreCutAnywhere) {
    std::string whole;
    for (const std::string& line : kLines) whole += line + "\n";
    for (std::size_t end = 0; end < whole.size(); end += 7) (void)ingest_text(std::string_view(whole).substr(0, end));
}

TEST(Forms, HaveNamesOfTheirOwn) {
    std::set<std::string_view> names;
    for (const auto& group : all_forms()) {
        for (const Form& form : group) {
            EXPECT_TRUE(names.insert(form.name).second) << form.name;
            EXPECT_NE(form.continues, nullptr);
            EXPECT_NE(form.parse, nullptr);
            EXPECT_TRUE(form.prints != nullptr || form.begins != nullptr) << form.name;
        }
    }
}

}  // namespace
}  // namespace rd::ingest::test
