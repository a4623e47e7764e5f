// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/fstab.h"

#include <gtest/gtest.h>

namespace rd {
namespace {

TEST(Fstab, OnlyWhatSteersRdma) {
    const auto answer = network_mounts(
        "# /etc/fstab\nUUID=1 / ext4 defaults 0 1\n\nsrv:/a /a nfs4 rw,proto=rdma,port=20049 0 0\n"
        "//srv/b /b cifs username=joe,password=secret,rdma,vers=3.1.1 0 0\n//joe:secret@srv/c /c smb3\n",
        "/etc/fstab");
    ASSERT_TRUE(answer);
    EXPECT_EQ(*answer, "srv:/a /a nfs4 proto=rdma,port=20049\n//srv/b /b cifs rdma,vers=3.1.1\n- /c smb3 defaults\n");
}

TEST(Fstab, AnErrorDoesNotTellWhatStandsThere) {
    const auto answer = network_mounts("srv:/a /a nfs4\npassword=secret\n", "/etc/fstab");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().what, "/etc/fstab: line 2: not a mount");
}

TEST(Fstab, Nothing) { EXPECT_EQ(network_mounts("", "/etc/fstab").value(), ""); }

}  // namespace
}  // namespace rd
