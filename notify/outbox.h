// SPDX-License-Identifier: GPL-2.0-or-later
// Room notify: rdmadoctor-notify, which delivers alerts over the network and does nothing else: it reads the spool that the daemon
// fills, and posts to Alertmanagers. It knows no host, no rule and no fact.
//
// This header: what is to be sent where, and what has been. No I/O and no clock. Alerts are state, not messages: what counts is that
// each Alertmanager comes to know the newest of each, that it is reminded of what is firing, and that it is told of every end.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace rd::notify {

using std::chrono::nanoseconds;

class Outbox {
public:
    static constexpr std::size_t kMostAtOnce = 64, kMostAlerts = 20'000;
    // How long one that is over is kept for an Alertmanager that does not answer, once another has taken it.
    static constexpr nanoseconds kKeepOver = std::chrono::minutes(15);

    Outbox(std::size_t receivers, nanoseconds resend) : receivers_(receivers), resend_(resend) {}

    // An entry of the spool, in their order. bad_input: it is none, and can be removed.
    [[nodiscard]] Result<> take(const std::string& entry, std::string_view text, std::int64_t now);
    // Entries that one Alertmanager at least has taken, each said once: they can be removed once standing() is written.
    [[nodiscard]] std::vector<std::string> delivered();

    // What is firing, to be remembered across restarts, and what was remembered: it is sent again.
    [[nodiscard]] std::string standing() const;
    [[nodiscard]] Result<> recall(std::string_view text, std::int64_t now);

    struct Batch {
        std::size_t receiver = 0;
        std::string body;  // of POST /api/v2/alerts
        std::size_t alerts = 0;
        std::uint64_t version = 0;  // the newest in it; 0: a reminder
        std::string last;           // where the reminder got to
    };
    // nullopt: nothing is due. At most one under way for each receiver.
    [[nodiscard]] std::optional<Batch> next(std::size_t receiver, std::int64_t now);
    void accepted(const Batch& batch, std::int64_t now);
    // It does not take what the batch holds. True: the batch was one alert, which is given up; else they are tried one by one.
    bool rejected(const Batch& batch, std::int64_t now);
    [[nodiscard]] std::int64_t due(std::size_t receiver) const;  // when the next reminder is

    [[nodiscard]] std::size_t size() const { return items_.size(); }

private:
    using Json = nlohmann::ordered_json;
    struct Item {
        Json alert;
        std::string fingerprint;
        std::uint64_t version = 0;
        std::optional<std::int64_t> over;  // since when
    };
    struct Receiver {
        std::uint64_t taken = 0;  // everything up to this version
        std::int64_t remind = 0;
        std::string reminded;  // the reminder under way has come to here
        std::size_t most = kMostAtOnce;
    };
    void put(Json alert, const std::string& at, std::int64_t now);
    void end(Item& item, const std::string& at, std::int64_t now);
    void tidy(std::int64_t now);
    void proceed(Receiver& receiver, const Batch& batch, std::int64_t now) const;

    std::vector<Receiver> receivers_;
    nanoseconds resend_;
    std::map<std::string, Item> items_;             // by their labels
    std::map<std::string, std::uint64_t> entries_;  // not yet delivered: the version that they came to
    std::uint64_t version_ = 0;
};

}  // namespace rd::notify
