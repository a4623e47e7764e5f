// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnosis/rules_diff.h"
#include "rules.h"

namespace rd::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

TEST(Names, GoBothWays) {
    for (int i = 0; i <= 4; ++i) {
        Severity out{};
        EXPECT_TRUE(severity_from_name(name_of(static_cast<Severity>(i)), out));
        EXPECT_EQ(out, static_cast<Severity>(i));
    }
    for (int i = 0; i <= 5; ++i) {
        State out{};
        EXPECT_TRUE(state_from_name(name_of(static_cast<State>(i)), out));
        EXPECT_EQ(out, static_cast<State>(i));
    }
    Severity severity{};
    State state{};
    EXPECT_FALSE(severity_from_name("High", severity));
    EXPECT_FALSE(state_from_name("", state));
    EXPECT_EQ(name_of(Maturity::stable), "stable");
    EXPECT_EQ(name_of(State::not_applicable), "not_applicable");
}

TEST(ParseRule, TheDocumentedOne) {
    const auto parsed = parse(documented_rule());
    ASSERT_TRUE(parsed) << parsed.error()[0].print();
    const Rule& rule = *parsed;
    EXPECT_EQ(rule.id, "roce-packet-loss");
    EXPECT_EQ(rule.severity, Severity::high);
    EXPECT_EQ(rule.maturity, Maturity::incubating);
    EXPECT_EQ(rule.scope, Kind::port);
    EXPECT_EQ(rule.params.at("rate"), Value(std::int64_t{10}));
    EXPECT_THAT(rule.when.facts(), ElementsAre("link_layer", "out_of_sequence", "lossless"));
    ASSERT_TRUE(rule.suspect);
    EXPECT_EQ(rule.hold, 0s);
    EXPECT_THAT(rule.caused_by, ElementsAre("pfc-disabled-on-lossless-fabric"));
    EXPECT_EQ(rule.peer.size(), 1u);
    ASSERT_EQ(rule.logs.size(), 1u);
    EXPECT_EQ(rule.logs[0].text, "packet sequence error on (?P<device>\\w+)");
    EXPECT_EQ(rule.logs[0].confidence, Confidence::low);
    EXPECT_EQ(rule.logs[0].samples.size(), 1u);
    ASSERT_EQ(rule.fixes.size(), 2u);
    EXPECT_EQ(rule.fixes[0].set, "priority.pfc_enabled");
    EXPECT_EQ(rule.fixes[0].to, "true");
    EXPECT_EQ(rule.fixes[1].cost, Cost::online);
    EXPECT_EQ(rule.fixes[1].commands.size(), 1u);
    ASSERT_EQ(rule.proofs.size(), 1u);
    EXPECT_EQ(rule.proofs[0].quiet_for, 30s);
    ASSERT_EQ(rule.examples.size(), 4u);
    EXPECT_EQ(rule.examples[0].expect, State::firing);
    EXPECT_EQ(rule.examples[0].series.at(0).second.size(), 3u);
    EXPECT_EQ(rule.examples[3].gaps.at(0).second, "no privilege");
    EXPECT_TRUE(rule.enabled);
}

TEST(ParseRule, ConditionComplaintsPointIntoTheFile) {
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"when = 'nope > 1'", ":6:9: "},
        {"when = \"nope > 1\"", ":6:9: "},
        {"when     =    'lossless and nope > 1'", ":6:29: "},
        {"when = '''\nlossless\n  and nope > 1\n'''", ":8:7: "},
        {"when = '''lossless and\nnope > 1'''", ":7:1: "},
        {"when = \"link_layer == \\\"E\\\" and nope > 1\"", ":6:33: "},
        {"when = \"\"\"\nlossless and \\\n   nope > 1\"\"\"", ":8:4: "},
        {"when = '''\r\nlossless\r\n  and nope > 1\r\n'''", ":8:7: "},
        {"when = '''\n# é comment\nlossless and nope > 1'''", ":8:14: "},
    };
    for (const auto& [when, place] : cases) {
        const std::string text = "id='a'\ntitle='t'\nseverity='low'\nscope='port'\n\n" + std::string(when) + "\n";
        EXPECT_THAT(complaints(text), ElementsAre(HasSubstr("r.toml" + std::string(place) + "port has no fact 'nope'")))
            << when;
    }
}

TEST(ParseRule, AllComplaintsAtOnceInOrder) {
    const std::vector<std::string> all = complaints(R"(id = "Bad Id"
title = ""
severity = "urgent"
scope = "prot"
maturty = "stable"
when = 'active_mtu >'
for = "soon"
caused_by = "x"
references = [1]
enabled = false
explain = 'has {netdev.mtoo} and {$x} and { this'
[[log]]
pattern = " "
[[fix]]
set = "netdev.mtuu"
[[fix]]
advice = "do"
cost = "free"
to = "x"
[[fix]]
[[proof]]
[[example]]
)");
    EXPECT_THAT(all, Contains(HasSubstr("r.toml:1:6: not an id: 'Bad Id'")));
    EXPECT_THAT(all, Contains(HasSubstr("r.toml:2:9: the title is empty")));
    EXPECT_THAT(all, Contains(HasSubstr("r.toml:3:12: no severity 'urgent' (one of info low medium high critical)")));
    EXPECT_THAT(all, Contains(HasSubstr("r.toml:4:9: no scope 'prot'")));
    EXPECT_THAT(all, Contains("r.toml:5:1: unknown key 'maturty' (did you mean maturity?)"));
    EXPECT_THAT(all, Contains(HasSubstr("r.toml:7:7: 'for' is not a duration: 'soon'")));
    EXPECT_THAT(all, Contains("r.toml:8:13: 'caused_by' must be an array of texts"));
    EXPECT_THAT(all, Contains("r.toml:9:15: 'references' must be an array of texts"));
    EXPECT_THAT(all, Contains(HasSubstr("r.toml:10:11: a disabled rule needs a reason")));
    EXPECT_THAT(all, Contains(HasSubstr("r.toml:11:34: no parameter '$x'")));
    EXPECT_THAT(all, Contains(HasSubstr("r.toml:11:43: a brace")));
    EXPECT_THAT(all, Contains(HasSubstr("the pattern is empty")));
    EXPECT_THAT(all, Contains("r.toml:15:7: no knob 'netdev.mtuu' (did you mean netdev.mtu?)"));
    EXPECT_THAT(all, Contains("r.toml:14:1: 'set' and 'to' belong together"));
    EXPECT_THAT(all, Contains(HasSubstr("r.toml:18:8: no cost 'free'")));
    EXPECT_THAT(all, Contains(HasSubstr("r.toml:20:1: a fix either sets a knob or gives advice")));
    EXPECT_THAT(all, Contains(HasSubstr("r.toml:21:1: a proof names a quiet time")));
}

TEST(ParseRule, RequiredKeysAndToml) {
    EXPECT_THAT(complaints(""), ElementsAre("r.toml:1:1: 'id' is missing", "r.toml:1:1: 'title' is missing",
                                            "r.toml:1:1: 'severity' is missing", "r.toml:1:1: 'scope' is missing",
                                            "r.toml:1:1: 'when' is missing"));
    EXPECT_THAT(complaints("id = 'a'\nid = 'b'"), ElementsAre(HasSubstr("r.toml:2:")));
    EXPECT_THAT(complaints("id = "), ElementsAre(HasSubstr("r.toml:1:")));
    EXPECT_THAT(complaints(std::string(200000, '[')), ElementsAre(HasSubstr("r.toml:1:")));
    EXPECT_THAT(complaints(std::string(300u << 10, ' ')), ElementsAre(HasSubstr("larger than")));
}

TEST(ParseRule, PlaceholdersMustLeadSomewhere) {
    EXPECT_THAT(complaints(minimal(
                    "a", "lossless",
                    "explain = '''\n{subject}: {netdev.name} {netdev} {device.pci.link_width} {host.intent} {{x}}'''")),
                IsEmpty());
    EXPECT_THAT(complaints(minimal("a", "lossless", "explain = '''\n\n a {netdev.mtoo}'''")),
                ElementsAre("r.toml:9:12: netdev has no fact 'mtoo' (did you mean netdev.mtu?)"));
    EXPECT_THAT(complaints(minimal("a", "lossless", "[[fix]]\nadvice = 'x'\ncommands = ['ip link', 'set {nope}']")),
                ElementsAre(HasSubstr("r.toml:9:30: port has no fact 'nope'")));
}

TEST(ParseRule, ExampleComplaints) {
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"", "'expect' is missing"},
        {"expect = 'loud'", "no state 'loud' to expect (one of firing quiet unknown suspected)"},
        {"expect = 'pending'", "no state 'pending' to expect"},
        {"expect = 'quiet'\nfacts = { activ_mtu = 1 }", "port has no fact 'activ_mtu' (did you mean active_mtu?)"},
        {"expect = 'quiet'\nfacts = { active_mtu = 'x' }", "active_mtu is integer and not text"},
        {"expect = 'quiet'\nfacts = { active_mtu = 1.5 }", "active_mtu is integer and not real"},
        {"expect = 'quiet'\nfacts = { lossless = 1 }", "lossless is boolean and not integer"},
        {"expect = 'quiet'\nfacts = { load = nan }", "must be true, false, a number or a text"},
        {"expect = 'quiet'\nfacts = 3", "'facts' must be a table"},
        {"expect = 'quiet'\ngaps = { active_mtu = 'lost' }",
         "not the class of a gap (one of \"not offered\", \"no privilege\", \"error\", \"timed out\", \"not "
         "collected\")"},
        {"expect = 'quiet'\nseries = { rx_packets = '1 x' }", "not a value of rx_packets: 'x'"},
        {"expect = 'quiet'\nseries = { rx_packets = '1 1.5' }", "not a value of rx_packets: '1.5'"},
        {"expect = 'quiet'\nseries = { rx_packets = '' }", "a series is a text such as"},
        {"expect = 'quiet'\nseries = { rx_packets = 1 }", "a series is a text such as"},
        {"expect = 'quiet'\nseries = { link_layer = '1 2' }", "link_layer is text: a series has numbers"},
        {"expect = 'quiet'\nseries = { rx_packets = '1 2', out_of_sequence = '1' }",
         "the series of an example must be equally long"},
        {"expect = 'quiet'\nevery = '0s'", "'every' must be above 0"},
        {"expect = 'quiet'\nparams = { q = 1 }", "no parameter 'q'"},
        {"expect = 'quiet'\nparams = { rate = 'x' }", "the parameter is integer"},
        {"expect = 'quiet'\n[[example.other]]\nkind = 'x'", "no kind of further entities: 'x'"},
        {"expect = 'quiet'\n[[example.other]]\nkind = 'priority'\nfacts = { pfc = true }",
         "priority has no fact 'pfc'"},
        {"expect = 'quiet'\nfact = {}", "unknown key 'fact' (did you mean facts?)"},
    };
    for (const auto& [body, expected] : cases) {
        const std::string text =
            minimal("a", "active_mtu > $rate", "params = { rate = 10 }\n[[example]]\nname = 'n'\n" + std::string(body));
        EXPECT_THAT(complaints(text), ElementsAre(HasSubstr(expected))) << body;
    }
    EXPECT_THAT(complaints(minimal("a", "lossless",
                                   "[[example]]\nname='n'\nexpect='quiet'\n[[example]]\nname='n'\nexpect='quiet'")),
                ElementsAre(HasSubstr("another example has this name")));
}

TEST(ParseRuleToJudge, IsTheSameRuleWithoutExamples) {
    const std::string text = documented_rule();
    const auto judged = parse_rule(text, "r.toml", catalog(), kKnobs, RuleUse::judge);
    ASSERT_TRUE(judged) << judged.error()[0].print();
    EXPECT_THAT(judged->examples, IsEmpty());
    const auto book = [&](RuleUse use) {
        return build_rulebook(std::vector<RuleFile>{{"r.toml", text}}, {}, catalog(), kKnobs, use).book;
    };
    EXPECT_THAT(diff_rules(book(RuleUse::prove), book(RuleUse::judge)), IsEmpty());
    EXPECT_EQ(book(RuleUse::prove).hash, book(RuleUse::judge).hash) << "of the whole text";
    EXPECT_TRUE(judged->logs.at(0).matches("packet sequence error on mlx5_0"));
    EXPECT_TRUE(judged->logs.at(0).captures("device"));
}

// Wherever its examples stand, and whatever strings look like.
TEST(ParseRuleToJudge, NothingIsLostWithTheExamples) {
    const auto judged = [](std::string_view more) {
        return parse_rule(minimal("a", "lossless", more), "r.toml", catalog(), kKnobs, RuleUse::judge);
    };
    const std::string_view example = "[[example]]\nname = 'n'\nexpect = 'quiet'\n";
    const auto between = judged(std::string(example) + "[[fix]]\nadvice = 'do'\n" + std::string(example));
    ASSERT_TRUE(between);
    EXPECT_EQ(between->fixes.size(), 1u);
    EXPECT_THAT(between->examples, IsEmpty());
    const auto told = judged("explain = '''\nwrite\n[[example]]\n'''\n[[fix]]\nadvice = 'do'\n" + std::string(example));
    ASSERT_TRUE(told);
    EXPECT_EQ(told->explain, "write\n[[example]]\n");
    EXPECT_EQ(told->fixes.size(), 1u);
}

TEST(ParseRuleToJudge, ComplaintsAreThoseOfTheWhole) {
    const std::string example = "[[example]]\nname = 'n'\nexpect = 'loud'\n";
    const auto complaints_of = [](const std::string& text) {
        const auto rule = parse_rule(text, "r.toml", catalog(), kKnobs, RuleUse::judge);
        return rule ? std::vector<std::string>{} : printed(rule.error());
    };
    EXPECT_THAT(complaints_of(minimal("a", "lossless", example)), IsEmpty()) << "nobody looks there";
    for (const std::string& text : {minimal("a", "nope", example), minimal("A", "lossless", "[[fix]]\n" + example),
                                    minimal("a", "lossless", "explain = '\n" + example),
                                    std::string(300u << 10, '\n') + minimal("a", "lossless", example)}) {
        EXPECT_THAT(complaints_of(text), testing::Not(IsEmpty()));
        EXPECT_EQ(complaints_of(text), complaints(text));
    }
}

TEST(ParseRule, FactsByDottedKeyOrTable) {
    const Rule rule =
        rule_of(minimal("a", "netdev.mtu > 1",
                        "[[example]]\nname='q'\nexpect='quiet'\nfacts = { \"netdev.mtu\" = 1 }\n"
                        "[[example]]\nname='t'\nexpect='quiet'\nfacts = { netdev = { mtu = 1 }, load = 3 }"));
    EXPECT_EQ(rule.examples[0].facts.at(0).first, "netdev.mtu");
    EXPECT_EQ(rule.examples[1].facts.at(1).first, "netdev.mtu");
    EXPECT_EQ(rule.examples[1].facts.at(0).second, Value(3.0)) << "an integer for a real fact";
}

}  // namespace
}  // namespace rd::test
