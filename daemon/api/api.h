// SPDX-License-Identifier: GPL-2.0-or-later
// HTTP on sockets that are open already: everything on the unix socket, /metrics alone on a loopback one. Read-only: nothing but GET
// and HEAD is taken, a body is refused, and what is asked reaches no more than a frame, what lies on the desk, and a store opened for
// reading. Orders are POSTs of JSON on a socket of their own, from root and the daemon's own user (docs/decisions/0019).
//
// Threads: one a socket, which does all the work and, on that for orders, waits for the loop; at a lower priority than the recorder; one that looks at the clock, and sleeps while
// nobody is connected. They inherit the signal mask of whoever calls start(), which should have blocked what its loop waits for.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "core/host/descriptor.h"
#include "daemon/alert_desk.h"
#include "daemon/frame.h"

namespace rd::daemon {

struct ApiOptions {
    Descriptor socket;                          // listening
    Descriptor metrics_socket;                  // listening; none: no /metrics over TCP
    Descriptor control;                         // listening; none: no orders
    std::string store;                          // path of metrics.db, empty when nothing is kept
    std::size_t places = 64;                    // connections at a time, of each socket
    std::chrono::milliseconds frame{5000};      // as long as the recorder may take for a frame
    std::chrono::milliseconds request{10'000};  // … a client for his request, and between two of them
    std::chrono::milliseconds answer{30'000};   // … until the answer has been taken
};

class Api {
public:
    // `source` and `desk` must outlive the Api; the desk must be closed before the Api ends, or be served until then.
    static Result<std::unique_ptr<Api>> start(FrameSource& source, AlertDesk& desk, ApiOptions options);
    // Answers who is about a request, for no longer than two seconds; then closes the sockets and every connection.
    ~Api();
    Api(const Api&) = delete;
    Api& operator=(const Api&) = delete;

private:
    struct Impl;
    explicit Api(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace rd::daemon
