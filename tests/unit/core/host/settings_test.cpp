// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/settings.h"

#include <gmock/gmock.h>

#include "core/base/records.h"
#include "core/host/environment.h"
#include "core/host/files.h"
#include "core/host/live.h"
#include "tests/unit/support/temp_directory.h"

namespace rd {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string pick(SettingsFormat format, std::string_view name, std::string_view text) {
    return pick_setting(format, name, text, "file").value_or("error");
}
std::string ini(std::string_view name, std::string_view text) { return pick(SettingsFormat::ini, name, text); }
std::string yaml(std::string_view name, std::string_view text) { return pick(SettingsFormat::yaml, name, text); }
std::string toml(std::string_view name, std::string_view text) { return pick(SettingsFormat::toml, name, text); }

constexpr std::string_view kCeph =
    "# a comment\n[global]\nfsid = 1\nms type = async+rdma ; the wish\nms-async_rdma_dscp=104\n"
    "[osd]\n\tMS_Type = \"async+posix\"\nprovider = ofi+verbs;ofi_rxm\nlong = a\\\n b\n[osd.3\nms_type=x\n";

TEST(SettingsIni, SectionsAndSpellings) {
    EXPECT_EQ(ini("ms_type", kCeph), "at=global value=async+rdma\nat=osd value=async+posix\nat= value=x\n")
        << "a section that does not end is none";
    EXPECT_EQ(ini("ms_async_rdma_dscp", kCeph), "at=global value=104\n");
    EXPECT_EQ(ini("provider", kCeph), "at=osd value=ofi+verbs;ofi_rxm\n") << "no comment without a blank before it";
    EXPECT_EQ(ini("long", kCeph), "at=osd value=ab\n");
    EXPECT_EQ(ini("absent", kCeph), "");
}

TEST(SettingsIni, NothingAndGarbage) {
    EXPECT_EQ(ini("a", ""), "");
    EXPECT_EQ(ini("a", "a"), "");
    EXPECT_EQ(ini("a", "[\n=\n]=\n a ="), "at= value=\n");
    EXPECT_EQ(ini("a", std::string_view("a=1\0", 4)), "error");
}

constexpr std::string_view kDaos =
    "provider: ofi+verbs\nengines:\n  - fabric_iface: ib0\n    targets: 8\n    bdev_list: [\"0000:81:00.0\", "
    "'0000:82:00.0']\n"
    "  - fabric_iface: ib1\n    env_vars:\n      - SECRET=1\n";

TEST(SettingsYaml, ListsAreLeftOutOfNames) {
    EXPECT_EQ(yaml("provider", kDaos), "at=provider value=ofi+verbs\n");
    EXPECT_EQ(yaml("engines.fabric_iface", kDaos),
              "at=engines.0.fabric_iface value=ib0\nat=engines.1.fabric_iface value=ib1\n");
    EXPECT_EQ(yaml("bdev_list", kDaos),
              "at=engines.0.bdev_list.0 value=0000:81:00.0\nat=engines.0.bdev_list.1 value=0000:82:00.0\n");
    EXPECT_EQ(yaml("iface", kDaos), "") << "whole parts only";
}

TEST(SettingsYaml, ReadsJson) {
    constexpr std::string_view kSpdk =
        R"({"subsystems":[{"subsystem":"nvmf","config":[{"method":"nvmf_create_transport","params":{"trtype":"RDMA","max_queue_depth":128}}]}]})";
    EXPECT_EQ(yaml("params.max_queue_depth", kSpdk), "at=subsystems.0.config.0.params.max_queue_depth value=128\n");
    EXPECT_EQ(yaml("method", kSpdk), "at=subsystems.0.config.0.method value=nvmf_create_transport\n");
}

TEST(SettingsYaml, AliasesAreNotFollowed) {
    EXPECT_EQ(yaml("b", "a: &x {b: 1}\nc: *x\n"), "at=a.b value=1\n");
    EXPECT_EQ(yaml("b", "a: &x [1]\n? *x\n: 2\n"), "error");
}

TEST(SettingsYaml, WhatDoesNotParseIsNotTold) {
    const auto answer = pick_setting(SettingsFormat::yaml, "a", "b: 1\npassword: \"hunter2\n", "f.yml");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Errc::bad_input);
    EXPECT_THAT(answer.error().what, HasSubstr("f.yml: not YAML or JSON: line "));
    EXPECT_THAT(answer.error().what, Not(HasSubstr("hunter2")));
    EXPECT_EQ(yaml("a", std::string(100, '[')), "error") << "deep";
    EXPECT_EQ(yaml("a", ""), "");
}

TEST(SettingsToml, TablesAndLists) {
    constexpr std::string_view kLauncher =
        "[ib_devices]\ndevice_filter = ['mlx5_0', 'mlx5_1']\ndefault_traffic_class = 0\nfork_safe = true\n"
        "[[server.base.groups]]\n[server.base.groups.io_worker.ibsocket]\ntimeout = 14\n";
    EXPECT_EQ(toml("ib_devices.device_filter", kLauncher),
              "at=ib_devices.device_filter.0 value=mlx5_0\nat=ib_devices.device_filter.1 value=mlx5_1\n");
    EXPECT_EQ(toml("ibsocket.timeout", kLauncher), "at=server.base.groups.0.io_worker.ibsocket.timeout value=14\n");
    EXPECT_EQ(toml("fork_safe", kLauncher), "at=ib_devices.fork_safe value=true\n");
    const auto answer = pick_setting(SettingsFormat::toml, "a", "token = hunter2", "f.toml");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().what, "f.toml: not TOML: line 1");
}

TEST(Settings, Limits) {
    EXPECT_EQ(ini("a", std::string((1u << 20) + 1, 'x')), "error");
    EXPECT_EQ(ini("a", "a=" + std::string(1024, 'x')).size(), 1024u + std::string("at= value=\n").size());
    EXPECT_EQ(ini("a", "a=" + std::string(1025, 'x')), "error");
}

TEST(Settings, SecretsAreRefused) {
    for (const std::string_view name :
         {"fabric_auth_key", "key", "config.dhchap_key", "rgw_secret", "PASSWORD", "keyring"}) {
        EXPECT_TRUE(sounds_secret(name)) << name;
    }
    for (const std::string_view name : {"ms_type", "default_pkey_index", "keep_alive_timeout_ms"}) {
        EXPECT_FALSE(sounds_secret(name)) << name;
    }
}

class FilteredSubjects : public testing::Test {
protected:
    FilteredSubjects() {
        directory_.file("proc/7/environ",
                        std::string_view("PATH=/bin\0UCX_TLS=rc,ud\0D_PROVIDER_AUTH_KEY=x\0NCCL_DEBUG=INFO", 62));
        directory_.file("proc/7/cmdline", std::string_view("/bin/x\0-c\0a.json\0--id=3\0--secret-key\0hush\0-c", 44));
        directory_.file("etc/ceph/ceph.conf", "ms_type = async+rdma\nkey = hush\n");
    }
    Result<std::string> ask(std::string_view name) const { return tree_host(directory_.path()).value()->read(name); }

    TempDirectory directory_;
};

TEST_F(FilteredSubjects, OfACopyOfFiles) {
    EXPECT_EQ(ask("config.ini/ms_type/etc/ceph/ceph.conf").value_or("error"), "at= value=async+rdma\n");
    EXPECT_EQ(ask("proc.env/7").value_or("error"), "UCX_TLS=rc,ud NCCL_DEBUG=INFO\n");
    EXPECT_EQ(ask("proc.option/7/-c").value_or("error"), "value=a.json\n");
    EXPECT_EQ(ask("proc.option/7/--id").value_or("error"), "value=3\n");
}

TEST_F(FilteredSubjects, AbsentAndRefused) {
    const auto code = [&](std::string_view name) {
        const auto answer = ask(name);
        return answer ? "an answer" : std::string(name_of(answer.error().code));
    };
    EXPECT_EQ(code("config.ini/ms_type/etc/absent.conf"), "not_found");
    EXPECT_EQ(code("config.ini/key/etc/ceph/ceph.conf"), "bad_input");
    EXPECT_EQ(code("config.ini/ms_type"), "bad_input");
    EXPECT_EQ(code("config.ini/ms_type/"), "bad_input");
    EXPECT_EQ(code("config.ini/ms type/etc/ceph/ceph.conf"), "bad_input");
    EXPECT_EQ(code("config.ini/ms_type/etc/../etc/ceph/ceph.conf"), "bad_input");
    EXPECT_EQ(code("proc.env/x"), "bad_input");
    EXPECT_EQ(code("proc.env/8"), "not_found");
    EXPECT_EQ(code("proc.option/7"), "bad_input");
    EXPECT_EQ(code("proc.option/7/--secret-key"), "bad_input");
    EXPECT_EQ(code("config.xml/a/etc/ceph/ceph.conf"), "not_collected");
}

TEST(Environment, ValuesWithPasswordsAreLeftOut) {
    EXPECT_EQ(known_variables(std::string_view("MC_HOST_a=https://u:p@h\0MC_MTU=4096\0=\0UCX_TLS", 45)),
              "MC_MTU=4096\n");
    EXPECT_EQ(known_variables(""), "");
    EXPECT_EQ(option_values(std::string_view("x\0-u\0ftp://u:p@h", 16), "-u"), "");
}

}  // namespace
}  // namespace rd
