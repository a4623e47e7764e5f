// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kPath = "/proc/net/softnet_stat";

std::shared_ptr<FakeHost> receiving_host() {
    auto host = roce_host();
    host->file(kPath, "0000f2a1 00000010 00000003 00000000 00000000\n00000001 00000001 0000000a 00000000 00000000\n");
    return host;
}
Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"softnet"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::host, "", fact); }

TEST(Softnet, SumsOverTheCpus) {
    const Snapshot now = look(receiving_host());
    EXPECT_EQ(of(now, "softnet_dropped"), "17");
    EXPECT_EQ(of(now, "softnet_squeezed"), "13");
    expect_complete(now, collector("softnet"));
}

TEST(Softnet, ALineThatIsNone) {
    const auto host = receiving_host();
    for (const std::string_view text : {"0000f2a1 00000010\n", "x y z\n", "1 100000000 0\n", "1 0 100000000\n", ""}) {
        host->file(kPath, text);
        EXPECT_EQ(of(look(host), "softnet_dropped"), "gap(error)") << text;
        EXPECT_EQ(of(look(host), "softnet_squeezed"), "gap(error)") << text;
    }
}

TEST(Softnet, SurvivesBadInput) { expect_bad_input_is_survived(receiving_host, "softnet"); }

}  // namespace
}  // namespace rd::collectors::test
