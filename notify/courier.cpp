// SPDX-License-Identifier: GPL-2.0-or-later
#include "notify/courier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/host/clock.h"

namespace rd::notify {
namespace {

constexpr std::string_view kStanding = "/standing";
constexpr std::size_t kMostStanding = 64 << 20;
constexpr std::chrono::milliseconds kLook{1000};  // should the notice of a new entry fail to come

// What no second attempt with the same alerts will change. Wrong paths and rights are put right by somebody, without a word to us.
bool refuses_the_alerts(long status) { return status == 400 || status == 413 || status == 422; }

}  // namespace

Courier::Courier(const daemon::AlertmanagerConfig& config, daemon::Spool spool, Client client, Say say)
    : config_(config),
      spool_(std::move(spool)),
      client_(std::move(client)),
      outbox_(config.urls.size(), config.resend),
      say_(std::move(say)),
      servers_(config.urls.size()) {
    const std::string path = spool_.directory() + std::string(kStanding);
    const auto text = daemon::read_whole(path, kMostStanding);
    if (!text && text.error().code == Errc::not_found) return;
    const auto recalled = text ? outbox_.recall(*text, steady_ns()) : tl::unexpected<Error>(text.error());
    if (recalled) {
        remembered_ = *text;
    } else {
        say_(fmt::format("{}: {}: what was firing is not known", path, recalled.error().what));
    }
}

void Courier::take_in() {
    const auto entries = spool_.entries();
    if (!entries) {
        if (std::exchange(trouble_, entries.error().what) != trouble_) say_(trouble_);
        return;
    }
    trouble_.clear();
    for (const std::string& entry : *entries) {
        if (known_.contains(entry)) continue;
        const auto text = spool_.read(entry);
        if (!text && text.error().code == Errc::not_found) continue;  // the daemon made room
        const auto taken = text ? outbox_.take(entry, *text, steady_ns()) : tl::unexpected<Error>(text.error());
        known_.insert(entry);
        if (taken) continue;
        say_(fmt::format("{}: {}", entry, taken.error().what));
        if (taken.error().code != Errc::bad_input) continue;
        if (!spool_.remove(entry)) say_(fmt::format("{}: cannot be removed", entry));
    }
    // Only what is still there can be asked for again.
    std::erase_if(known_, [&](const std::string& entry) { return !std::ranges::binary_search(*entries, entry); });
}

void Courier::send() {
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        Server& server = servers_[i];
        const std::int64_t now = steady_ns();
        if (client_.busy(i) || now < server.not_before) continue;
        server.sent = outbox_.next(i, now);
        if (!server.sent) continue;
        if (auto begun = client_.post(i, server.sent->body); !begun) failed(i, begun.error().what);
    }
}

void Courier::failed(std::size_t number, const std::string& why) {
    Server& server = servers_.at(number);
    if (server.failures++ == 0) say_(fmt::format("{}: {}", config_.urls.at(number), why));
    // Twice as long each time, and not all hosts of a fleet at once.
    const double longest = static_cast<double>(config_.retry_most.count());
    const double wait =
        std::min(longest, static_cast<double>(config_.retry.count()) * std::exp2(std::min(server.failures - 1, 40)));
    std::uniform_real_distribution<double> part(0.5, 1.0);
    server.not_before = steady_ns() + static_cast<std::int64_t>(wait * part(random_));
    server.sent.reset();
}

void Courier::hear(const Answer& answer) {
    Server& server = servers_.at(answer.server);
    if (!server.sent) return;
    if (answer.status >= 200 && answer.status < 300 && !answer.of_api) {
        // A login page, a proxy, another service: nobody there has taken an alert. An Alertmanager answers with nothing at all.
        failed(answer.server,
               fmt::format("status {}, but this is not what an Alertmanager answers (is it its URL?): {}",
                           answer.status, answer.reason));
    } else if (answer.status >= 200 && answer.status < 300) {
        if (server.failures > 0) say_(fmt::format("{}: answers again", config_.urls.at(answer.server)));
        server.failures = 0;
        server.not_before = 0;
        outbox_.accepted(*server.sent, steady_ns());
        server.sent.reset();
    } else if (refuses_the_alerts(answer.status)) {
        if (outbox_.rejected(*server.sent, steady_ns())) {
            say_(fmt::format("{}: refuses an alert: {} {}", config_.urls.at(answer.server), answer.status,
                             answer.reason));
        }
        server.sent.reset();
    } else if (answer.status != 0) {
        failed(answer.server, fmt::format("status {} {}", answer.status, answer.reason));
    } else {
        failed(answer.server, answer.reason);
    }
}

// First what is firing is remembered, then the entries that said so go: killed in between, it is sent twice, and not lost.
void Courier::put_away() {
    const std::vector<std::string> delivered = outbox_.delivered();
    if (delivered.empty()) return;
    std::string standing = outbox_.standing();
    if (standing != remembered_) {
        const auto written = daemon::write_whole(spool_.directory() + std::string(kStanding), standing, true);
        if (!written) return say_(written.error().what);  // the entries stay, for the next start
        remembered_ = std::move(standing);
    }
    for (const std::string& entry : delivered) {
        if (auto done = spool_.remove(entry); !done) say_(done.error().what);
    }
}

std::chrono::milliseconds Courier::patience() const {
    std::int64_t first = steady_ns() + nanoseconds(kLook).count();
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        if (!client_.busy(i)) first = std::min(first, std::max(servers_[i].not_before, outbox_.due(i)));
    }
    const nanoseconds left(std::max<std::int64_t>(0, first - steady_ns()));
    return std::chrono::ceil<std::chrono::milliseconds>(left);
}

void Courier::turn(std::span<const int> wake) {
    take_in();
    send();
    for (const Answer& answer : client_.wait(wake, patience())) hear(answer);
    put_away();
}

}  // namespace rd::notify
