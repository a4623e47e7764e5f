// SPDX-License-Identifier: GPL-2.0-or-later
// Examples and the mutants they must kill.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "rules.h"

namespace rd::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<State> got(const Rule& rule) {
    std::vector<State> out;
    for (const ExampleResult& result : run_examples(rule, catalog())) out.push_back(result.got);
    return out;
}

State state_of(std::string_view when, std::string_view example, std::string_view scope = "port",
               std::string_view more = "") {
    return got(rule_of(minimal("a", when,
                               std::string(more) + "\n[[example]]\nname='e'\nexpect='quiet'\n" + std::string(example),
                               scope)))
        .at(0);
}

std::vector<std::string> survivors(const Rule& rule) {
    std::vector<std::string> out;
    for (const Mutant& mutant : run_mutants(rule, catalog())) {
        if (!mutant.killed) out.push_back(mutant.what);
    }
    return out;
}

TEST(Examples, TheDocumentedRuleProvesItself) {
    const Rule rule = rule_of(documented_rule());
    for (const ExampleResult& result : run_examples(rule, catalog()))
        EXPECT_TRUE(result.passed()) << result.example << ": " << result.detail;
    EXPECT_GT(run_mutants(rule, catalog()).size(), 20u);
}

TEST(Examples, FactsMakeTheEntitiesOnTheWay) {
    EXPECT_EQ(state_of("netdev.mtu == 1500", "facts={ netdev={ mtu=1500 } }"), State::firing);
    EXPECT_EQ(state_of("device.pci.link_width == 8 and host.iommu",
                       "facts={ 'device.pci.link_width'=8, host={ iommu=true } }"),
              State::firing);
    EXPECT_EQ(state_of("netdev.pci == device.pci", "facts={ netdev={ pci='x' }, device={ pci='x' } }"), State::firing);
    EXPECT_EQ(state_of("netdev.pci == device.pci", "facts={ netdev={ pci='x' }, device={ pci='y' } }"), State::quiet);
    EXPECT_EQ(state_of("netdev.pci.link_width == device.pci.link_width",
                       "facts={ 'netdev.pci'='x', 'device.pci'='x', 'device.pci.link_width'=8 }"),
              State::firing)
        << "one function seen by two ways";
    EXPECT_EQ(state_of("known(netdev)", "facts={ netdev='n' }"), State::firing);
    EXPECT_EQ(state_of("intent == \"lossy\"", "facts={ intent='lossy' }", "host"), State::firing);
    EXPECT_EQ(state_of("netdev.mtu == 1500", ""), State::unknown) << "what is not said is not collected";
    EXPECT_EQ(state_of("netdev.mtu == 1500", "gaps={ netdev='not offered' }"), State::unknown);
    EXPECT_EQ(state_of("not known(netdev.mtu)", "facts={ netdev={ mtu=1 } }\ngaps={ netdev='not offered' }"),
              State::firing)
        << "gaps win";
}

TEST(Examples, SeriesDriveSweeps) {
    EXPECT_EQ(state_of("rate(rx_packets, 1m) == 5", "series={ rx_packets='0 5 10' }"), State::firing);
    EXPECT_EQ(state_of("rate(rx_packets, 1m) == 5", "series={ rx_packets='0 50 100' }\nevery='10s'"), State::firing);
    EXPECT_EQ(state_of("rate(rx_packets, 1m) == 5", "series={ rx_packets='0 _ 10' }"), State::firing);
    EXPECT_EQ(state_of("rate(rx_packets, 1m) == 5", "series={ rx_packets='0 _ _' }"), State::unknown);
    EXPECT_EQ(state_of("rate(rx_packets, 1m) == 5", "series={ rx_packets='0' }"), State::unknown);
    EXPECT_EQ(state_of("rate(rx_packets, 1m) >= 0", "series={ rx_packets='900000 900000 0 0' }"), State::firing);
    EXPECT_EQ(state_of("max(load, 1m) == 2.5 and changed(lossless, 1m)", "series={ load='1 2.5 1', lossless='0 1 1' }"),
              State::firing);
    EXPECT_EQ(state_of("rate(rx_packets, 10s) > 0", "series={ rx_packets='0 5' }\nfacts={ lossless=true }"),
              State::firing);
}

TEST(Examples, OthersReferToTheSubject) {
    const std::string_view two =
        "[[example.other]]\nkind='priority'\nfacts={ pfc_enabled=true }\n[[example.other]]\nkind='priority'\nfacts={ "
        "pfc_enabled=false }";
    EXPECT_EQ(state_of("any(priority, pfc_enabled)", two, "netdev"), State::firing);
    EXPECT_EQ(state_of("all(priority, pfc_enabled)", two, "netdev"), State::quiet);
    EXPECT_EQ(state_of("count(priority) == 2", two, "netdev"), State::firing);
    EXPECT_EQ(state_of("count(priority) == 2", two, "host"), State::firing);
    EXPECT_EQ(state_of("count(priority) == 0", "", "netdev"), State::firing);
    EXPECT_EQ(state_of("count(priority) == 0", "gaps={ priority='error' }", "netdev"), State::unknown);
    EXPECT_EQ(state_of("any(priority, pfc_enabled)",
                       "[[example.other]]\nkind='priority'\nfacts={ pfc_enabled=true, netdev='elsewhere' }", "netdev"),
              State::quiet);
    EXPECT_EQ(state_of("any(priority, increase(pauses, 9s) > 1)",
                       "[[example.other]]\nkind='priority'\nseries={ pauses='1 5' }", "netdev"),
              State::firing);
    EXPECT_EQ(state_of("any(priority, pfc_enabled)",
                       "[[example.other]]\nkind='priority'\ngaps={ pfc_enabled='no privilege' }", "netdev"),
              State::unknown);
}

TEST(Examples, ParametersAndSuspicion) {
    EXPECT_EQ(state_of("active_mtu > $low", "facts={ active_mtu=5 }", "port", "params={ low=7 }"), State::quiet);
    EXPECT_EQ(state_of("active_mtu > $low", "facts={ active_mtu=5 }\nparams={ low=4 }", "port", "params={ low=7 }"),
              State::firing);
    EXPECT_EQ(state_of("rate(rx_packets, 9s) > 0", "facts={ lossless=true }", "port", "suspect='lossless'"),
              State::suspected);
    EXPECT_EQ(state_of("rate(rx_packets, 9s) > 0", "facts={ lossless=false }", "port", "suspect='lossless'"),
              State::unknown);
    EXPECT_EQ(state_of("rate(rx_packets, 9s) > 0", "facts={ lossless=true }\nseries={ rx_packets='1 1' }", "port",
                       "suspect='lossless'"),
              State::quiet);
}

TEST(Examples, FailuresSayWhy) {
    const Rule rule = rule_of(minimal("a", "active_mtu > 1000 and lossless",
                                      "[[example]]\nname='wrong'\nexpect='quiet'\nfacts={ active_mtu=1500 }\n"));
    const std::vector<ExampleResult> results = run_examples(rule, catalog());
    ASSERT_EQ(results.size(), 1u);
    EXPECT_FALSE(results[0].passed());
    EXPECT_EQ(results[0].got, State::unknown);
    EXPECT_EQ(results[0].detail,
              "port.active_mtu = 1500 bytes; missing port.lossless: not collected, no collector gave this fact");
}

std::string example(std::string_view expect, std::string_view facts) {
    static int number = 0;
    return "[[example]]\nname='" + std::to_string(++number) + "'\nexpect='" + std::string(expect) + "'\nfacts={ " +
           std::string(facts) + " }\n";
}

TEST(Mutants, OperatorsOfANumber) {
    std::vector<std::string> names;
    for (const Mutant& mutant : run_mutants(rule_of(minimal("a", "active_mtu > 10")), catalog()))
        names.push_back(mutant.what);
    EXPECT_THAT(
        names, UnorderedElementsAre("when: 'active_mtu > 10' → '>='", "when: 'active_mtu > 10' → '<'",
                                    "when: negate 'active_mtu > 10'", "when: 'active_mtu' → '0'", "when: '10' → '0'",
                                    "when: '10' → '11' in 'active_mtu > 10'", "when: '10' → '9' in 'active_mtu > 10'"));
}

TEST(Mutants, OperatorsOfTermsTextsAndParameters) {
    const auto names = [](std::string_view when, std::string_view more = "") {
        std::vector<std::string> out;
        for (const Mutant& mutant : run_mutants(rule_of(minimal("a", when, more)), catalog()))
            out.push_back(mutant.what);
        return out;
    };
    EXPECT_THAT(names("lossless and link_layer == \"E\""),
                UnorderedElementsAre("when: 'lossless and link_layer == \"E\"' → 'or'", "when: drop 'lossless'",
                                     "when: drop 'link_layer == \"E\"'", "when: negate 'lossless'",
                                     "when: 'link_layer == \"E\"' → '!='"));
    EXPECT_THAT(names("not lossless"), ElementsAre("when: negate 'not lossless'"));
    EXPECT_THAT(
        names("load < $x", "params={ x=0.25 }"),
        UnorderedElementsAre("when: 'load < $x' → '<='", "when: 'load < $x' → '>'", "when: negate 'load < $x'",
                             "when: 'load' → '0'", "when: '$x' → '0'", "when: '$x' → '$x + 0.01' in 'load < $x'",
                             "when: '$x' → '$x - 0.01' in 'load < $x'"));
    EXPECT_THAT(names("load >= 3e-5"), Contains("when: '3e-5' → '4e-05' in 'load >= 3e-5'"));
    EXPECT_THAT(names("load == 0"),
                UnorderedElementsAre("when: 'load == 0' → '!='", "when: 'load' → '0'", "when: '0' → '1' in 'load == 0'",
                                     "when: '0' → '-1' in 'load == 0'"));
    // Windows and bit numbers stay; what is inside any, all and count does not.
    EXPECT_THAT(names("increase(rx_packets, 10s) == 0"), testing::SizeIs(4));
    EXPECT_THAT(names("bit(device.pci.flags, 3)"),
                UnorderedElementsAre("when: negate 'bit(device.pci.flags, 3)'", "when: 'device.pci.flags' → '0'"));
    EXPECT_THAT(names("bit(7, active_mtu)"), testing::SizeIs(3)) << "a bit that a fact numbers is a number";
    EXPECT_THAT(names("known(netdev)"), ElementsAre("when: negate 'known(netdev)'"));
    std::vector<std::string> inside;
    for (const Mutant& mutant :
         run_mutants(rule_of(minimal("a", "any(priority, pfc_enabled)", "", "netdev")), catalog()))
        inside.push_back(mutant.what);
    EXPECT_THAT(inside,
                UnorderedElementsAre("when: negate 'any(priority, pfc_enabled)'", "when: negate 'pfc_enabled'"));
    EXPECT_THAT(names("lossless", "suspect='not lossless'"),
                UnorderedElementsAre("when: negate 'lossless'", "suspect: negate 'not lossless'"));
}

TEST(Mutants, KilledByExamplesAtTheLimit) {
    const std::string loose =
        minimal("a", "active_mtu > 10 and lossless",
                example("firing", "active_mtu=20, lossless=true") + example("quiet", "active_mtu=5, lossless=true") +
                    example("unknown", "lossless=true"));
    EXPECT_THAT(
        survivors(rule_of(loose)),
        UnorderedElementsAre("when: drop 'lossless'", "when: 'active_mtu > 10' → '>='",
                             "when: '10' → '11' in 'active_mtu > 10'", "when: '10' → '9' in 'active_mtu > 10'"));
    const std::string tight = loose + example("quiet", "active_mtu=10, lossless=true") +
                              example("firing", "active_mtu=11, lossless=true") +
                              example("quiet", "active_mtu=20, lossless=false");
    EXPECT_THAT(survivors(rule_of(tight)), IsEmpty());
}

TEST(Mutants, ListedEquivalents) {
    const Rule rule = rule_of("equivalent_mutants=[\"when: negate 'lossless' — no reason\", \"when: gone\"]\n" +
                              minimal("a", "lossless"));
    const std::vector<Mutant> mutants = run_mutants(rule, catalog());
    ASSERT_EQ(mutants.size(), 1u);
    EXPECT_TRUE(mutants[0].listed_equivalent);
    EXPECT_FALSE(mutants[0].killed);
}

TEST(Mutants, SameChangeAtTwoPlacesHasTwoNames) {
    std::vector<std::string> names;
    for (const Mutant& mutant :
         run_mutants(rule_of(minimal("a", "(lossless or load > 1) and (lossless or load > 2)")), catalog()))
        names.push_back(mutant.what);
    EXPECT_THAT(names, Contains("when: negate 'lossless'"));
    EXPECT_THAT(names, Contains("when: negate 'lossless' (2)"));
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace rd::test
