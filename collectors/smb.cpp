// SPDX-License-Identifier: GPL-2.0-or-later
// SMB Direct: which mounts are to use RDMA, which do, and what signing makes of it; and whether the server of the kernel lets clients use
// several interfaces.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "collectors/common/files.h"
#include "collectors/common/mounts.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec text_row(std::string_view name, std::string_view doc) {
    return {Kind::host, name, Type::text, Nature::config, "", doc};
}

constexpr FactSpec kFacts[] = {
    text_row("declared_smb_rdma", "Places where /etc/fstab wants SMB Direct (option rdma), or none"),
    text_row("smb_rdma", "Places where SMB Direct is mounted, or none: /proc/self/mounts, option rdma"),
    text_row("smb_rdma_signed",
             "Those of them whose messages are signed or encrypted, or none: options sec=…i, sign, seal"),
    text_row("smb_rdma_on_tcp", "Places that /etc/fstab wants over RDMA and that are mounted without, or none"),
    {Kind::host, "declared_ksmbd_multichannel", Type::boolean, Nature::config, "",
     "The SMB server of the kernel is told to let a client use several interfaces: /etc/ksmbd/ksmbd.conf, server multi "
     "channel support; a gap where the file does not say"},
    {Kind::host, "ksmbd", Type::boolean, Nature::config, "",
     "The SMB server of the kernel is loaded: /sys/module/ksmbd"},
};

constexpr const FactSpec& kDeclared = row(kFacts, Kind::host, "declared_smb_rdma");
constexpr const FactSpec& kMounted = row(kFacts, Kind::host, "smb_rdma");
constexpr const FactSpec& kSigned = row(kFacts, Kind::host, "smb_rdma_signed");
constexpr const FactSpec& kOnTcp = row(kFacts, Kind::host, "smb_rdma_on_tcp");
constexpr const FactSpec& kMultichannel = row(kFacts, Kind::host, "declared_ksmbd_multichannel");
constexpr const FactSpec& kServer = row(kFacts, Kind::host, "ksmbd");

const Entity kHost{Kind::host, ""};

bool is_smb(const Mount& mount) { return mount.type == "cifs" || mount.type == "smb3"; }
bool over_rdma(const Mount& mount) { return is_smb(mount) && mount.has("rdma"); }

// sec=ntlmsspi, sec=krb5i: the last letter is for integrity.
bool is_signed(const Mount& mount) {
    const auto options = split(mount.options, ',');
    return mount.has("seal") || mount.has("sign") || std::any_of(options.begin(), options.end(), [](auto option) {
               return option.starts_with("sec=") && option.ends_with('i');
           });
}

void plan_mounts(const Host& host, Plan& plan) {
    const auto declared = read_mounts(host, std::string(kFstab));
    const auto mounted = read_mounts(host, "/proc/self/mounts");
    plan.set(kHost, kDeclared, declared.map([](const auto& all) { return Value(places(all, over_rdma)); }));
    plan.set(kHost, kMounted, mounted.map([](const auto& all) { return Value(places(all, over_rdma)); }));
    plan.set(kHost, kSigned, mounted.map([](const auto& all) {
        return Value(places(all, [](const Mount& mount) { return over_rdma(mount) && is_signed(mount); }));
    }));
    if (!declared || !mounted) {
        return plan.gap(kHost, kOnTcp, gap_from(declared ? mounted.error() : declared.error()));
    }
    std::set<std::string> wanted;
    for (const Mount& mount : *declared) {
        if (over_rdma(mount)) wanted.insert(mount.where);
    }
    plan.put(kHost, kOnTcp, places(*mounted, [&](const Mount& mount) {
                 return is_smb(mount) && !over_rdma(mount) && wanted.contains(mount.where);
             }));
}

Result<Value> as_multichannel(std::string_view text) {
    constexpr std::string_view kKey = "server multi channel support";
    std::string found;
    for (const std::string_view line : lines(text)) {
        const std::string_view word = trim(line);
        if (word.empty() || word.front() == '#' || word.front() == ';' || word.front() == '[') continue;
        const std::size_t equals = word.find('=');
        if (equals == std::string_view::npos) {
            return fail(Errc::bad_input, fmt::format("not a setting: '{}'", printable(word)));
        }
        if (trim(word.substr(0, equals)) == kKey) found = trim(word.substr(equals + 1));
    }
    if (found.empty()) return fail(Errc::not_supported, fmt::format("no line '{}': its version decides", kKey));
    return Value(found == "yes" || found == "true" || found == "1");
}

Result<Value> server_loaded(const Host& host) {
    const auto modules = host.list("/sys/module");
    if (!modules) return tl::unexpected<Error>(modules.error());
    return Value(std::find(modules->begin(), modules->end(), "ksmbd") != modules->end());
}

void discover(const Host& host, Plan& plan) {
    plan_mounts(host, plan);
    plan.set(kHost, kServer, server_loaded(host));
    plan.read("/etc/ksmbd/ksmbd.conf", kHost, kMultichannel, as_multichannel);
}

}  // namespace

extern const Collector smb;
constinit const Collector smb{"smb", kFacts, {}, Seconds(60), Rediscover::always, discover};

}  // namespace rd::collectors
