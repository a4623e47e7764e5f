// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/api/query.h"

#include <gtest/gtest.h>

namespace rd::daemon {
namespace {

TEST(Query, Entities) {
    EXPECT_EQ(parse_entity("port:pci-0000:41:00.0/1"), (Entity{Kind::port, "pci-0000:41:00.0/1"}));
    EXPECT_EQ(parse_entity("host"), (Entity{Kind::host, ""}));
    EXPECT_EQ(parse_entity("host:"), (Entity{Kind::host, ""}));
    EXPECT_EQ(parse_entity("mlx5_0"), std::nullopt);
    EXPECT_EQ(parse_entity("numa"), std::nullopt);
    EXPECT_EQ(parse_entity("port:"), std::nullopt);
    EXPECT_EQ(parse_entity("0000:41:00.0"), std::nullopt);
    EXPECT_EQ(parse_entity(""), std::nullopt);
    EXPECT_EQ(print_entity({Kind::numa, "0"}), "numa:0");
}

}  // namespace
}  // namespace rd::daemon
