// SPDX-License-Identifier: GPL-2.0-or-later
// The tables [alerts], [alerts.hook] and [alerts.alertmanager] of rdmadoctor.toml, which lists every key with its default.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/diagnosis/rule.h"

namespace rd::daemon {

using std::chrono::nanoseconds;

struct BookConfig {
    Severity least = Severity::low;  // findings below are no alerts
    nanoseconds hold{0};             // how long a finding must last, beyond the `for` of its rule; events do not wait
    nanoseconds clear_after{std::chrono::seconds(30)};  // over when it has been quiet for this long
    std::int64_t flap_count = 5;                        // comes this often …
    nanoseconds flap_window{
        std::chrono::minutes(10)};              // … within this time: it flaps, until it has been steady for as long
    nanoseconds repeat{std::chrono::hours(4)};  // told again while it lasts; 0: never
};

struct HookConfig {
    std::string path;   // of a program; empty: none
    std::string place;  // where the configuration says so, "FILE:LINE:COLUMN: alerts.hook.path"
    nanoseconds timeout{std::chrono::seconds(10)};
    std::int64_t at_once = 2;  // further ones wait
    std::int64_t queue = 100;  // the oldest of those that wait is dropped
};

struct AlertmanagerConfig {
    std::vector<std::string> urls;  // "https://alerts.example.net:9093"; the path of the API is appended; empty: none
    std::string spool = "/var/lib/rdmadoctor/spool";
    std::string spool_place = "alerts.alertmanager.spool";  // where the configuration says so
    std::int64_t most_entries = 10'000;
    std::int64_t most_bytes = 64 << 20;
    nanoseconds timeout{std::chrono::seconds(10)};    // of a request
    nanoseconds resend{std::chrono::minutes(1)};      // of what is firing: an Alertmanager forgets it otherwise
    nanoseconds retry{std::chrono::seconds(1)};       // after a failure, then twice as long, …
    nanoseconds retry_most{std::chrono::minutes(1)};  // … up to this
    std::string ca_file, cert_file, key_file;         // PEM; without ca_file the system's
    std::string bearer_token_file;
    std::string generator_url;  // shown by an Alertmanager as the source of alerts
};

struct AlertsConfig {
    BookConfig book;
    HookConfig hook;
    AlertmanagerConfig alertmanager;
};

// The table [alerts] of a whole file; the defaults where it has none. `origin` names the file in complaints.
[[nodiscard]] Result<AlertsConfig> parse_alerts_file(std::string_view text, std::string_view origin);

}  // namespace rd::daemon
