// SPDX-License-Identifier: GPL-2.0-or-later
// What the host side of NVMe over fabrics does when a target is gone, how far it has come with that, and by which name it calls itself.
// Keys and secrets stand in /etc/nvme: of that folder nothing is read.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "collectors/common/files.h"
#include "collectors/common/nvme.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec flag(Kind kind, std::string_view name, std::string_view doc) {
    return {kind, name, Type::boolean, Nature::config, "", doc};
}
constexpr FactSpec attempts(std::string_view name, std::string_view doc) {
    return {Kind::nvme, name, Type::integer, Nature::gauge, "attempts", doc};
}
constexpr FactSpec limit(std::string_view name, std::string_view doc) {
    return {Kind::nvme, name, Type::integer, Nature::config, "KiB", doc};
}

constexpr FactSpec kFacts[] = {
    flag(Kind::nvme, "kept_for_ever",
         "It is never removed, however long its target is gone: file ctrl_loss_tmo says off"),
    flag(Kind::nvme, "io_waits",
         "Commands wait as long as the controller is there instead of failing: file fast_io_fail_tmo says off"),
    flag(Kind::nvme, "host_id_differs",
         "The name of the host is made of another UUID than its id: files hostnqn, hostid; false where the name is "
         "made of none"),
    flag(Kind::nvme, "mapped", "Device mapper multipath holds a namespace of it: /sys/block/nvmeXnY/holders, dm/uuid"),
    limit("io_size", "Largest input or output the block layer sends: queue/max_sectors_kb of the first namespace"),
    limit("io_size_max", "Largest the transport can carry: queue/max_hw_sectors_kb of the first namespace"),
    attempts(
        "reconnect_attempt",
        "Failed attempts to connect since it was lost, 0 when it was not: kernel log, \"Failed reconnect attempt\""),
    attempts("reconnect_attempts_max",
             "After so many it is removed, 0 when never or not lost: kernel log, \"Failed reconnect attempt\""),
    flag(Kind::host, "nvme_register_always",
         "NVMe over RDMA registers memory for every command: /sys/module/nvme_rdma/parameters/register_always"),
    flag(Kind::host, "nvme_connects_at_boot",
         "A unit connects NVMe over fabrics at boot (nvmf-autoconnect, stacd, stafd): links below "
         "/etc/systemd/system/*.wants"),
};

constexpr const FactSpec& kKept = row(kFacts, Kind::nvme, "kept_for_ever");
constexpr const FactSpec& kWaits = row(kFacts, Kind::nvme, "io_waits");
constexpr const FactSpec& kDiffers = row(kFacts, Kind::nvme, "host_id_differs");
constexpr const FactSpec& kMapped = row(kFacts, Kind::nvme, "mapped");
constexpr const FactSpec& kSize = row(kFacts, Kind::nvme, "io_size");
constexpr const FactSpec& kSizeMax = row(kFacts, Kind::nvme, "io_size_max");
constexpr const FactSpec& kAttempt = row(kFacts, Kind::nvme, "reconnect_attempt");
constexpr const FactSpec& kAttemptsMax = row(kFacts, Kind::nvme, "reconnect_attempts_max");
constexpr const FactSpec& kRegister = row(kFacts, Kind::host, "nvme_register_always");
constexpr const FactSpec& kAtBoot = row(kFacts, Kind::host, "nvme_connects_at_boot");

const Entity kHost{Kind::host, ""};
constexpr std::string_view kLog = "kmsg";

// "off", or seconds.
Result<Value> as_off(std::string_view text) {
    if (trim(text) == "off") return Value(true);
    const auto seconds = parse_integer(text);
    if (!seconds) return tl::unexpected<Error>(seconds.error());
    return Value(*seconds < 0);
}

// nqn.2014-08.org.nvmexpress:uuid:… and a host id: whether they name two hosts.
Result<Value> identity_differs(const Host& host, const NvmeController& one) {
    const auto name = read_word(host, one.path + "/hostnqn");
    if (!name) return tl::unexpected<Error>(name.error());
    const auto id = read_word(host, one.path + "/hostid");
    if (!id) return tl::unexpected<Error>(id.error());
    constexpr std::string_view kUuid = ":uuid:";
    const std::size_t at = name->find(kUuid);
    return Value(at != std::string::npos && std::string_view(*name).substr(at + kUuid.size()) != *id);
}

// "nvme0c1n3" and "nvme0n3" are both of the block device nvme0n3.
std::optional<std::string> block_device(std::string_view name) {
    if (!name.starts_with("nvme")) return std::nullopt;
    const std::size_t n = name.find_last_of('n');
    if (n < 5 || !parse_counter(name.substr(n + 1))) return std::nullopt;
    const std::string_view front = name.substr(4, n - 4);
    const std::string_view subsystem = front.substr(0, front.find('c'));
    if (!parse_counter(subsystem)) return std::nullopt;
    return fmt::format("nvme{}{}", subsystem, name.substr(n));
}

Result<Value> held_by_multipath(const Host& host, const std::vector<std::string>& disks) {
    for (const std::string& disk : disks) {
        const auto holders = host.list(fmt::format("/sys/block/{}/holders", disk));
        if (!holders) return tl::unexpected<Error>(holders.error());
        for (const std::string& holder : *holders) {
            if (!holder.starts_with("dm-")) continue;
            const auto uuid = read_word(host, fmt::format("/sys/block/{}/dm/uuid", holder));
            if (!uuid) return tl::unexpected<Error>(uuid.error());
            if (uuid->starts_with("mpath-")) return Value(true);
        }
    }
    return Value(false);
}

void plan_disks(const Host& host, const NvmeController& one, Plan& plan) {
    const auto names = host.list(one.path);
    std::vector<std::string> disks;
    for (const std::string& name : names.value_or(std::vector<std::string>{})) {
        if (auto disk = block_device(name)) disks.push_back(std::move(*disk));
    }
    if (disks.empty()) {
        const Gap gap = names ? not_offered(one.path + ": no namespace") : gap_from(names.error());
        for (const FactSpec* spec : {&kMapped, &kSize, &kSizeMax}) plan.gap(one.entity, *spec, gap);
        return;
    }
    plan.set(one.entity, kMapped, held_by_multipath(host, disks));
    const std::string queue = fmt::format("/sys/block/{}/queue", disks.front());
    plan.read(queue + "/max_sectors_kb", one.entity, kSize, as_count);
    plan.read(queue + "/max_hw_sectors_kb", one.entity, kSizeMax, as_count);
}

struct Progress {
    std::int64_t attempt = 0, most = 0;
};

// "nvme nvme0: Failed reconnect attempt 59/60"; -1 for no end.
std::optional<Progress> attempt_in(std::string_view text) {
    constexpr std::string_view kWords = "Failed reconnect attempt ";
    const std::size_t at = text.find(kWords);
    if (at == std::string_view::npos) return std::nullopt;
    text.remove_prefix(at + kWords.size());
    Progress progress;
    const char* const end = text.data() + text.size();
    const auto [slash, bad] = std::from_chars(text.data(), end, progress.attempt);
    if (bad != std::errc() || slash == end || *slash != '/') return std::nullopt;
    if (std::from_chars(slash + 1, end, progress.most).ec != std::errc()) return std::nullopt;
    progress.most = std::max<std::int64_t>(progress.most, 0);
    return progress;
}

std::map<std::string, Progress, std::less<>> progress_in(const std::vector<Record>& records) {
    constexpr std::string_view kDriver = "nvme ";
    std::map<std::string, Progress, std::less<>> found;
    for (const Record& record : records) {
        const std::string text = record.get("text").value_or(std::string());
        if (record.get("facility") != "0" || !text.starts_with(kDriver)) continue;
        const std::size_t colon = text.find(':');
        if (colon == std::string::npos) continue;
        const std::string name = text.substr(kDriver.size(), colon - kDriver.size());
        if (const auto progress = attempt_in(text)) found[name] = *progress;
        // What came before is over: it is connected, gone, or was made anew under the same name.
        for (const std::string_view end : {"Successfully reconnected", "Removing ctrl", "new ctrl: NQN"}) {
            if (text.find(end) != std::string::npos) found.erase(name);
        }
    }
    return found;
}

void plan_attempts(const std::vector<NvmeController>& controllers, Plan& plan) {
    std::vector<Cover> covers;
    std::map<std::string, Entity, std::less<>> entities;
    for (const NvmeController& one : controllers) {
        entities.emplace(one.name, one.entity);
        covers.push_back({one.entity, &kAttempt});
        covers.push_back({one.entity, &kAttemptsMax});
    }
    if (covers.empty()) return;
    plan.lane("kernel log");
    plan.every(Seconds(10));
    plan.decode(std::string(kLog), covers, [=](std::string_view text, Facts& out) {
        const auto records = parse_records(text);
        if (!records) {
            return gap_all(
                covers, gap_from({records.error().code, fmt::format("{}: {}", kLog, records.error().what), {}}), out);
        }
        auto found = progress_in(*records);
        for (const auto& [name, entity] : entities) {
            const Progress progress = found[name];
            out.put(entity, kAttempt, progress.attempt);
            out.put(entity, kAttemptsMax, progress.most);
        }
    });
}

Result<Value> connects_at_boot(const Host& host) {
    constexpr std::string_view kUnits = "/etc/systemd/system";
    const auto folders = host.list(kUnits);
    if (!folders) return tl::unexpected<Error>(folders.error());
    for (const std::string& folder : *folders) {
        if (!folder.ends_with(".wants")) continue;
        const auto units = host.list(fmt::format("{}/{}", kUnits, folder));
        if (!units) return tl::unexpected<Error>(units.error());
        for (const std::string& unit : *units) {
            if (unit.starts_with("nvmf-") || unit == "stacd.service" || unit == "stafd.service") return Value(true);
        }
    }
    return Value(false);
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kNvme));
    plan.read("/sys/module/nvme_rdma/parameters/register_always", kHost, kRegister, as_switch);
    plan.set(kHost, kAtBoot, connects_at_boot(host));
    // Without a list the collector of the controllers says so.
    const auto controllers = nvme_controllers(host).value_or(std::vector<NvmeController>{});
    for (const NvmeController& one : controllers) {
        plan.lane(one.name);
        plan.read(one.path + "/ctrl_loss_tmo", one.entity, kKept, as_off);
        plan.read(one.path + "/fast_io_fail_tmo", one.entity, kWaits, as_off);
        plan.set(one.entity, kDiffers, identity_differs(host, one));
        plan_disks(host, one, plan);
    }
    plan_attempts(controllers, plan);
}

}  // namespace

extern const Collector nvme_fabrics;
constinit const Collector nvme_fabrics{"nvme_fabrics", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
