// SPDX-License-Identifier: GPL-2.0-or-later
// What logins may lock in memory by pam_limits. Services of systemd never see it, which many a guide forgets.
#include <fmt/format.h>

#include <algorithm>

#include "collectors/common/files.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::host, "declared_memlock_unlimited", Type::boolean, Nature::config, "",
     "Somebody may lock all memory after a login: /etc/security/limits.conf, limits.d, memlock unlimited"},
};
constexpr const FactSpec& kUnlimited = row(kFacts, Kind::host, "declared_memlock_unlimited");

constexpr std::string_view kFile = "/etc/security/limits.conf", kFolder = "/etc/security/limits.d";

// "* soft memlock unlimited", -1 is the same.
Result<bool> lifts_memlock(const std::string& file, std::string_view text) {
    bool lifts = false;
    for (const std::string_view line : lines(text)) {
        const auto fields = words(line.substr(0, line.find('#')));
        if (fields.empty()) continue;
        // "user -" alone takes all limits of a user away.
        if (fields.size() < 4 && !(fields.size() == 2 && fields[1] == "-")) {
            return fail(Errc::bad_input, fmt::format("{}: not a limit: '{}'", file, printable(line)));
        }
        lifts = lifts || (fields.size() >= 4 && fields[2] == "memlock" &&
                          (fields[3] == "unlimited" || fields[3] == "infinity" || fields[3] == "-1"));
    }
    return lifts;
}

Result<Value> any_lifts(const Host& host) {
    std::vector<std::string> files{std::string(kFile)};
    for (const std::string& name : host.list(kFolder).value_or(std::vector<std::string>{})) {
        if (name.ends_with(".conf")) files.push_back(fmt::format("{}/{}", kFolder, name));
    }
    bool any = false;
    for (const std::string& file : files) {
        const auto text = host.read(file);
        if (!text) return tl::unexpected<Error>(text.error());
        const auto lifts = lifts_memlock(file, *text);
        if (!lifts) return tl::unexpected<Error>(lifts.error());
        any = any || *lifts;
    }
    return Value(any);
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kFolder));
    plan.set({Kind::host, ""}, kUnlimited, any_lifts(host));
}

}  // namespace

extern const Collector login_limits;
constinit const Collector login_limits{"login_limits", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
