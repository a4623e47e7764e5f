// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace rd::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Arguments parse(std::vector<const char*> words) {
    words.insert(words.begin(), "rdmadoctor");
    return parse_arguments(static_cast<int>(words.size()), words.data());
}

template <class Options>
Options options(std::vector<const char*> words) {
    const Arguments arguments = parse(std::move(words));
    if (!arguments.command || !std::holds_alternative<Options>(*arguments.command)) {
        ADD_FAILURE() << arguments.instead.err;
        return {};
    }
    return std::get<Options>(*arguments.command);
}

TEST(Arguments, CheckHasItsDefaults) {
    const auto got = options<CheckOptions>({"check"});
    EXPECT_EQ(got.from, "live");
    EXPECT_EQ(got.interval, 2s);
    EXPECT_EQ(got.deadline, 5s);
    EXPECT_EQ(got.fail_on, Severity::low);
    EXPECT_FALSE(got.strict);
    EXPECT_EQ(got.style, Style::text);
}

TEST(Arguments, CheckTakesEverything) {
    const auto got =
        options<CheckOptions>({"check", "--from", "b.tar.zst", "--interval", "0", "--deadline", "500ms", "--fail-on",
                               "high", "--strict", "--style", "nagios", "--config", "c", "--rules-dir", "d"});
    EXPECT_EQ(got.from, "b.tar.zst");
    EXPECT_EQ(got.interval, 0s);
    EXPECT_EQ(got.deadline, 500ms);
    EXPECT_EQ(got.fail_on, Severity::high);
    EXPECT_TRUE(got.strict);
    EXPECT_EQ(got.style, Style::nagios);
    EXPECT_EQ(got.rules.config, "c");
    EXPECT_EQ(got.rules.rules_dir, "d");
}

TEST(Arguments, JsonIsAStyle) { EXPECT_EQ(options<CheckOptions>({"check", "--json"}).style, Style::json); }

TEST(Arguments, OtherCommands) {
    const auto facts = options<FactsOptions>({"facts", "mlx5_0", "ens1f0", "--kind", "port", "--all"});
    EXPECT_EQ(facts.entities, (std::vector<std::string>{"mlx5_0", "ens1f0"}));
    EXPECT_EQ(facts.kind, Kind::port);
    EXPECT_TRUE(facts.all);
    EXPECT_EQ(options<RulesShowOptions>({"rules", "show", "x"}).id, "x");
    EXPECT_EQ(options<RulesTestOptions>({"rules", "test"}).directory, "");
    EXPECT_EQ(options<RulesLintOptions>({"rules", "lint", "d"}).directory, "d");
    EXPECT_EQ(options<ExplainOptions>({"explain", "a", "b"}).terms, (std::vector<std::string>{"a", "b"}));
    const auto record = options<RecordOptions>({"record", "out", "--duration", "4s", "--sweeps", "3"});
    EXPECT_EQ(record.out, "out");
    EXPECT_EQ(record.duration, 4s);
    EXPECT_EQ(record.sweeps, 3);
    EXPECT_EQ(record.from, "live");
    EXPECT_FALSE(record.scrub);
    const auto scrubbed = options<RecordOptions>({"record", "out", "--from", "old", "--scrub"});
    EXPECT_EQ(scrubbed.from, "old");
    EXPECT_TRUE(scrubbed.scrub);
    EXPECT_EQ(options<CheckOptions>({"check", "--root", "/host"}).root, "/host");
    EXPECT_EQ(options<FactsOptions>({"facts", "--root", "/host"}).root, "/host");
    EXPECT_EQ(options<RecordOptions>({"record", "out", "--root", "/host"}).root, "/host");
}

TEST(Arguments, HelpAndVersionSucceedOnStandardOutput) {
    for (const std::vector<const char*>& words :
         {std::vector<const char*>{"--help"}, {"check", "--help"}, {"rules", "list", "--help"}, {"--version"}}) {
        const Arguments got = parse(words);
        EXPECT_FALSE(got.command);
        EXPECT_EQ(got.instead.code, 0);
        EXPECT_EQ(got.instead.err, "");
        EXPECT_NE(got.instead.out, "");
    }
    EXPECT_THAT(parse({"--version"}).instead.out, HasSubstr("rdmadoctor "));
}

TEST(Arguments, WrongOnesSaySoAndWhereToLook) {
    for (const std::vector<const char*>& words :
         std::vector<std::vector<const char*>>{{},
                                               {"nonsense"},
                                               {"check", "--nonsense"},
                                               {"check", "extra"},
                                               {"check", "--interval", "2"},
                                               {"check", "--interval", "-2s"},
                                               {"check", "--interval", "1ns"},
                                               {"check", "--interval", "99ms"},
                                               {"check", "--deadline", "0"},
                                               {"check", "--deadline", "1ms"},
                                               {"check", "--config", ""},
                                               {"check", "--config="},
                                               {"check", "--rules-dir", ""},
                                               {"check", "--from", ""},
                                               {"check", "--fail-on", "dire"},
                                               {"check", "--style", "xml"},
                                               {"check", "--json", "--style", "text"},
                                               {"facts", "--kind", "cable"},
                                               {"facts", ""},
                                               {"facts", "--config", ""},
                                               {"facts", "--list", "mlx5_0"},
                                               {"facts", "mlx5_0", "--list"},
                                               {"facts", "--list", "--all"},
                                               {"facts", "--list", "--from", "x"},
                                               {"rules"},
                                               {"rules", "show"},
                                               {"rules", "show", ""},
                                               {"rules", "test", ""},
                                               {"rules", "lint", ""},
                                               {"explain"},
                                               {"explain", ""},
                                               {"schema", ""},
                                               {"record"},
                                               {"record", ""},
                                               {"record", "x", "--duration", "1ns"},
                                               {"record", "x", "--duration", "1s", "--sweeps", "12"},
                                               {"record", "x", "--sweeps", "1"},
                                               {"record", "x", "--from", "old", "--sweeps", "3"},
                                               {"record", "x", "--from", "old", "--root", "/host"},
                                               {"check", "--from", "old", "--root", "/host"},
                                               {"check", "--root", ""},
                                               {"record", "x", "--from", "old", "--duration", "3s"},
                                               {"check", "--socket", ""},
                                               {"diff"},
                                               {"diff", "--at", "2h"},
                                               {"diff", "--at", "3h", "--at", "2h", "--at", "1h"},
                                               {"diff", "--at", "3h", "--at", "yesterday"},
                                               {"diff", "--at", "3h", "--at", "2h", "a", "b"},
                                               {"diff", "--at", "3h", "--at", "2h", "--counters"},
                                               {"diff", "--at", "3h", "--at", "2h", "--as", "twins"},
                                               {"diff", "a", "b", "--socket", "x"},
                                               {"alerts"},
                                               {"alerts", "ack"},
                                               {"alerts", "ack", ""},
                                               {"alerts", "silence"},
                                               {"alerts", "silence", "--for", "2h"},
                                               {"alerts", "silence", "--rule", "x", "--for", "0"},
                                               {"alerts", "silence", "--rule", "x", "--severity", "dire"},
                                               {"alerts", "silence", "--rule", "x", "--end", "s1"}}) {
        const Arguments got = parse(words);
        EXPECT_FALSE(got.command) << testing::PrintToString(words);
        EXPECT_EQ(got.instead.code, kUsage) << testing::PrintToString(words);
        EXPECT_THAT(got.instead.err, HasSubstr("--help")) << testing::PrintToString(words);
        EXPECT_EQ(got.instead.out, "") << testing::PrintToString(words);
    }
}

TEST(Arguments, TheShortestIntervals) {
    EXPECT_EQ(options<CheckOptions>({"check", "--interval", "100ms"}).interval, 100ms);
    EXPECT_EQ(options<CheckOptions>({"check", "--interval", "0s"}).interval, 0s);
    EXPECT_EQ(options<RecordOptions>({"record", "x", "--duration", "100ms"}).duration, 100ms);
    EXPECT_EQ(options<RecordOptions>({"record", "x", "--duration", "1s", "--sweeps", "11"}).sweeps, 11);
}

TEST(Arguments, TwoTimesForADiff) {
    const auto got =
        options<DiffOptions>({"diff", "--at", "2026-03-01T12:00:00Z", "--at", "90m", "--socket", "/x/api.sock"});
    ASSERT_EQ(got.at.size(), 2u);
    EXPECT_EQ(got.at[0].wall_ns, 1'772'366'400'000'000'000);
    EXPECT_FALSE(got.at[0].before_now);
    EXPECT_EQ(got.at[1].before_now, 90min);
    EXPECT_EQ(got.socket, "/x/api.sock");
    EXPECT_EQ(options<DiffOptions>({"diff", "--at", "1772366400", "--at", "now"}).at[1].before_now, 0s);
}

TEST(Arguments, WhatTheDaemonIsToldOfAlerts) {
    const auto silence =
        options<AlertsSilenceOptions>({"alerts", "silence", "--rule", "link-*", "--subject", "mlx5_0/1", "--severity",
                                       "high", "--for", "30m", "--comment", "a b"});
    EXPECT_EQ(silence.rule, "link-*");
    EXPECT_EQ(silence.subject, "mlx5_0/1");
    EXPECT_EQ(silence.severity, Severity::high);
    EXPECT_EQ(silence.lasts, 30min);
    EXPECT_EQ(silence.comment, "a b");
    EXPECT_EQ(silence.socket, kControlSocket);
    EXPECT_EQ(options<AlertsSilenceOptions>({"alerts", "silence", "--rule", "x"}).lasts, 2h);
    EXPECT_EQ(options<AlertsSilenceOptions>({"alerts", "silence", "--end", "s1"}).end, "s1");
    EXPECT_EQ(options<AlertsAckOptions>({"alerts", "ack", "f1"}).fingerprint, "f1");
    EXPECT_EQ(options<AlertsListOptions>({"alerts", "list"}).socket, kApiSocket);
}

TEST(Arguments, ComplaintsNameTheOption) {
    const auto complaint = [](std::vector<const char*> words) { return parse(std::move(words)).instead.err; };
    EXPECT_THAT(complaint({"check", "--fail-on", "dire"}),
                HasSubstr("--fail-on: no such severity 'dire'; there are info low medium high critical\n"));
    EXPECT_THAT(complaint({"check", "--fail-on", "hig"}),
                HasSubstr("--fail-on: no such severity 'hig'; did you mean high?"));
    EXPECT_THAT(complaint({"check", "--style", "jso"}), HasSubstr("--style: no such style 'jso'; did you mean json?"));
    EXPECT_THAT(complaint({"facts", "--kind", "netdv"}),
                HasSubstr("--kind: no such kind 'netdv'; did you mean netdev?"));
    EXPECT_THAT(complaint({"check", "--interval", "soon"}),
                HasSubstr("--interval: not a duration such as 500ms, 10s, 5m, 2h or 1d: 'soon'\n"));
    EXPECT_THAT(complaint({"check", "--interval", "1ns"}), HasSubstr("--interval: at least 100ms, or 0, not '1ns'\n"));
    EXPECT_THAT(complaint({"record", "x", "--duration", "1ns"}), HasSubstr("--duration: at least 100ms, not '1ns'\n"));
    EXPECT_THAT(complaint({"record", "x", "--duration", "1s", "--sweeps", "12"}),
                HasSubstr("--duration: 1s is too short for 12 sweeps: at least 1100ms\n"));
    EXPECT_THAT(complaint({"check", "--config", ""}), HasSubstr("--config: must not be empty"));
    EXPECT_THAT(
        complaint({"facts", "--list", "mlx5_0"}),
        HasSubstr("--list: it shows the catalogue and no host, and takes neither ENTITY nor --all nor --from\n"));
    EXPECT_THAT(parse({"chek"}).instead.err, HasSubstr("no command 'chek'; did you mean check?"));
    EXPECT_THAT(parse({"rules", "show"}).instead.err, HasSubstr("Try: rdmadoctor rules show --help"));
}

}  // namespace
}  // namespace rd::cli
