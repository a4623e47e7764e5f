// SPDX-License-Identifier: GPL-2.0-or-later
// Where the threads of the API meet the loop, whose book of alerts is nobody else's. Who asks, or has an order, leaves it here, wakes the
// loop, and waits a while. What nobody asks for costs nothing: to look through a full book takes the loop longer than anything it does.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "daemon/alerts/order.h"

namespace rd::daemon {

struct AlertsView {
    Stamp at;
    std::vector<Alert> alerts;
    std::vector<Silence> silences;
    std::uint64_t refused = 0;  // alerts for which the book had no room
};

class AlertDesk {
public:
    // `ring` wakes the loop, from any thread.
    explicit AlertDesk(std::function<void()> ring) : ring_(std::move(ring)) {}

    // On the loop's thread.
    using CarryOut = std::function<Result<Done>(const Order&)>;
    using LayOut = std::function<AlertsView()>;
    void serve(const CarryOut& carry_out, const LayOut& lay_out);
    void close();  // nobody serves any more: who waits is told so, and who comes

    // On any other. timed_out: the loop did not come to it, and never will.
    [[nodiscard]] Result<Done> order(Order order, std::chrono::nanoseconds patience);
    // timed_out as well.
    [[nodiscard]] Result<std::shared_ptr<const AlertsView>> view(std::chrono::nanoseconds patience);

private:
    struct Waiting {
        Order order;
        bool taken = false;
        std::optional<Result<Done>> done{};
    };

    std::function<void()> ring_;
    std::mutex mutex_;
    std::condition_variable served_;
    std::deque<std::shared_ptr<Waiting>> waiting_;
    std::uint64_t asked_ = 0, answered_ = 0;  // for a view: the number of the last who asked, and who has been answered
    std::shared_ptr<const AlertsView> view_;
    bool closed_ = false;
};

}  // namespace rd::daemon
