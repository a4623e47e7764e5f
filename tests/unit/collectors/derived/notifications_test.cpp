// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

std::string of_port(const Scene& scene, std::string_view fact) {
    return value(scene.derive({"notifications"}), Kind::port, "p", fact);
}

TEST(Notifications, RatiosOfMarksAndNotifications) {
    const Scene counted = roce_port()
                              .put(Kind::port, "p", "np_ecn_marked", 200)
                              .put(Kind::port, "p", "np_cnp_sent", 50)
                              .put(Kind::port, "p", "rp_cnp_handled", 30)
                              .put(Kind::port, "p", "rp_cnp_ignored", 10);
    EXPECT_EQ(of_port(counted, "cnp_per_mark"), "0.25");
    EXPECT_EQ(of_port(counted, "cnp_ignored_share"), "0.25");
    Scene none = counted;
    none.put(Kind::port, "p", "np_ecn_marked", 0).gap(Kind::port, "p", "rp_cnp_ignored", GapClass::not_offered);
    EXPECT_EQ(of_port(none, "cnp_per_mark"), "gap(not offered)");
    EXPECT_EQ(of_port(none, "cnp_ignored_share"), "gap(not offered)");
    none.gap(Kind::port, "p", "np_ecn_marked", GapClass::error)
        .put(Kind::port, "p", "rp_cnp_ignored", 0)
        .put(Kind::port, "p", "rp_cnp_handled", 0);
    EXPECT_EQ(of_port(none, "cnp_per_mark"), "gap(error)");
    EXPECT_EQ(of_port(none, "cnp_ignored_share"), "gap(not offered)");
}

}  // namespace
}  // namespace rd::collectors::test
