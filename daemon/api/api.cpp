// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/api/api.h"

#include <fmt/format.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "core/host/clock.h"
#include "daemon/api/connections.h"
#include "daemon/api/control.h"
#include "daemon/api/frames.h"
#include "daemon/api/routes.h"
#include "daemon/api/server.h"

namespace rd::daemon {
namespace {

constexpr std::chrono::milliseconds kLook{200};  // at the clock, while somebody is connected
// At the end: for who is about a request, and then for those to whom can only be said that nothing comes.
constexpr std::chrono::milliseconds kFinish{1500}, kRefuse{200};

}  // namespace

struct Api::Impl {
    Impl(FrameSource& source, AlertDesk& alerts, const ApiOptions& options)
        : frames(source),
          desk(alerts),
          times{options.places, std::chrono::nanoseconds(options.request).count(),
                std::chrono::nanoseconds(options.answer).count()},
          store(options.store),
          patience(options.frame) {}

    Frames frames;
    AlertDesk& desk;
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

    Result<> add(Descriptor socket, Service service);

    void wait_idle(std::chrono::nanoseconds most) {
        const std::int64_t until = steady_ns() + most.count();
        for (const Connections& one : connections) one.wait_idle(std::chrono::nanoseconds(until - steady_ns()));
    }

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
            exchange->reply = answer(request, {nullptr, store, desk}, metrics);
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
            exchange.reply = answer(exchange.request, {exchange.frame, store, desk}, metrics);
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

Result<> Api::Impl::add(Descriptor socket, Service service) {
    if (!socket) return {};
    service.places = times.places;
    service.connected = [this] { wake(); };
    service.connections = &connections.emplace_back(times);
    auto server = Server::start(std::move(socket), std::move(service));
    if (!server) return tl::unexpected(std::move(server.error()));
    servers.push_back(std::move(*server));
    return {};
}

Result<std::unique_ptr<Api>> Api::start(FrameSource& source, AlertDesk& desk, ApiOptions options) {
    auto impl = std::make_unique<Impl>(source, desk, options);
    Impl& self = *impl;
    std::unique_ptr<Api> api(new Api(std::move(impl)));
    Service all;
    all.begin = [&self](const std::shared_ptr<Exchange>& exchange) { self.serve(exchange); };
    all.go_on = [&self](Exchange& exchange) { self.serve_later(exchange); };
    Service metrics = all;
    metrics.only = "/metrics";
    Service orders;
    orders.most_body = kMostOrder;
    orders.admits = [](std::uint32_t uid) { return uid == 0 || uid == ::geteuid(); };
    orders.begin = [&self](const std::shared_ptr<Exchange>& exchange) {
        exchange->reply = take_order(exchange->request, user_name(exchange->uid), self.desk);
    };
    for (auto& [socket, service] : {std::pair(&options.socket, &all), std::pair(&options.metrics_socket, &metrics),
                                    std::pair(&options.control, &orders)}) {
        if (auto done = self.add(std::move(*socket), std::move(*service)); !done)
            return tl::unexpected(std::move(done.error()));
    }
    self.keeper = std::thread([&self] { self.keep(); });
    return api;
}

Api::~Api() {
    for (const auto& server : impl_->servers) server->accept_no_more();
    impl_->wait_idle(kFinish);
    // Nobody may be suspended when a server stops, and nobody gets suspended after this.
    impl_->frames.close();
    impl_->wait_idle(kRefuse);
    impl_->servers.clear();
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->over = true;
        impl_->woken.notify_one();
    }
    if (impl_->keeper.joinable()) impl_->keeper.join();
}

}  // namespace rd::daemon
