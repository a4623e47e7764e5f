// SPDX-License-Identifier: GPL-2.0-or-later
// libmicrohttpd on one listening socket. Private to the API; the only file that knows the library.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/host/descriptor.h"
#include "daemon/api/connections.h"
#include "daemon/api/query.h"
#include "daemon/frame.h"

struct MHD_Connection;

namespace rd::daemon {

// One request and its answer. Belongs to the server's thread, except between suspend() and resume(): then to whoever resumes it.
struct Exchange {
    MHD_Connection* connection = nullptr;
    Request request;
    std::optional<Reply> reply;
    std::shared_ptr<const Frame> frame;
    enum class State { fresh, accepted, waiting } state = State::fresh;
    bool too_long = false;  // its URL
    std::uint32_t uid = 0;  // of the client, as the kernel knows it; of a unix socket only

    void suspend();
    void resume();
};

struct Service {
    Connections* connections = nullptr;
    std::size_t places = 0;
    std::string only;           // the one path that is served; empty: all
    std::size_t most_body = 0;  // 0: GET and HEAD without a body; else POST of JSON, with one that is no larger
    std::function<bool(std::uint32_t uid)> admits;  // whose POSTs are taken
    std::function<void()> connected;
    // Gives the exchange its reply, or suspends it.
    std::function<void(const std::shared_ptr<Exchange>&)> begin;
    // After it has been resumed.
    std::function<void(Exchange&)> go_on;
};

class Server {
public:
    static Result<std::unique_ptr<Server>> start(Descriptor socket, Service service);
    void accept_no_more();  // who connects from now on waits in the queue of the socket
    ~Server();              // nothing may be suspended
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

private:
    struct Impl;
    explicit Server(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace rd::daemon
