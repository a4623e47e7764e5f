// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "core/base/records.h"
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kRemote = "nqn.2024-01.org.example:s1#traddr=10.0.0.2,trsvcid=4420";

std::string line(std::string_view text, std::uint64_t facility = 0) {
    Record record;
    record.set("level", 6);
    record.set("facility", facility);
    record.set("us", 5);
    record.set("text", text);
    return record.text();
}

std::shared_ptr<FakeHost> host_with_target() {
    auto host = std::make_shared<FakeHost>();
    const std::string folder = "/sys/class/nvme/nvme1";
    host->file(folder + "/subsysnqn", "nqn.2024-01.org.example:s1\n")
        .file(folder + "/address", "traddr=10.0.0.2,trsvcid=4420\n")
        .file(folder + "/ctrl_loss_tmo", "off\n")
        .file(folder + "/fast_io_fail_tmo", "15\n")
        .file(folder + "/hostnqn", "nqn.2014-08.org.nvmexpress:uuid:1111\n")
        .file(folder + "/hostid", "2222\n")
        .file(folder + "/nvme2c1n1/ana_state", "optimized\n")
        .file("/sys/block/nvme2n1/queue/max_sectors_kb", "128\n")
        .file("/sys/block/nvme2n1/queue/max_hw_sectors_kb", "1024\n")
        .directory("/sys/block/nvme2n1/holders", {"dm-0", "md0"})
        .file("/sys/block/dm-0/dm/uuid", "mpath-eui.1\n")
        .file("/sys/module/nvme_rdma/parameters/register_always", "N\n")
        .directory("/etc/systemd/system", {"default.target.wants", "x.service"})
        .directory("/etc/systemd/system/default.target.wants", {"nvmf-autoconnect.service"})
        .file("kmsg", line("nvme nvme1: Failed reconnect attempt 41/60"));
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"nvme_fabrics"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::nvme, kRemote, fact); }

TEST(NvmeFabrics, OfAController) {
    const Snapshot now = look(host_with_target());
    EXPECT_EQ(of(now, "kept_for_ever"), "true");
    EXPECT_EQ(of(now, "io_waits"), "false");
    EXPECT_EQ(of(now, "host_id_differs"), "true");
    EXPECT_EQ(of(now, "mapped"), "true");
    EXPECT_EQ(of(now, "io_size"), "128");
    EXPECT_EQ(of(now, "io_size_max"), "1024");
    EXPECT_EQ(of(now, "reconnect_attempt"), "41");
    EXPECT_EQ(of(now, "reconnect_attempts_max"), "60");
    EXPECT_EQ(value(now, Kind::host, "", "nvme_register_always"), "false");
    EXPECT_EQ(value(now, Kind::host, "", "nvme_connects_at_boot"), "true");
    expect_complete(now, collector("nvme_fabrics"));
}

TEST(NvmeFabrics, Attempts) {
    const auto attempts = [](const std::string& log) {
        const auto host = host_with_target();
        host->file("kmsg", log);
        const Snapshot now = look(host);
        return of(now, "reconnect_attempt") + "/" + of(now, "reconnect_attempts_max");
    };
    const std::string failed = line("nvme nvme1: Failed reconnect attempt 7/60");
    EXPECT_EQ(attempts(failed), "7/60");
    EXPECT_EQ(attempts(line("nvme nvme1: Failed reconnect attempt 7/-1")), "7/0") << "no end";
    EXPECT_EQ(attempts(failed + line("nvme nvme1: Successfully reconnected (8 attempts)")), "0/0");
    EXPECT_EQ(attempts(failed + line("nvme nvme1: new ctrl: NQN \"x\", addr 10.0.0.2:4420")), "0/0");
    EXPECT_EQ(attempts(line("nvme nvme2: Failed reconnect attempt 7/60")), "0/0") << "another controller";
    EXPECT_EQ(attempts(line("nvme nvme1: Failed reconnect attempt 7/60", 3)), "0/0") << "not of the kernel";
    EXPECT_EQ(attempts(line("nvme nvme1: Failed reconnect attempt, requeueing...")), "0/0") << "no numbers";
    EXPECT_EQ(attempts(line("nvme nvme1: Failed reconnect attempt 7/")), "0/0");
}

TEST(NvmeFabrics, Identity) {
    const auto differs = [](std::string_view name, std::string_view id) {
        const auto host = host_with_target();
        host->file("/sys/class/nvme/nvme1/hostnqn", name).file("/sys/class/nvme/nvme1/hostid", id);
        return of(look(host), "host_id_differs");
    };
    EXPECT_EQ(differs("nqn.2014-08.org.nvmexpress:uuid:1111\n", "1111\n"), "false");
    EXPECT_EQ(differs("nqn.2024-01.org.example:web7\n", "1111\n"), "false") << "a name of no UUID";
}

TEST(NvmeFabrics, NothingHoldsTheDisk) {
    const auto host = host_with_target();
    host->directory("/sys/block/nvme2n1/holders", {"md0"});
    EXPECT_EQ(of(look(host), "mapped"), "false");
    host->directory("/sys/block/nvme2n1/holders", {"dm-0"}).file("/sys/block/dm-0/dm/uuid", "LVM-x\n");
    EXPECT_EQ(of(look(host), "mapped"), "false");
    host->gone("/sys/class/nvme/nvme1/nvme2c1n1");
    EXPECT_EQ(of(look(host), "mapped"), "gap(not offered)") << "no namespace";
}

TEST(NvmeFabrics, WithoutAUnitAtBoot) {
    const auto host = host_with_target();
    host->directory("/etc/systemd/system/default.target.wants", {"ssh.service"});
    EXPECT_EQ(value(look(host), Kind::host, "", "nvme_connects_at_boot"), "false");
}

TEST(NvmeFabrics, SurvivesBadInput) {
    Exceptions names;  // what the entity is called, and texts of which any is right
    for (const std::string_view name : {"subsysnqn", "address", "hostnqn", "hostid"}) {
        names.names.insert(fmt::format("/sys/class/nvme/nvme1/{}", name));
    }
    names.names.insert("/sys/block/dm-0/dm/uuid");
    expect_bad_input_is_survived(host_with_target, "nvme_fabrics", names);
}

}  // namespace
}  // namespace rd::collectors::test
