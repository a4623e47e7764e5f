// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/embedded.h"

#include <gtest/gtest.h>

#include "core/diagnosis/rulebook.h"

namespace rd::cli {
namespace {

TEST(Embedded, TheProgramHasOneVersion) {
    EXPECT_EQ(version(), kProgramVersion);
    EXPECT_EQ(tool_name(), "rdmadoctor " + std::string(version()));
}

TEST(Embedded, EachSchemaIsThere) {
    std::vector<std::string_view> names;
    for (const Schema& schema : schemas()) names.push_back(schema.command);
    EXPECT_EQ(names,
              (std::vector<std::string_view>{"alerts", "check-hosts", "check", "diff", "explain", "facts", "rules"}));
}

}  // namespace
}  // namespace rd::cli
