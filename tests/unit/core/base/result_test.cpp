// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/base/result.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace rd {
namespace {

TEST(Result, ErrnoHasAClassAndAText) {
    EXPECT_EQ(error_from_errno(ENOENT, "/sys/x"), (Error{Errc::not_found, "/sys/x: No such file or directory", ""}));
    EXPECT_EQ(error_from_errno(EPERM, "x").code, Errc::no_privilege);
    EXPECT_EQ(error_from_errno(EOPNOTSUPP, "x").code, Errc::not_supported);
    EXPECT_EQ(error_from_errno(ETIMEDOUT, "x").code, Errc::timed_out);
    EXPECT_EQ(error_from_errno(EMFILE, "x").code, Errc::limit);
    EXPECT_EQ(error_from_errno(EINVAL, "x").code, Errc::io);
}

TEST(Result, NamesOfClassesAreReversible) {
    for (const Errc code : {Errc::not_found, Errc::not_supported, Errc::no_privilege, Errc::timed_out,
                            Errc::not_collected, Errc::bad_input, Errc::limit, Errc::io}) {
        Errc back = Errc::io;
        EXPECT_TRUE(errc_from_name(name_of(code), back));
        EXPECT_EQ(back, code);
    }
    Errc untouched = Errc::limit;
    EXPECT_FALSE(errc_from_name("nonsense", untouched));
    EXPECT_EQ(untouched, Errc::limit);
}

}  // namespace
}  // namespace rd
