// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnosis/node.h"
#include "world.h"

namespace rd::test {
namespace {

using testing::ElementsAre;

struct Bad {
    std::string_view text, complaint;
};

TEST(Compile, ComplaintsHavePlaceAndHint) {
    const Params params{{"rate", std::int64_t{10}}, {"window", std::string("10s")}, {"ratio", 0.5}};
    const Bad cases[] = {
        {"", "r.toml:1:1: the expression is empty"},
        {"   # nothing but a comment", "r.toml:1:27: the expression is empty"},
        {"active_mtuu > 1", "r.toml:1:1: port has no fact 'active_mtuu' (did you mean active_mtu?)"},
        {"lossless and mtu > 1", "r.toml:1:14: port has no fact 'mtu' (did you mean netdev.mtu?)"},
        {"netdev.mtoo > 1", "r.toml:1:8: netdev has no fact 'mtoo' (did you mean netdev.mtu?)"},
        {"pci.link_width < 8", "r.toml:1:1: port has no fact 'pci' (did you mean device.pci.link_width?)"},
        {"intent == \"lossy\"", "r.toml:1:1: port has no fact 'intent' (did you mean host.intent?)"},
        {"host.intend == \"lossy\"", "r.toml:1:6: host has no fact 'intend' (did you mean host.intent?)"},
        {"active_mtu.x > 1",
         "r.toml:1:1: port.active_mtu is integer and leads nowhere (only a reference can be followed by '.')"},
        {"active_mtu > \"9000\"", "r.toml:1:12: a number cannot be compared with a text"},
        {"link_layer < \"E\"",
         "r.toml:1:12: a text has no order: only == and != apply (dotted versions compare as version(…))"},
        {"lossless > false", "r.toml:1:10: a condition has no order: only == and != apply"},
        {"active_mtu", "r.toml:1:1: expected a condition and found a number (compare it with something, such as > 0)"},
        {"lossless and link_layer", "r.toml:1:14: expected a condition and found a text (compare it with something)"},
        {"not active_mtu",
         "r.toml:1:5: expected a condition and found a number (compare it with something, such as > 0)"},
        {"rx_packets > 1000",
         "r.toml:1:1: port.rx_packets is a counter: its value depends on when it was last cleared (use "
         "rate(rx_packets, 10s) or "
         "increase(rx_packets, 10s))"},
        {"rate(active_mtu, 10s) > 1",
         "r.toml:1:6: port.active_mtu is not a counter but of nature config (use its value, avg(), min(), max() or "
         "changed())"},
        {"increase(busy, 10s) > 1",
         "r.toml:1:10: port.busy is a percentage of the last second and has no increase (use its value, or avg(busy, "
         "10s))"},
        {"rate(busy, 10s) > 1",
         "r.toml:1:6: port.busy is a percentage of the last second and has no rate (use its value, or avg(busy, 10s))"},
        {"avg(rx_packets, 10s) > 1",
         "r.toml:1:5: port.rx_packets is a counter: its values have no avg (use rate(rx_packets, 10s))"},
        {"max(link_layer, 10s) > 1", "r.toml:1:5: port.link_layer is text, not a number"},
        {"rate(rx_packets) > 1",
         "r.toml:1:1: rate(): the window is missing (it takes (fact, window), such as rate(fact, 10s))"},
        {"rate(rx_packets, 10) > 1", "r.toml:1:18: rate(): expected a window (write a duration such as 10s)"},
        {"rate(rx_packets, 0s) > 1", "r.toml:1:18: rate(): the window is 0"},
        {"rate(rx_packets, 25h) > 1", "r.toml:1:18: rate(): the window is longer than 1d"},
        {"rate(rx_packets, $rate) > 1",
         "r.toml:1:18: rate(): $rate is not a duration but 10 (write it as a text: params = { rate = \"10s\" })"},
        {"rate(rx_packets + 1, 10s) > 1", "r.toml:1:17: rate() takes the name of a fact"},
        {"rates(rx_packets, 10s) > 1", "r.toml:1:1: no function 'rates' (did you mean rate?)"},
        {"active_mtu > $ratee", "r.toml:1:14: no parameter '$ratee' (did you mean rate?)"},
        {"active_mtu > $q", "r.toml:1:14: no parameter '$q' (declare it: params = { q = … })"},
        {"active_mtu > $", "r.toml:1:14: a parameter's name is expected after '$'"},
        {"any(prioritty, pfc_enabled)",
         "r.toml:1:5: expected a kind of entity and found 'prioritty' (did you mean priority?)"},
        {"any(priority, pfc_enabled)", "r.toml:1:1: no fact of priority refers to a port"},
        {"count(priority pfc_enabled) > 1", "r.toml:1:16: expected ',' or ')' and found 'pfc_enabled'"},
        {"known(lossless, 10s)", "r.toml:1:1: known(): wrong number of arguments (it takes (fact))"},
        {"1 < active_mtu < 3", "r.toml:1:16: comparisons cannot be chained (join two of them by 'and')"},
        {"active_mtu = 3", "r.toml:1:12: '=' is not an operator (equality is written '==')"},
        {"lossless && lossless", "r.toml:1:10: '&&' is not an operator (write 'and')"},
        {"lossless || lossless", "r.toml:1:10: '||' is not an operator (write 'or')"},
        {"!lossless", "r.toml:1:1: '!' is not an operator (write 'not')"},
        {"link_layer == 'x'", "r.toml:1:15: a text is written with '\"'"},
        {"link_layer == \"x", "r.toml:1:15: the text is not closed by '\"'"},
        {"link_layer == \"a\\n\"", "r.toml:1:18: only \\\" and \\\\ may follow '\\' in a text"},
        {"active_mtu > 4Q", "r.toml:1:15: unknown unit 'Q' (durations: ms s m h d; sizes: K M G T (powers of 1024))"},
        {"active_mtu > 99999999999999999999", "r.toml:1:14: the number is too large"},
        {"active_mtu > 9000000000G", "r.toml:1:14: the number is too large"},
        {"active_mtu > 1e999", "r.toml:1:14: the number is too large or too small"},
        {"active_mtu / 0 > 1", "r.toml:1:14: division by zero"},
        {"active_mtu > 10s", "r.toml:1:14: 10s is a duration and the other side is in bytes"},
        {"link_layer == 10s", "r.toml:1:15: 10s is a duration and the other side is a text"},
        {"(lossless", "r.toml:1:10: expected ')' and found end of the expression ('(' is at line 1, column 1)"},
        {"lossless)", "r.toml:1:9: unexpected ')' (terms are joined by 'and' or 'or')"},
        {"lossless and", "r.toml:1:13: expected a fact, a value or '(' and found end of the expression"},
        {"1 + not lossless",
         "r.toml:1:5: expected a fact, a value or '(' and found 'not' (put the 'not …' into parentheses)"},
        {"netdev. mtu > 1", "r.toml:1:7: a name is expected after '.'"},
        {"lossless ; 1", "r.toml:1:10: unexpected ';'"},
        {"1 + lossless > 2", "r.toml:1:5: expected a number and found a condition"},
        {"bit(device.pci.flags, 63)", "r.toml:1:23: bit(): n is a number from 0 to 62"},
        {"bit(1, load)", "r.toml:1:8: port.load is not an integer"},
        {"bit(load, 1)", "r.toml:1:5: port.load is not an integer"},
        {"version(active_mtu) > version(\"1\")", "r.toml:1:9: version() takes a text and found a number"},
        {"version(device.fw_version) < \"1.2\"",
         "r.toml:1:28: a version cannot be compared with a text (write version(…) on both sides)"},
        {"known(lossless)\n  and\n    actve_mtu > 1",
         "r.toml:3:5: port has no fact 'actve_mtu' (did you mean active_mtu?)"},
        {"link_layer == \"é\" and actve_mtu > 1",
         "r.toml:1:23: port has no fact 'actve_mtu' (did you mean active_mtu?)"},
    };
    for (const Bad& bad : cases) EXPECT_EQ(complaint(bad.text, Kind::port, params), bad.complaint) << bad.text;
}

TEST(Compile, PlacesCountFromWhereTheTextBegins) {
    const auto bad = Expression::compile("lossless and\n nope", Kind::port, catalog(), {}, "f", 7, 12);
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().line, 8);
    EXPECT_EQ(bad.error().column, 2);
    const auto first = Expression::compile("nope", Kind::port, catalog(), {}, "f", 7, 12);
    ASSERT_FALSE(first);
    EXPECT_EQ(first.error().line, 7);
    EXPECT_EQ(first.error().column, 12);
}

TEST(Compile, DepthAndLengthAreBounded) {
    const auto nested = [](int depth, const char* open, const char* close) {
        std::string text;
        for (int i = 0; i < depth; ++i) text += open;
        text += "lossless";
        for (int i = 0; i < depth; ++i) text += close;
        return text;
    };
    EXPECT_EQ(complaint(nested(60, "(", ")")), "");
    EXPECT_THAT(complaint(nested(65, "(", ")")), testing::HasSubstr("nested deeper than 64"));
    EXPECT_THAT(complaint(nested(2000, "(", ")")), testing::HasSubstr("nested deeper than 64"));
    EXPECT_THAT(complaint(nested(2000, "not ", "")), testing::HasSubstr("nested deeper than 64"));
    std::string sum = "active_mtu";
    for (int i = 0; i < 1500; ++i) sum += "+1";
    EXPECT_THAT(complaint(sum + " > 1"), testing::HasSubstr("nested deeper than 64"));
    std::string negative = "active_mtu > ";
    negative.append(3000, '-');
    EXPECT_THAT(complaint(negative + "1"), testing::HasSubstr("nested deeper than 64"));
    std::string wide = "lossless";
    for (int i = 0; i < 300; ++i) wide += " and lossless";
    EXPECT_EQ(complaint(wide), "");
    EXPECT_THAT(complaint("lossless" + std::string(8192, ' ')), testing::HasSubstr("longer than 8192 bytes"));
}

TEST(Compile, NamesFactsAndParametersOnce) {
    const Params params{{"a", std::int64_t{1}}, {"b", std::int64_t{1}}};
    const auto good = compile("netdev.mtu > $a and netdev.mtu > $b and active_mtu > $a", Kind::port, params);
    ASSERT_TRUE(good);
    EXPECT_THAT(good->facts(), ElementsAre("netdev.mtu", "active_mtu"));
    EXPECT_THAT(good->params(), ElementsAre("a", "b"));
    EXPECT_EQ(good->text(), "netdev.mtu > $a and netdev.mtu > $b and active_mtu > $a");
}

TEST(Compile, PrintsWithoutNeedlessParentheses) {
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"( lossless )", "lossless"},
        {"lossless and (lossless or not lossless)", "lossless and (lossless or not lossless)"},
        {"(lossless and lossless) or lossless", "lossless and lossless or lossless"},
        {"not (active_mtu == 1)", "not active_mtu == 1"},
        {"1 - (2 - active_mtu) > 0", "1 - (2 - active_mtu) > 0"},
        {"(1 - 2) - active_mtu > 0", "1 - 2 - active_mtu > 0"},
        {"(1 + active_mtu) * 2 > 4K", "(1 + active_mtu) * 2 > 4K"},
        {"-active_mtu < 1e-5", "-active_mtu < 1e-5"},
        {"rate( rx_packets ,10s )>1", "rate(rx_packets, 10s) > 1"},
        {"link_layer == \"a\\\"b\"", "link_layer == \"a\\\"b\""},
        {"known(netdev) and true", "known(netdev) and true"},
        {"(lossless == false) == true", "(lossless == false) == true"},
        {"version(device.fw_version) < version(\"28.39\")", "version(device.fw_version) < version(\"28.39\")"},
        {"bit(device.pci.flags, 3)", "bit(device.pci.flags, 3)"},
        {"uptime < 10m", "uptime < 10m"},
    };
    for (const auto& [text, printed] : cases) {
        const auto compiled = compile(text);
        ASSERT_TRUE(compiled) << compiled.error().print();
        EXPECT_EQ(print(compiled->root()), printed);
        const auto again = compile(printed);
        ASSERT_TRUE(again) << again.error().print();
        EXPECT_EQ(print(again->root()), printed);
    }
    const auto sets =
        compile("any(port, lossless) and all(port, lossless) and count(port) > count(port, lossless)", Kind::host);
    ASSERT_TRUE(sets);
    EXPECT_EQ(print(sets->root()),
              "any(port, lossless) and all(port, lossless) and count(port) > count(port, lossless)");
}

TEST(Compile, EmptyExpressionIsUnknownAndHarmless) {
    const Expression none;
    EXPECT_EQ(none.text(), "");
    EXPECT_TRUE(none.facts().empty());
    EXPECT_TRUE(none.params().empty());
    World world;
    world.present(kPort).sweep();
    EXPECT_EQ(none.evaluate(world.history(), kPort, {}).truth, Truth::unknown);
    EXPECT_EQ(compile("true")->evaluate(World().history(), kPort, {}).truth, Truth::unknown);
}

}  // namespace
}  // namespace rd::test
