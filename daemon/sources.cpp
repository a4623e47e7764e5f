// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/sources.h"

#include <fmt/format.h>
#include <sys/epoll.h>

#include <algorithm>

#include "core/host/identity.h"
#include "daemon/log.h"

namespace rd::daemon {
namespace {

// A turn of the loop for one source. A flood of one must not keep the others from being heard.
constexpr std::size_t kMostATurn = 64;
constexpr std::uint64_t kReopenUsec = 5'000'000;

}  // namespace

struct Sources::Line {
    Sources* owner = nullptr;
    std::string name;
    std::function<EventSourceResult()> make;
    std::unique_ptr<EventSource> source;
    sd_event_source* io = nullptr;
    sd_event_source* more = nullptr;   // there is something that the descriptor does not show
    sd_event_source* later = nullptr;  // until it is made anew

    ~Line() {
        for (sd_event_source* one : {io, more, later}) sd_event_source_disable_unref(one);
    }
};

Sources::Sources(sd_event* loop, ContextPolicy contexts, Out out)
    : loop_(loop), heard_(std::move(out.heard)), folder_(std::move(out.opened), std::move(out.closed)) {
    // Also where no context is to be held: then it asks for the state of ports by netlink.
    add("verbs", [contexts] { return verbs_events(contexts); });
    add("link", link_events);
    add("address", address_events);
    add("rdma-monitor", rdma_monitor_events);
    add("uevent", uevents);
    add("devlink", devlink_events);
    add("kmsg", kmsg_events);
}

Sources::~Sources() {
    lines_.clear();
    sd_event_source_disable_unref(timer_);
}

void Sources::add(std::string name, std::function<EventSourceResult()> make) {
    auto line = std::make_unique<Line>();
    line->owner = this;
    line->name = std::move(name);
    line->make = std::move(make);
    if (open(*line, false)) lines_.push_back(std::move(line));
}

bool Sources::open(Line& line, bool again) {
    auto made = line.make();
    if (!made) {
        if (!again) notes_.push_back(fmt::format("no events of {}: {}", line.name, describe(made.error())));
        return false;
    }
    line.source = std::move(*made);
    return sd_event_add_io(loop_, &line.io, line.source->fd(), EPOLLIN, readable, &line) >= 0;
}

int Sources::readable(sd_event_source*, int, std::uint32_t, void* line) {
    Line& self = *static_cast<Line*>(line);
    self.owner->drain(self);
    return 0;
}

int Sources::again(sd_event_source*, void* line) {
    Line& self = *static_cast<Line*>(line);
    self.owner->drain(self);
    return 0;
}

int Sources::reopen(sd_event_source*, std::uint64_t, void* line) {
    Line& self = *static_cast<Line*>(line);
    self.later = sd_event_source_disable_unref(self.later);
    if (!self.owner->open(self, true)) {
        sd_event_add_time_relative(self.owner->loop_, &self.later, CLOCK_MONOTONIC, kReopenUsec, 0, reopen, &self);
    }
    return 0;
}

void Sources::drain(Line& line) {
    line.more = sd_event_source_disable_unref(line.more);
    const auto take = [&](HostEvent&& event) {
        heard_(event);
        folder_.add(std::move(event));
    };
    const auto left = line.source->drain(take, kMostATurn);
    if (!left) {
        log(Priority::warning,
            fmt::format("events of {} have ended and are asked for again: {}", line.name, left.error().what));
        line.io = sd_event_source_disable_unref(line.io);
        line.source.reset();
        sd_event_add_time_relative(loop_, &line.later, CLOCK_MONOTONIC, kReopenUsec, 0, reopen, &line);
    } else if (*left == EventSource::Left::more) {
        sd_event_add_defer(loop_, &line.more, again, &line);
        // After what else is waiting: signals, requests, the other sources.
        sd_event_source_set_priority(line.more, SD_EVENT_PRIORITY_IDLE);
    }
    arm();
}

int Sources::due(sd_event_source*, std::uint64_t, void* sources) {
    auto* self = static_cast<Sources*>(sources);
    self->folder_.close_until(current_stamp().boot_ns);
    self->arm();
    return 0;
}

// The folder is asked again when the oldest of what is open is to be closed.
void Sources::arm() {
    const auto next = folder_.due();
    if (!next) return;
    const std::int64_t wait = std::max<std::int64_t>(*next - current_stamp().boot_ns, 0) / 1000 + 1;
    timer_ = sd_event_source_disable_unref(timer_);
    sd_event_add_time_relative(loop_, &timer_, CLOCK_MONOTONIC, std::uint64_t(wait), 1000, due, this);
}

}  // namespace rd::daemon
