// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/verbs_policy.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "tests/unit/support/temp_directory.h"

namespace rd::events {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ContextPolicy, Table) {
    struct Row {
        ContextPolicy policy;
        VerbsDevice device;
        bool has_function;
        bool hold;
        const char* reason;
    };
    const auto device = [](const char* driver, const char* node = "uverbs0") { return VerbsDevice{"x", node, driver}; };
    using enum ContextPolicy;
    const Row rows[] = {
        {automatic, device("mlx5_core"), false, true, "takes a device away"},
        {automatic, device("mlx4_core"), false, true, "takes a device away"},
        {automatic, device("ice"), false, true, "takes a device away"},
        {automatic, device("hns3"), false, true, "takes a device away"},
        {automatic, device("bnxt_en"), false, false, "bnxt_en of this kernel waits"},
        {automatic, device("bnxt_en"), true, true, "bnxt_en of this kernel takes"},
        {automatic, device("mana"), true, true, "takes a device away"},
        {automatic, device("erdma"), true, true, "takes a device away"},
        {automatic, device("efa"), true, false, "efa is not known"},
        {automatic, device(""), true, false, "a software device"},
        {automatic, device("mlx5_core", ""), true, false, "ib_uverbs is not loaded"},
        {always, device(""), false, true, "always held"},
        {always, device("mlx5_core", ""), false, false, "ib_uverbs is not loaded"},
        {never, device("mlx5_core"), true, false, "never held"},
    };
    for (const Row& row : rows) {
        const auto decision = decide_context(row.policy, row.device, [&](std::string_view begin, std::string_view end) {
            EXPECT_EQ(end, "disassociate_ucontext");
            EXPECT_FALSE(begin.empty());
            return row.has_function;
        });
        EXPECT_EQ(decision.hold, row.hold) << row.device.driver;
        EXPECT_THAT(decision.reason, HasSubstr(row.reason));
    }
}

TEST(ContextPolicy, AFunctionInTheTableOfSymbols) {
    const auto names = [](std::string_view line) { return line_names_function(line, "bnxt_re_", "_ucontext"); };
    EXPECT_TRUE(names("0000000000000000 t bnxt_re_disassociate_ucontext\t[bnxt_re]"));
    EXPECT_TRUE(names("ffffffffc0a01230 T bnxt_re_x_ucontext"));
    EXPECT_FALSE(names("0000000000000000 d bnxt_re_disassociate_ucontext\t[bnxt_re]"));
    EXPECT_FALSE(names("0000000000000000 t bnxt_re_ucontext\t[bnxt_re]"));
    EXPECT_FALSE(names("0000000000000000 t mlx5_ib_disassociate_ucontext\t[bnxt_re]"));
    EXPECT_FALSE(names("0000000000000000 t"));
    EXPECT_FALSE(names(""));
}

TEST(ContextPolicy, NothingIsHeldWhereItCannotBeTold) {
    const auto untold = [](std::string_view, std::string_view) -> Result<bool> {
        return fail(Errc::no_privilege, "/proc/kallsyms: Permission denied");
    };
    const auto decision = decide_context(ContextPolicy::automatic, {"x", "uverbs0", "bnxt_en"}, untold);
    EXPECT_FALSE(decision.hold);
    EXPECT_THAT(decision.reason, HasSubstr("cannot be told: /proc/kallsyms: Permission denied"));
    EXPECT_THAT(decision.reason, HasSubstr("contexts = \"always\""));
    EXPECT_TRUE(decide_context(ContextPolicy::automatic, {"x", "uverbs0", "mlx5_core"}, untold).hold);
}

TEST(ContextPolicy, WhatTheKernelHas) {
    const TempDirectory root;
    const auto has = [&](std::string_view begin) { return kernel_has_function(begin, "_ucontext", root.path()); };
    EXPECT_FALSE(has("bnxt_re_"));  // neither file: that is not "no"
    root.file("sys/kernel/btf/bnxt_re", std::string("\x9f\xeb\1\0x\0bnxt_re_disassociate_ucontext\0y\0", 38));
    EXPECT_EQ(has("bnxt_re_"), true);
    EXPECT_FALSE(has("mana_ib_"));
    root.file("sys/kernel/btf/mana_ib", std::string("\x9f\xeb\1\0x\0", 6));
    EXPECT_FALSE(has("mana_ib_"));  // types need not have them all
    root.file("proc/kallsyms", "");
    EXPECT_FALSE(has("mana_ib_"));
    root.file("proc/kallsyms", "0000000000000000 T x\n0000000000000000 t erdma_disassociate_ucontext\t[erdma]\n");
    EXPECT_EQ(has("mana_ib_"), false);
    EXPECT_EQ(has("erdma_"), true);
    EXPECT_EQ(has("bnxt_re_"), true);
}

// The names of the functions as the kernel has them, in what the kernel tells them by.
TEST(ContextPolicy, IsDecidedByWhatTheKernelHas) {
    const TempDirectory root;
    const auto hold = [&](const std::string& driver) {
        const VerbsDevice device{"x", "uverbs0", driver};
        return decide_context(ContextPolicy::automatic, device,
                              [&](std::string_view begin, std::string_view end) {
                                  return kernel_has_function(begin, end, root.path());
                              })
            .hold;
    };
    root.file("proc/kallsyms", "0000000000000000 T bnxt_re_alloc_ucontext\t[bnxt_re]\n");
    for (const char* driver : {"bnxt_en", "mana", "erdma"}) EXPECT_FALSE(hold(driver)) << driver;
    root.file("proc/kallsyms",
              "0000000000000000 t bnxt_re_disassociate_ucontext\t[bnxt_re]\n"
              "0000000000000000 t erdma_disassociate_ucontext\t[erdma]\n");
    EXPECT_TRUE(hold("bnxt_en"));
    EXPECT_TRUE(hold("erdma"));
    EXPECT_FALSE(hold("mana"));
    const std::string types("\x9f\xeb\1\0x\0mana_ib_disassociate_ucontext\0y\0", 38);
    root.file("sys/kernel/btf/mana_ib", types);
    EXPECT_TRUE(hold("mana"));
}

TEST(VerbsDevices, WithTheirNodesAndDrivers) {
    const TempDirectory root;
    root.file("sys/bus/pci/drivers/mlx5_core/x", "");
    root.file("sys/devices/0000:41:00.0/infiniband/mlx5_0/x", "");
    root.file("sys/devices/virtual/infiniband/rxe0/x", "");
    root.file("sys/class/infiniband_verbs/abi_version", "6\n");
    root.file("sys/class/infiniband_verbs/uverbs1/ibdev", "mlx5_0\n");
    root.file("sys/class/infiniband/none", "");
    const std::filesystem::path sys = root / "sys";
    namespace fs = std::filesystem;
    fs::create_directory_symlink("../../bus/pci/drivers/mlx5_core", sys / "devices/0000:41:00.0/driver");
    fs::create_directory_symlink("../../../0000:41:00.0", sys / "devices/0000:41:00.0/infiniband/mlx5_0/device");
    fs::create_directory_symlink("../../devices/0000:41:00.0/infiniband/mlx5_0", sys / "class/infiniband/mlx5_0");
    fs::create_directory_symlink("../../devices/virtual/infiniband/rxe0", sys / "class/infiniband/rxe0");
    fs::remove(sys / "class/infiniband/none");
    const auto directory = open_tree(root.path(), {});
    ASSERT_TRUE(directory);
    const auto devices = verbs_devices(Files(Descriptor(::dup(directory->get()))));
    EXPECT_THAT(devices, ElementsAre(VerbsDevice{"mlx5_0", "uverbs1", "mlx5_core"}, VerbsDevice{"rxe0", "", ""}));
}

TEST(VerbsDevices, NoneWithoutRdma) {
    const TempDirectory root;
    root.file("sys/x", "");
    const auto directory = open_tree(root.path(), {});
    ASSERT_TRUE(directory);
    EXPECT_TRUE(verbs_devices(Files(Descriptor(::dup(directory->get())))).empty());
}

}  // namespace
}  // namespace rd::events
