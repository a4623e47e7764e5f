// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/api/api.h"

#include <fmt/format.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "core/host/clock.h"
#include "daemon/api/connections.h"
#include "daemon/api/frames.h"
#include "daemon/api/routes.h"
#include "daemon/api/server.h"

namespace rd::daemon {
namespace {

constexpr std::chrono::milliseconds kLook{200};  // at the clock, while somebody is connected

}  // namespace

struct Api::Impl {
    Impl(FrameSource& source, const ApiOptions& options)
        : frames(source),
          times{options.places, std::chrono::nanoseconds(options.request).count(),
                std::chrono::nanoseconds(options.answer).count()},
          store(options.store),
          patience(options.frame) {}

    Frames frames;
    Connections::Times times;
    std::deque<Connections>
        connections;  // of each server: a crowd at one leaves the other alone; they stay where they are
    MetricsText metrics;
    std::string store;
    std::chrono::nanoseconds patience;
    std::vector<std::unique_ptr<Server>> servers;

    std::mutex mutex;
    std::condition_variable woken;
    bool somebody = false, over = false;
    std::thread keeper;

    void keep() {
        std::unique_lock lock(mutex);
        while (!over) {
            if (!somebody) {
                woken.wait(lock);
                continue;
            }
            woken.wait_for(lock, kLook);
            somebody = false;  // whoever comes now says so
            lock.unlock();
            const std::int64_t now = steady_ns();
            frames.expire(now);
            bool left = false;
            for (Connections& one : connections) {
                one.close_late(now);
                left = left || !one.empty();
            }
            lock.lock();
            somebody = somebody || left;
        }
    }
    void wake() {
        const std::lock_guard lock(mutex);
        somebody = true;
        woken.notify_one();
    }

    void serve(const std::shared_ptr<Exchange>& exchange) {
        const Request& request = exchange->request;
        if (!needs_frame(request)) {
            exchange->reply = answer(request, nullptr, store, metrics);
            return;
        }
        exchange->suspend();
        frames.wait(
            [exchange](std::shared_ptr<const Frame> frame) {
                exchange->frame = std::move(frame);
                exchange->resume();
            },
            steady_ns() + patience.count());
    }
    void serve_later(Exchange& exchange) {
        if (exchange.frame) {
            exchange.reply = answer(exchange.request, exchange.frame, store, metrics);
        } else {
            exchange.reply = failure(503,
                                     fmt::format("the recorder had nothing to show within {} s",
                                                 std::chrono::duration<double>(patience).count()),
                                     "a read that hangs in the kernel may hold it up: see the journal of the daemon");
        }
        exchange.frame.reset();
    }
};

Api::Api(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<Api>> Api::start(FrameSource& source, ApiOptions options) {
    auto impl = std::make_unique<Impl>(source, options);
    Impl& self = *impl;
    std::unique_ptr<Api> api(new Api(std::move(impl)));
    Service service;
    service.places = options.places;
    service.connected = [&self] { self.wake(); };
    service.begin = [&self](const std::shared_ptr<Exchange>& exchange) { self.serve(exchange); };
    service.go_on = [&self](Exchange& exchange) { self.serve_later(exchange); };
    for (int i = 0; i < 2; ++i) self.connections.emplace_back(self.times);
    self.keeper = std::thread([&self] { self.keep(); });
    for (Descriptor* socket : {&options.socket, &options.metrics_socket}) {
        if (!*socket) continue;
        const bool metrics = socket == &options.metrics_socket;
        service.connections = &self.connections[metrics ? 1 : 0];
        service.only = metrics ? "/metrics" : "";
        auto server = Server::start(std::move(*socket), service);
        if (!server) return tl::unexpected(std::move(server.error()));
        self.servers.push_back(std::move(*server));
    }
    return api;
}

Api::~Api() {
    // Nobody may be suspended when a server stops, and nobody gets suspended after this.
    impl_->frames.close();
    impl_->servers.clear();
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->over = true;
        impl_->woken.notify_one();
    }
    impl_->keeper.join();
}

}  // namespace rd::daemon
