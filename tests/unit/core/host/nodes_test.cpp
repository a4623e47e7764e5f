// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/nodes.h"

#include <gmock/gmock.h>

#include "core/base/records.h"
#include "tests/unit/support/temp_directory.h"

namespace rd {
namespace {

using testing::HasSubstr;

// Every Linux has these, of this mode: a node cannot be made without privilege.
TEST(Nodes, CharacterDevicesWithTheirModes) {
    const auto text = list_nodes("/dev", "x");
    ASSERT_TRUE(text) << text.error().what;
    EXPECT_THAT(*text, HasSubstr("name=null mode=0666 uid=0 gid=0\n"));
    EXPECT_TRUE(parse_records(*text));
}

TEST(Nodes, OtherFilesAreNoNodes) {
    TempDirectory directory;
    directory.file("plain", "");
    EXPECT_EQ(list_nodes(directory.path(), "x").value_or("error"), "");
}

TEST(Nodes, NoDirectory) {
    const auto text = list_nodes("/nonexistent/infiniband", "infiniband.nodes");
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, Errc::not_found);
    EXPECT_THAT(text.error().what, HasSubstr("infiniband.nodes"));
}

}  // namespace
}  // namespace rd
