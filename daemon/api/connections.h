// SPDX-License-Identifier: GPL-2.0-or-later
// Who is connected, and for how long he has been about his request. The library's own timeout begins anew with every byte, so that a
// client who sends one now and then would keep his place for ever. Here a request has to be complete in time, an answer has to be
// taken in time, and where all places are taken the newcomer gets that of whoever has been longest at his request.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace rd::daemon {

class Connections {
public:
    struct Times {
        std::size_t places = 0;
        std::int64_t request_ns = 0, answer_ns = 0;
    };
    explicit Connections(Times times) : times_(times) {}

    using Key = const void*;
    void add(Key key, int fd, std::int64_t now_ns);
    // Before the descriptor is closed: its number may be that of another one afterwards.
    void remove(Key key);
    void answering(Key key, std::int64_t now_ns);
    void reading(Key key, std::int64_t now_ns);

    void close_late(std::int64_t now_ns);
    [[nodiscard]] bool empty() const;
    // Until nobody is about a request, the first of a new connection included; no longer than that. Who is between two requests is not
    // waited for.
    void wait_idle(std::chrono::nanoseconds most) const;

private:
    struct One {
        int fd;
        std::int64_t since_ns;
        bool answering, closing;
        bool asked = false;  // at least once
    };
    static void close(One& one);

    Times times_;
    mutable std::mutex mutex_;
    mutable std::condition_variable less_;  // somebody is done, or has gone
    std::map<Key, One> all_;
};

}  // namespace rd::daemon
