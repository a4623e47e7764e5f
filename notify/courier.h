// SPDX-License-Identifier: GPL-2.0-or-later
// The whole of rdmadoctor-notify but its signals and arguments: from the spool into the outbox, from there to the servers, and what was
// taken out of the spool.
#pragma once

#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "daemon/alerts/config.h"
#include "daemon/alerts/spool.h"
#include "notify/client.h"
#include "notify/outbox.h"

namespace rd::notify {

class Courier {
public:
    using Say = std::function<void(const std::string& line)>;

    Courier(const daemon::AlertmanagerConfig& config, daemon::Spool spool, Client client, Say say);

    // Takes in what is new, sends what is due, and waits for something to happen, at most until something is due. `wake`: descriptors
    // that end the wait as well.
    void turn(std::span<const int> wake);

private:
    struct Server {
        std::optional<Outbox::Batch> sent;
        std::int64_t not_before = 0;
        int failures = 0;  // in a row
    };
    void take_in();
    void send();
    void hear(const Answer& answer);
    void failed(std::size_t number, const std::string& why);
    void put_away();
    [[nodiscard]] std::chrono::milliseconds patience() const;

    daemon::AlertmanagerConfig config_;
    daemon::Spool spool_;
    Client client_;
    Outbox outbox_;
    Say say_;
    std::vector<Server> servers_;
    std::set<std::string> known_;  // entries that were taken in and are still there
    std::string remembered_;       // what the file of standing alerts holds
    std::string trouble_;          // with the spool, said once
    std::mt19937 random_{std::random_device{}()};
};

}  // namespace rd::notify
