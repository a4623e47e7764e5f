// SPDX-License-Identifier: GPL-2.0-or-later
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <system_error>
#include <thread>

#include "core/host/clock.h"
#include "core/host/events/uevent.h"
#include "core/host/events/verbs_watch.h"
#include "core/host/identity.h"

namespace rd::events {
namespace {

constexpr int kLookMs =
    10'000;  // what uevents have not told, for instance in a user namespace, which they do not reach
constexpr std::int64_t kFirstPauseNs = 10'000'000'000;
constexpr unsigned kMostDoublings = 6;
constexpr std::chrono::seconds kPatience{1};

// Knows which devices there are, and has each watched. Only it starts and ends watches; it asks no driver for anything, so that nothing keeps
// it from letting go of a device that is to be removed.
class Supervisor {
public:
    Supervisor(ContextPolicy policy, std::shared_ptr<EventQueue> queue, std::unique_ptr<Inbox> uevents, Descriptor stop)
        : policy_(policy), queue_(std::move(queue)), uevents_(std::move(uevents)), stop_(std::move(stop)) {}

    void run() {
        look();
        for (;;) {
            pollfd fds[2] = {{stop_.get(), POLLIN, 0}, {uevents_->fd(), POLLIN, 0}};
            (void)::poll(fds, 2, kLookMs);
            if (fds[0].revents) break;
            if (fds[1].revents == 0 || hear()) look();
        }
        leave();
    }
    void stop() const {
        const std::uint64_t one = 1;
        (void)!::write(stop_.get(), &one, sizeof(one));
    }

private:
    struct Pause {
        unsigned failures = 0;
        std::int64_t until = 0;
    };

    // true: there may be something new.
    bool hear() {
        bool changed = false;
        for (;;) {
            Bytes message;
            const auto got = uevents_->receive(message);
            if (!got || *got == Inbox::Got::nothing) return changed;
            if (*got == Inbox::Got::overrun) {
                changed = true;
                continue;
            }
            const auto uevent = decode_uevent(message);
            if (!uevent) continue;
            const std::string subsystem = uevent->property("SUBSYSTEM");
            if (subsystem != "infiniband" && subsystem != "infiniband_verbs") continue;
            if (uevent->action == "remove") {
                release(uevent->device);
                pauses_.erase(uevent->device);
            } else {
                going_.erase(uevent->device);
                changed = true;
            }
        }
    }

    // A node or a device goes. The node goes first, while its device can still be seen: that is not a device without a node.
    void release(const std::string& name) {
        for (const auto& watch : watches_) {
            if (watch->device.node != name && watch->device.name != name) continue;
            going_[watch->device.name] = steady_ns() + std::int64_t{kLookMs} * 1'000'000;
            watch->device_goes = true;
            watch->end();
        }
    }

    void look() {
        const std::vector<VerbsDevice> devices = verbs_devices(files_);
        const auto listed = [&](const VerbsDevice& device) {
            return std::find(devices.begin(), devices.end(), device) != devices.end();
        };
        const std::int64_t now = steady_ns();
        std::vector<std::shared_ptr<Watch>> kept;
        for (auto& watch : watches_) {
            if (!listed(watch->device)) {
                watch->device_goes = true;
                watch->end();
            }
            if (!watch->has_ended()) {
                kept.push_back(std::move(watch));
            } else if (!watch->device_goes) {
                Pause& pause = pauses_[watch->device.name];
                pause.until = now + (kFirstPauseNs << std::min(pause.failures++, kMostDoublings));
            }
        }
        watches_ = std::move(kept);
        std::erase_if(pauses_, [&](const auto& pause) {
            return std::none_of(devices.begin(), devices.end(),
                                [&](const VerbsDevice& device) { return device.name == pause.first; });
        });
        std::erase_if(going_, [&](const auto& going) { return going.second <= now; });
        for (const VerbsDevice& device : devices) {
            if (going_.count(device.name) != 0 && device.node.empty()) continue;
            const auto pause = pauses_.find(device.name);
            if (pause != pauses_.end() && pause->second.until > now) continue;
            if (!is_watched(device)) start(device);
        }
    }

    bool is_watched(const VerbsDevice& device) const {
        return std::any_of(watches_.begin(), watches_.end(),
                           [&](const auto& watch) { return watch->device == device && !watch->device_goes; });
    }

    void start(const VerbsDevice& device) {
        const auto decision = decide_context(policy_, device, [](std::string_view begin, std::string_view end) {
            return kernel_has_function(begin, end);
        });
        auto watch = start_watch(device, decision, queue_);
        if (watch) {
            watches_.push_back(std::move(*watch));
        } else {
            queue_->push(
                {current_stamp(), "verbs", "context-refused", device.name, {{"reason", watch.error().what}}, 1});
        }
    }

    // Contexts are to be closed when the source is gone. Who hangs in a driver is left behind.
    void leave() {
        for (const auto& watch : watches_) watch->end();
        const auto deadline = std::chrono::steady_clock::now() + kPatience;
        for (const auto& watch : watches_) (void)watch->ended.wait_until(deadline);
    }

    ContextPolicy policy_;
    std::shared_ptr<EventQueue> queue_;
    std::unique_ptr<Inbox> uevents_;
    Descriptor stop_;
    Files files_;
    std::vector<std::shared_ptr<Watch>> watches_;
    std::map<std::string, std::int64_t> going_;  // devices whose node has gone → how long that is believed
    std::map<std::string, Pause> pauses_;        // devices whose watch ended by itself
};

class VerbsSource final : public EventSource {
public:
    VerbsSource(std::shared_ptr<EventQueue> queue, std::unique_ptr<Supervisor> supervisor)
        : queue_(std::move(queue)), supervisor_(std::move(supervisor)), thread_([this] { supervisor_->run(); }) {}
    ~VerbsSource() override {
        supervisor_->stop();
        thread_.join();
    }
    VerbsSource(const VerbsSource&) = delete;
    VerbsSource& operator=(const VerbsSource&) = delete;

    int fd() const override { return queue_->fd(); }
    Result<Left> drain(const Sink& sink, std::size_t most) override { return queue_->drain(sink, most); }

private:
    std::shared_ptr<EventQueue> queue_;
    std::unique_ptr<Supervisor> supervisor_;
    std::thread thread_;
};

}  // namespace
}  // namespace rd::events

namespace rd {

EventSourceResult verbs_events(ContextPolicy policy) {
    auto queue = events::EventQueue::make();
    if (!queue) return tl::unexpected(std::move(queue.error()));
    // Without them a context would be held until the driver's removal had waited long.
    auto uevents = events::uevent_inbox();
    if (!uevents) return tl::unexpected(std::move(uevents.error()));
    Descriptor stop(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    if (!stop) return tl::unexpected(error_from_errno(errno, "eventfd"));
    auto supervisor = std::make_unique<events::Supervisor>(policy, *queue, std::move(*uevents), std::move(stop));
    try {
        return std::make_unique<events::VerbsSource>(std::move(*queue), std::move(supervisor));
    } catch (const std::system_error& error) {
        return fail(Errc::limit, std::string("verbs events: no thread: ") + error.what());
    }
}

}  // namespace rd
