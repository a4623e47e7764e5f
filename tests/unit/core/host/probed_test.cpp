// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/probed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/host/bundle.h"
#include "tests/unit/support/fake_host.h"

namespace rd {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kFunction = "pci.config/0000:41:00.0";
constexpr const char* kParams = "/sys/kernel/debug/mlx5/0000:41:00.0/cc_params";
constexpr const char* kParam = "/sys/kernel/debug/mlx5/0000:41:00.0/cc_params/np_enable";
constexpr const char* kCommand = "/sys/kernel/debug/mlx5/0000:41:00.0/commands/CREATE_MKEY/n";

Error refused(std::string_view name) {
    return {Errc::no_privilege, std::string(name) + ": not permitted", "run as root"};
}

// What somebody without rights gets, at several moments.
FakeHost unprivileged() {
    FakeHost host({{"/sys/class/net/ens1f0/mtu", "9000"}});
    for (const char* name : {kFunction, kParams, kParam, kCommand, "ethtool.module/ens1f0", "/proc/7/environ"})
        host.error(name, refused(name));
    host.error("pci.config/0000:42:00.0", {Errc::timed_out, "pci.config/0000:42:00.0: no answer", ""});
    host.error("pci.config/0000:43:00.0", refused("pci.config/0000:43:00.0"));
    host.next_moment(1min).next_moment(5min).next_moment(40min);
    return host;
}

// What root has read.
FakeHost privileged() {
    FakeHost host({{"/sys/class/net/ens1f0/mtu", "1500"},
                   {kFunction, "mrrs=4096\n"},
                   {kParam, "1\n"},
                   {kCommand, "1234\n"},
                   {"/proc/7/environ", "PATH=/bin"},
                   {"pci.config/0000:42:00.0", "mrrs=512\n"}});
    host.error("ethtool.module/ens1f0", {Errc::not_supported, "ethtool.module/ens1f0: no module", ""});
    return host;
}

class Probed : public testing::Test {
protected:
    Probed() { std::filesystem::create_directories(folder_); }
    ~Probed() override { std::filesystem::remove_all(folder_); }

    void leave(const FakeHost& host) {
        const std::string fresh = folder_ + "/.next.tar.zst";
        ASSERT_TRUE(save_bundle(host.bundle(), fresh));
        std::filesystem::rename(fresh, bundle_);
    }

    std::string folder_ = testing::TempDir() + "/probed." + std::to_string(::getpid());
    std::string bundle_ = folder_ + "/host.tar.zst";
    std::unique_ptr<Host> host_ = probed_host(std::make_shared<FakeHost>(unprivileged()), {bundle_});
};

TEST_F(Probed, TakesWhatIsRefusedFromTheBundle) {
    leave(privileged());
    EXPECT_EQ(host_->read(kFunction), "mrrs=4096\n");
    EXPECT_EQ(host_->read(kParam), "1\n");
    const auto names = host_->list(kParams);
    ASSERT_TRUE(names) << describe(names.error());
    EXPECT_THAT(*names, ElementsAre("np_enable"));
}

TEST_F(Probed, TakesTheReasonToo) {
    leave(privileged());
    const auto module = host_->read("ethtool.module/ens1f0");
    ASSERT_FALSE(module);
    EXPECT_EQ(module.error().code, Errc::not_supported);
}

TEST_F(Probed, AsksItsOwnEyesFirst) {
    leave(privileged());
    EXPECT_EQ(host_->read("/sys/class/net/ens1f0/mtu"), "9000");
    EXPECT_EQ(host_->read("pci.config/0000:42:00.0").error().code, Errc::timed_out);
}

TEST_F(Probed, LeavesCountersAndWhatIsNobodysBusiness) {
    leave(privileged());
    for (const char* name : {kCommand, "/proc/7/environ"}) EXPECT_EQ(host_->read(name).error(), refused(name));
}

TEST_F(Probed, SaysHowToGetABundle) {
    const auto function = host_->read(kFunction);
    ASSERT_FALSE(function);
    EXPECT_EQ(function.error().code, Errc::no_privilege);
    EXPECT_THAT(function.error().what, HasSubstr("pci.config/0000:41:00.0: not permitted; " + bundle_));
    EXPECT_THAT(function.error().remedy, HasSubstr("systemctl start rdmadoctor-probe"));
}

TEST_F(Probed, SaysSoOfWhatTheBundleHasNot) {
    leave(privileged());
    const auto function = host_->read("pci.config/0000:43:00.0");
    ASSERT_FALSE(function);
    EXPECT_EQ(function.error().code, Errc::no_privilege);
    EXPECT_THAT(function.error().remedy, HasSubstr("systemctl start rdmadoctor-probe"));
}

TEST_F(Probed, LooksForANewOneNowAndThen) {
    const auto handle = host_->open(kFunction);
    Buffer answer;
    EXPECT_FALSE(handle->read(answer));
    leave(privileged());
    EXPECT_FALSE(handle->read(answer)) << "it has looked a moment ago";
    ASSERT_TRUE(host_->advance({}));
    ASSERT_TRUE(handle->read(answer));
    leave(privileged().file(kFunction, "mrrs=128\n"));
    ASSERT_TRUE(host_->advance({}));
    ASSERT_TRUE(handle->read(answer));
    EXPECT_EQ(answer.text(), "mrrs=128\n");
    std::filesystem::remove(bundle_);
    ASSERT_TRUE(host_->advance({}));
    EXPECT_FALSE(handle->read(answer));
}

TEST_F(Probed, TakesNothingThatIsOld) {
    leave(privileged());
    ASSERT_TRUE(host_->advance({}) && host_->advance({}));
    EXPECT_TRUE(host_->read(kFunction));
    ASSERT_TRUE(host_->advance({}));
    const auto function = host_->read(kFunction);
    ASSERT_FALSE(function);
    EXPECT_THAT(function.error().what, HasSubstr("is 46m old"));
}

TEST_F(Probed, TakesNothingOfAnotherBoot) {
    HostIdentity before = privileged().identity();
    before.boot_id = "00000000-0000-0000-0000-000000000000";
    leave(privileged().identity(before));
    const auto function = host_->read(kFunction);
    ASSERT_FALSE(function);
    EXPECT_EQ(function.error().code, Errc::no_privilege);
    EXPECT_THAT(function.error().what, HasSubstr("of another boot"));
}

TEST_F(Probed, SaysWhatIsWrongWithADamagedOne) {
    std::ofstream(bundle_) << "no bundle";
    const auto function = host_->read(kFunction);
    ASSERT_FALSE(function);
    EXPECT_EQ(function.error().code, Errc::no_privilege);
    EXPECT_THAT(function.error().what, HasSubstr(bundle_));
}

}  // namespace
}  // namespace rd
