// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/api/connections.h"

#include <sys/socket.h>

#include <algorithm>

namespace rd::daemon {

// The library sees the end of the stream and takes it from there.
void Connections::close(One& one) {
    one.closing = true;
    static_cast<void>(::shutdown(one.fd, SHUT_RDWR));
}

void Connections::add(Key key, int fd, std::int64_t now_ns) {
    const std::lock_guard lock(mutex_);
    all_[key] = {fd, now_ns, false, false};
    std::size_t open = 0;
    One* longest = nullptr;
    for (auto& [other, one] : all_) {
        if (one.closing) continue;
        ++open;
        if (other != key && !one.answering && (longest == nullptr || one.since_ns < longest->since_ns)) longest = &one;
    }
    if (open > times_.places && longest != nullptr) close(*longest);
}

void Connections::remove(Key key) {
    const std::lock_guard lock(mutex_);
    all_.erase(key);
    less_.notify_all();
}

void Connections::answering(Key key, std::int64_t now_ns) {
    const std::lock_guard lock(mutex_);
    if (const auto place = all_.find(key); place != all_.end() && !place->second.answering) {
        place->second.answering = place->second.asked = true;
        place->second.since_ns = now_ns;
    }
}

void Connections::reading(Key key, std::int64_t now_ns) {
    const std::lock_guard lock(mutex_);
    if (const auto place = all_.find(key); place != all_.end()) {
        place->second.answering = false;
        place->second.since_ns = now_ns;
        less_.notify_all();
    }
}

void Connections::close_late(std::int64_t now_ns) {
    const std::lock_guard lock(mutex_);
    for (auto& [key, one] : all_) {
        const std::int64_t most = one.answering ? times_.answer_ns : times_.request_ns;
        if (!one.closing && now_ns - one.since_ns > most) close(one);
    }
}

void Connections::wait_idle(std::chrono::nanoseconds most) const {
    std::unique_lock lock(mutex_);
    less_.wait_for(lock, most, [&] {
        return std::ranges::none_of(all_, [](const auto& of) {
            const One& one = of.second;
            return !one.closing && (one.answering || !one.asked);
        });
    });
}

bool Connections::empty() const {
    const std::lock_guard lock(mutex_);
    return all_.empty();
}

}  // namespace rd::daemon
