// SPDX-License-Identifier: GPL-2.0-or-later
// HTTP POST of JSON to several servers, one request to each at a time, none of which is waited for: libcurl's own loop.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "daemon/alerts/config.h"

namespace rd::notify {

struct Answer {
    std::size_t server = 0;
    long status = 0;     // of HTTP; 0: there was none
    std::string reason;  // why there was none, else the beginning of what it said
    bool of_api = true;  // nothing else than an Alertmanager says: no body, or JSON
};

class Client {
public:
    // One server for each URL of the configuration.
    static Result<Client> open(const daemon::AlertmanagerConfig& config);
    Client(Client&&) noexcept;
    Client& operator=(Client&&) = delete;
    ~Client();  // gives up what is under way

    [[nodiscard]] bool busy(std::size_t server) const;
    // An Error: it could not even be begun.
    [[nodiscard]] Result<> post(std::size_t server, std::string body);
    // Waits until a request is over, one of `wake` is readable, or `limit` has passed.
    [[nodiscard]] std::vector<Answer> wait(std::span<const int> wake, std::chrono::milliseconds limit);

private:
    struct Server;
    Client();
    void* multi_ = nullptr;
    std::vector<std::unique_ptr<Server>> servers_;
    std::string bearer_token_file_;
};

}  // namespace rd::notify
