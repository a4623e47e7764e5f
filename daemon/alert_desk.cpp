// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/alert_desk.h"

#include <algorithm>

namespace rd::daemon {
namespace {

tl::unexpected<Error> nobody_serves() {
    return fail(Errc::timed_out, "the daemon is about to end", "try again when it is back");
}

}  // namespace

void AlertDesk::serve(const CarryOut& carry_out, const LayOut& lay_out) {
    std::unique_lock lock(mutex_);
    while (!waiting_.empty()) {
        const std::shared_ptr<Waiting> one = std::move(waiting_.front());
        waiting_.pop_front();
        one->taken = true;
        lock.unlock();
        Result<Done> done = carry_out(one->order);
        lock.lock();
        one->done = std::move(done);
        served_.notify_all();
    }
    if (answered_ == asked_) return;
    const std::uint64_t asked = asked_;
    lock.unlock();
    auto view = std::make_shared<const AlertsView>(lay_out());
    lock.lock();
    view_ = std::move(view);
    answered_ = asked;
    served_.notify_all();
}

Result<std::shared_ptr<const AlertsView>> AlertDesk::view(std::chrono::nanoseconds patience) {
    std::unique_lock lock(mutex_);
    const std::uint64_t mine = ++asked_;
    lock.unlock();
    ring_();
    lock.lock();
    const bool served = served_.wait_for(lock, patience, [&] { return closed_ || answered_ >= mine; });
    if (served && answered_ >= mine) return view_;
    return closed_ ? nobody_serves() : fail(Errc::timed_out, "the daemon did not come to it", "see its journal");
}

void AlertDesk::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (const auto& one : waiting_) one->done = nobody_serves();
    waiting_.clear();
    served_.notify_all();
}

Result<Done> AlertDesk::order(Order order, std::chrono::nanoseconds patience) {
    const auto mine = std::make_shared<Waiting>(Waiting{std::move(order)});
    std::unique_lock lock(mutex_);
    if (closed_) return nobody_serves();
    waiting_.push_back(mine);
    lock.unlock();
    ring_();
    lock.lock();
    const auto done = [&] { return mine->done.has_value(); };
    if (!served_.wait_for(lock, patience, done)) {
        if (!mine->taken) {
            std::erase(waiting_, mine);
            return fail(Errc::timed_out, "the daemon did not come to it; nothing is changed", "see its journal");
        }
        // It is at it, and must not be called undone.
        served_.wait(lock, done);
    }
    return std::move(*mine->done);
}

}  // namespace rd::daemon
