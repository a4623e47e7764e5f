// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

const std::string kConfig = "/sys/kernel/config/nvmet";

void add_port(FakeHost& host, int number, std::string_view type, std::string_view address,
              std::vector<std::string> subsystems) {
    const std::string port = fmt::format("{}/ports/{}", kConfig, number);
    host.file(port + "/addr_trtype", fmt::format("{}\n", type))
        .file(port + "/addr_traddr", fmt::format("{}\n", address))
        .file(port + "/addr_trsvcid", "4420\n")
        .file(port + "/param_inline_data_size", "16384\n")
        .directory(port + "/subsystems", std::move(subsystems));
}

void add_subsystem(FakeHost& host, std::string_view nqn, std::string_view any, std::string_view buffered) {
    const std::string folder = fmt::format("{}/subsystems/{}", kConfig, nqn);
    host.file(folder + "/attr_allow_any_host", any)
        .directory(folder + "/namespaces", {"1"})
        .file(folder + "/namespaces/1/enable", "1\n")
        .file(folder + "/namespaces/1/buffered_io", buffered);
}

std::shared_ptr<FakeHost> target() {
    auto host = std::make_shared<FakeHost>();
    add_port(*host, 1, "rdma", "192.0.2.1", {"nqn.a", "nqn.b"});
    add_port(*host, 2, "rdma", "fd00::1", {"nqn.a"});
    host->directory(kConfig + "/ports", {"1", "2"});
    add_subsystem(*host, "nqn.a", "1\n", "0\n");
    add_subsystem(*host, "nqn.b", "0\n", "1\n");
    host->file("/sys/module/nvmet_rdma/parameters/use_srq", "N\n");
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"nvmet"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::host, "", fact); }

TEST(Nvmet, WhatIsExported) {
    const Snapshot now = look(target());
    EXPECT_EQ(of(now, "nvmet_addresses"), "192.0.2.1:4420 [fd00::1]:4420");
    EXPECT_EQ(of(now, "nvmet_open_subsystems"), "nqn.a");
    EXPECT_EQ(of(now, "nvmet_buffered"), "1");
    EXPECT_EQ(of(now, "nvmet_inline_size"), "16384");
    EXPECT_EQ(of(now, "nvmet_use_srq"), "false");
    expect_complete(now, collector("nvmet"));
}

TEST(Nvmet, OnlyPortsOverRdmaThatExportSomething) {
    const auto host = target();
    add_port(*host, 1, "tcp", "192.0.2.1", {"nqn.b"});
    add_port(*host, 2, "rdma", "192.0.2.2", {});
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "nvmet_addresses"), "none");
    EXPECT_EQ(of(now, "nvmet_open_subsystems"), "none");
    EXPECT_EQ(of(now, "nvmet_buffered"), "0");
    EXPECT_EQ(of(now, "nvmet_inline_size"), "0");
}

TEST(Nvmet, ANamespaceThatIsOffDoesNotCount) {
    const auto host = target();
    host->file(kConfig + "/subsystems/nqn.b/namespaces/1/enable", "0\n");
    EXPECT_EQ(of(look(host), "nvmet_buffered"), "0");
}

TEST(Nvmet, AHostWithout) {
    const auto host = std::make_shared<FakeHost>();
    EXPECT_EQ(of(look(host), "nvmet_addresses"), "gap(not collected)");
    host->directory("/sys/kernel/config", {"rdma_cm"}).error(kConfig + "/ports", absent(kConfig + "/ports"));
    EXPECT_EQ(of(look(host), "nvmet_addresses"), "none");
}

TEST(Nvmet, AFolderThatIsTooFull) {
    const auto host = target();
    std::vector<std::string> names;
    for (int i = 0; i < 1025; ++i) names.push_back(std::to_string(i));
    host->directory(kConfig + "/ports", names);
    EXPECT_EQ(of(look(host), "nvmet_addresses"), "gap(error)");
}

TEST(Nvmet, SurvivesBadInput) {
    Exceptions names;
    for (const std::string_view port : {"1", "2"}) {
        // Whatever it says that is not rdma is another transport, and not every kernel has the second.
        names.names.insert(fmt::format("{}/ports/{}/addr_trtype", kConfig, port));
        names.names.insert(fmt::format("{}/ports/{}/param_inline_data_size", kConfig, port));
    }
    for (const std::string_view port : {"1", "2"})
        names.names.insert(fmt::format("{}/ports/{}/addr_traddr", kConfig, port));
    expect_bad_input_is_survived(target, "nvmet", names);
}

}  // namespace
}  // namespace rd::collectors::test
