// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/verbs_watch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <optional>
#include <system_error>
#include <thread>

#include "core/base/text.h"
#include "core/host/clock.h"
#include "core/host/identity.h"
#include "core/host/rdma.h"
#include "core/host/verbs.h"

namespace rd::events {
namespace {

constexpr std::array<std::string_view, 20> kEvents{"CQ_ERR",
                                                   "QP_FATAL",
                                                   "QP_REQ_ERR",
                                                   "QP_ACCESS_ERR",
                                                   "COMM_EST",
                                                   "SQ_DRAINED",
                                                   "PATH_MIG",
                                                   "PATH_MIG_ERR",
                                                   "DEVICE_FATAL",
                                                   "PORT_ACTIVE",
                                                   "PORT_ERR",
                                                   "LID_CHANGE",
                                                   "PKEY_CHANGE",
                                                   "SM_CHANGE",
                                                   "SRQ_ERR",
                                                   "SRQ_LIMIT_REACHED",
                                                   "QP_LAST_WQE_REACHED",
                                                   "CLIENT_REREGISTER",
                                                   "GID_CHANGE",
                                                   "WQ_FATAL"};
constexpr std::array<std::string_view, 6> kStates{"NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER"};
constexpr std::array<std::string_view, 8> kPhysStates{
    "", "Sleep", "Polling", "Disabled", "PortConfigurationTraining", "LinkUp", "LinkErrorRecovery", "Phy Test"};

template <std::size_t N>
std::string name_or_number(const std::array<std::string_view, N>& names, std::uint64_t value) {
    return value < N && !names[value].empty() ? std::string(names[value]) : std::to_string(value);
}

constexpr int kOpenAttempts = 5;  // the node of a new device gets its rights a moment later
constexpr int kOpenPauseMs = 200;
constexpr int kMostInARow = 256;  // events, before it is looked whether the device goes
constexpr std::int64_t kPollNs = 10'000'000'000;
constexpr std::int64_t kSettleNs = 250'000'000;  // a port may follow its netdev a moment later

void say(const Watch& watch, const char* source, std::string name, std::string subject,
         std::vector<std::pair<std::string, std::string>> details) {
    watch.queue->push({current_stamp(), source, std::move(name), std::move(subject), std::move(details), 1});
}

std::string port_of(const Watch& watch, std::uint64_t port) { return fmt::format("{}/{}", watch.device.name, port); }

// Waits for one of the two; true: the watch is to end.
bool wait(const Watch& watch, int fd, short& happened, int timeout_ms) {
    pollfd fds[2] = {{watch.stop.get(), POLLIN, 0}, {fd, POLLIN, 0}};
    (void)::poll(fds, fd < 0 ? 1 : 2, timeout_ms);
    happened = fds[1].revents;
    return fds[0].revents != 0;
}

VerbsContext open_context(const Watch& watch) {
    for (int attempt = 1;; ++attempt) {
        auto context = open_verbs_context(watch.device.name, watch.device.name);
        if (context) return std::move(*context);
        short ignored = 0;
        if (attempt == kOpenAttempts) {
            say(watch, "verbs", "context-refused", watch.device.name, {{"reason", context.error().what}});
            return nullptr;
        }
        if (wait(watch, -1, ignored, kOpenPauseMs)) return nullptr;
    }
}

void put_state(ibv_context* context, std::uint8_t port, std::vector<std::pair<std::string, std::string>>& details) {
    ibv_port_attr attributes{};
    if (const int errnum = ibv_query_port(context, port, &attributes); errnum != 0) {
        details.emplace_back("state_error", error_from_errno(errnum, "ibv_query_port").what);
        return;
    }
    details.emplace_back("state", port_state_name(attributes.state));
    details.emplace_back("phys_state", port_phys_state_name(attributes.phys_state));
}

// What has come in; why the context has no future, if it has none.
std::string take_events(const Watch& watch, ibv_context* context) {
    for (int i = 0; i < kMostInARow; ++i) {
        ibv_async_event event{};
        if (ibv_get_async_event(context, &event) != 0) {
            if (errno == EAGAIN || errno == EINTR) return {};
            return error_from_errno(errno, "ibv_get_async_event").what;
        }
        const int type = event.event_type;
        const auto port = is_port_event(type) ? static_cast<std::uint8_t>(event.element.port_num) : std::uint8_t{0};
        const std::string text = ibv_event_type_str(event.event_type);
        ibv_ack_async_event(&event);
        std::vector<std::pair<std::string, std::string>> details;
        const std::string name = async_event_name(type);
        if (starts_with(name, "unclassified")) details.emplace_back("text", text);
        if (port != 0 && type != IBV_EVENT_GID_CHANGE) put_state(context, port, details);
        say(watch, "verbs", name, port ? port_of(watch, port) : watch.device.name, std::move(details));
        if (type == IBV_EVENT_DEVICE_FATAL) return name;
    }
    return {};
}

void hold_context(const Watch& watch) {
    VerbsContext context = open_context(watch);
    if (!context) return;
    const int flags = ::fcntl(context->async_fd, F_GETFL);
    if (flags < 0 || ::fcntl(context->async_fd, F_SETFL, flags | O_NONBLOCK) < 0) {
        return say(watch, "verbs", "context-refused", watch.device.name, {{"reason", "its event descriptor blocks"}});
    }
    say(watch, "verbs", "context-opened", watch.device.name,
        {{"driver", watch.device.driver}, {"reason", watch.decision.reason}});
    std::string reason;
    while (reason.empty()) {
        short happened = 0;
        if (wait(watch, context->async_fd, happened, -1)) {
            reason = watch.device_goes ? "the device goes" : "no longer wanted";
        } else if (happened & POLLIN) {
            reason = take_events(watch, context.get());
        } else if (happened & (POLLERR | POLLHUP | POLLNVAL)) {
            reason = "the device is gone";
        }
    }
    context.reset();
    say(watch, "verbs", "context-closed", watch.device.name, {{"reason", reason}});
}

struct Port {
    std::string state, phys_state, netdev;
};

class PortPoll {
public:
    explicit PortPoll(const Watch& watch) : watch_(watch) {}

    void run() {
        count_ports();
        for (std::uint64_t port = 1; port <= count_; ++port) look(port, false);
        const auto links = link_events();
        std::int64_t next = steady_ns() + kPollNs;
        for (;;) {
            short happened = 0;
            const std::int64_t left = std::max<std::int64_t>(next - steady_ns(), 0) / 1'000'000 + 1;
            if (wait(watch_, links ? (*links)->fd() : -1, happened, static_cast<int>(left))) return;
            const bool touched = links && happened && concerns(**links);
            // Others' interfaces may come and go all the time.
            if (!touched && steady_ns() < next) continue;
            next = steady_ns() + (touched ? kSettleNs : kPollNs);
            if (count_ == 0) count_ports();
            for (std::uint64_t port = 1; port <= count_; ++port) look(port, true);
        }
    }

private:
    void count_ports() {
        const auto text = RdmaReader(RdmaPart::device, watch_.device.name, 0, watch_.device.name).read();
        const auto record = text ? parse_record(*text) : tl::unexpected(text.error());
        if (!record) return complain(watch_.device.name, record.error());
        count_ = static_cast<std::uint64_t>(parse_counter(record->get("ports").value_or("0")).value_or(0));
    }

    // Whether what was said of interfaces concerns one that a port stands on.
    bool concerns(EventSource& links) const {
        bool found = false;
        auto left = EventSource::Left::more;
        while (left == EventSource::Left::more) {
            const auto drained = links.drain(
                [&](HostEvent&& event) {
                    if (event.name == "overrun") found = true;
                    for (const auto& [number, port] : ports_) found = found || port.netdev == event.subject;
                },
                kMostInARow);
            if (!drained) break;
            left = *drained;
        }
        return found;
    }

    void complain(const std::string& subject, const Error& error) {
        if (complaint_ == error.what) return;
        complaint_ = error.what;
        say(watch_, "port", "unreadable", subject,
            {{"class", std::string(name_of(error.code))}, {"reason", error.what}});
    }

    void look(std::uint64_t number, bool tell) {
        const std::string subject = port_of(watch_, number);
        const auto text =
            RdmaReader(RdmaPart::port, watch_.device.name, static_cast<std::uint32_t>(number), subject).read();
        const auto record = text ? parse_record(*text) : tl::unexpected(text.error());
        if (!record) return complain(subject, record.error());
        complaint_.clear();
        const auto named = [&](const char* key, std::string (*name)(std::uint64_t)) {
            const auto value = parse_counter(record->get(key).value_or(std::string()));
            return value ? name(static_cast<std::uint64_t>(*value)) : std::string("unknown");
        };
        const Port now{named("state", port_state_name), named("phys_state", port_phys_state_name),
                       record->get("netdev").value_or(std::string())};
        Port& known = ports_[number];
        if (tell && !known.state.empty() && known.state != now.state) {
            say(watch_, "port", "state", subject,
                {{"from", known.state}, {"to", now.state}, {"phys_state", now.phys_state}, {"netdev", now.netdev}});
        }
        known = now;
    }

    const Watch& watch_;
    std::uint64_t count_ = 0;
    std::map<std::uint64_t, Port> ports_;
    std::string complaint_;  // the last, not to be repeated every ten seconds
};

void poll_ports(const Watch& watch) {
    say(watch, "port", "context-not-held", watch.device.name,
        {{"driver", watch.device.driver}, {"reason", watch.decision.reason}});
    PortPoll(watch).run();
}

}  // namespace

std::string async_event_name(int type) {
    const auto number = static_cast<std::size_t>(type);
    return type >= 0 && number < kEvents.size() ? std::string(kEvents[number]) : fmt::format("unclassified {}", type);
}

bool is_port_event(int type) {
    switch (type) {
        case IBV_EVENT_PORT_ACTIVE:
        case IBV_EVENT_PORT_ERR:
        case IBV_EVENT_LID_CHANGE:
        case IBV_EVENT_PKEY_CHANGE:
        case IBV_EVENT_SM_CHANGE:
        case IBV_EVENT_CLIENT_REREGISTER:
        case IBV_EVENT_GID_CHANGE:
            return true;
        default:
            return false;
    }
}

std::string port_state_name(std::uint64_t state) { return name_or_number(kStates, state); }
std::string port_phys_state_name(std::uint64_t state) { return name_or_number(kPhysStates, state); }

void Watch::end() const {
    const std::uint64_t one = 1;
    (void)!::write(stop.get(), &one, sizeof(one));
}

bool Watch::has_ended() const { return ended.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

Result<std::shared_ptr<Watch>> start_watch(VerbsDevice device, ContextDecision decision,
                                           std::shared_ptr<EventQueue> queue) {
    Descriptor stop(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    if (!stop) return tl::unexpected(error_from_errno(errno, "eventfd"));
    auto watch = std::make_shared<Watch>();
    watch->device = std::move(device);
    watch->decision = std::move(decision);
    watch->queue = std::move(queue);
    watch->stop = std::move(stop);
    std::promise<void> done;
    watch->ended = done.get_future();
    try {
        std::thread([watch, done = std::move(done)]() mutable {
            if (watch->decision.hold) {
                hold_context(*watch);
            } else {
                poll_ports(*watch);
            }
            done.set_value();
        }).detach();
    } catch (const std::system_error& error) {
        return fail(Errc::limit, watch->device.name + ": no thread to watch it: " + error.what());
    }
    return watch;
}

}  // namespace rd::events
