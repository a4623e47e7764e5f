// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

std::shared_ptr<FakeHost> host_with_smb() {
    auto host = std::make_shared<FakeHost>();
    host->file("config.mounts/etc/fstab",
               "//srv/a /a cifs rdma,vers=3.1.1 0 0\n//srv/b /b cifs rdma 0 0\n//srv/c /c cifs rw 0 0\n")
        .file(
            "/proc/self/mounts",
            "//srv/a /a cifs rw,vers=3.1.1,sec=ntlmsspi,rdma 0 0\n//srv/b /b cifs rw,sec=ntlmssp 0 0\n//srv/c /c cifs "
            "rw,sec=krb5,rdma 0 0\nsrv:/n /n nfs rw,proto=rdma 0 0\n")
        .directory("/sys/module", {"ib_core", "ksmbd"})
        .file("/etc/ksmbd/ksmbd.conf",
              "; comment\n[global]\n\tserver multi channel support = no\n[share]\n\tpath = /x\n");
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"smb"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::host, "", fact); }

TEST(Smb, MountsAndServer) {
    const Snapshot now = look(host_with_smb());
    EXPECT_EQ(of(now, "declared_smb_rdma"), "/a /b");
    EXPECT_EQ(of(now, "smb_rdma"), "/a /c");
    EXPECT_EQ(of(now, "smb_rdma_signed"), "/a");
    EXPECT_EQ(of(now, "smb_rdma_on_tcp"), "/b");
    EXPECT_EQ(of(now, "declared_ksmbd_multichannel"), "false");
    EXPECT_EQ(of(now, "ksmbd"), "true");
    expect_complete(now, collector("smb"));
}

TEST(Smb, Settings) {
    const auto host = host_with_smb();
    host->file("/etc/ksmbd/ksmbd.conf", "[global]\nserver multi channel support = yes\n");
    EXPECT_EQ(of(look(host), "declared_ksmbd_multichannel"), "true");
    host->file("/etc/ksmbd/ksmbd.conf", "[global]\n#server multi channel support = yes\n");
    EXPECT_EQ(of(look(host), "declared_ksmbd_multichannel"), "gap(not offered)");
    host->directory("/sys/module", {"ib_core"});
    EXPECT_EQ(of(look(host), "ksmbd"), "false");
}

TEST(Smb, EncryptedIsSignedToo) {
    const auto host = host_with_smb();
    host->file("/proc/self/mounts", "//srv/a /a smb3 rw,seal,rdma 0 0\n//srv/b /b cifs rw,sign 0 0\n");
    EXPECT_EQ(of(look(host), "smb_rdma_signed"), "/a") << "the other is not over RDMA";
}

TEST(Smb, SurvivesBadInput) { expect_bad_input_is_survived(host_with_smb, "smb"); }

}  // namespace
}  // namespace rd::collectors::test
