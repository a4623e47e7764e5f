// SPDX-License-Identifier: GPL-2.0-or-later
// What is watched of one RDMA device, in a thread of its own: a driver whose firmware hangs may keep whoever asks it for a minute. Private to
// core/host/events.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <string>

#include "core/base/records.h"
#include "core/host/descriptor.h"
#include "core/host/events/queue.h"
#include "core/host/events/verbs_policy.h"

namespace rd::events {

// Shared by the thread and who started it, for the thread may outlive it in a driver.
struct Watch {
    VerbsDevice device;
    ContextDecision decision;
    std::shared_ptr<EventQueue> queue;
    Descriptor stop;  // eventfd, readable when the watch is to end
    std::atomic<bool> device_goes = false;
    std::future<void> ended;

    void end() const;
    [[nodiscard]] bool has_ended() const;
};
[[nodiscard]] Result<std::shared_ptr<Watch>> start_watch(VerbsDevice device, ContextDecision decision,
                                                         std::shared_ptr<EventQueue> queue);

// Names of ibv_event_type without IBV_EVENT_; "unclassified 42" for one that is younger than this program.
[[nodiscard]] std::string async_event_name(int type);
// Whether it names a port.
[[nodiscard]] bool is_port_event(int type);

// As sysfs writes them, or the number.
[[nodiscard]] std::string port_state_name(std::uint64_t state);
[[nodiscard]] std::string port_phys_state_name(std::uint64_t state);

}  // namespace rd::events
