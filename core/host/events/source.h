// SPDX-License-Identifier: GPL-2.0-or-later
// Events of the machine: what the kernel says by itself, without being asked. They are no state, so they do not come through Host; this
// is a door of their own. Like Host it decodes to text and no further: what an event means is not said here.
//
// A source is a descriptor to wait for and a drain that never waits. What a source cannot know it says too: lost messages are an event
// "overrun", and what cannot be decoded an event "unreadable". Both are more than a remark: whoever counts events knows where not to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/host/host.h"

namespace rd {

struct HostEvent {
    Stamp at;             // when it was taken from the kernel
    std::string source;   // verbs · port · link · address · rdma-monitor · uevent · nvme · devlink · kmsg
    std::string name;     // the field's term: PORT_ERR, carrier-down, REGISTER, remove, health, …
    std::string subject;  // what the kernel calls it: mlx5_0/1, mlx5_0, ens1f0, "pci/0000:41:00.0 fw", nvme3
    std::vector<std::pair<std::string, std::string>>
        details;              // of the moment of the event; keys as in subjects.h where it has them
    std::uint64_t count = 1;  // how often it happened

    [[nodiscard]] std::string_view detail(std::string_view key) const;  // empty when there is none of this name

    friend bool operator==(const HostEvent&, const HostEvent&) = default;
};

// One thread at a time.
class EventSource {
public:
    using Sink = std::function<void(HostEvent&&)>;
    enum class Left {
        nothing,  // wait for the descriptor
        more,     // call again: some are held back in here, and the descriptor need not show it
    };

    virtual ~EventSource() = default;
    // Readable when there is something to drain (level-triggered). Stays the source's own.
    [[nodiscard]] virtual int fd() const = 0;
    // Hands over at most `most` events (at least 1) and looks at a bounded number of messages, whatever comes of them. An Error: the
    // source is at its end and wants to be made anew.
    [[nodiscard]] virtual Result<Left> drain(const Sink& sink, std::size_t most) = 0;
};

using EventSourceResult = Result<std::unique_ptr<EventSource>>;

// Whether to hold a verbs context of each device, which is the only way to its asynchronous events. A driver that cannot take a device
// away under an open context (most drivers of software devices among them) waits in its removal until the last one is closed.
enum class ContextPolicy {
    automatic,  // where the driver can (verbs_policy.h)
    always,  // everywhere; a context is closed at once when its device goes, but `rmmod` of a driver that cannot is refused
    never,
};

// verbs: asynchronous events of every RDMA device whose context is held, by the names of ibv_event_type without IBV_EVENT_, with the
// state of the port in `details` (state, phys_state). GID_CHANGE comes in thousands, so it has no state, and equal ones within a second
// are counted. Of itself it says context-opened, context-closed (reason), context-refused (reason).
// port: of devices whose context is not held: context-not-held (driver, reason), and "state" when the state of a port has changed (from, to,
// phys_state), by RDMA netlink after each change of its netdev and every ten seconds.
// Devices that appear are taken up, and what was held of one that goes is released at once, by threads of the source: neither waits for drain,
// nor drain for a driver. They have the signal mask of who makes the source. It ends within a second; a thread that hangs in a driver is
// left behind.
[[nodiscard]] EventSourceResult verbs_events(ContextPolicy policy);

// link: appeared, removed, renamed, admin-up/-down, carrier-up/-down (count as the kernel counts them, so that flaps between two messages are
// not lost), operstate, mtu, master, mac, of the interfaces of this network namespace. After an overrun the interfaces are listed, and what
// has changed is reported with found_by=dump.
[[nodiscard]] EventSourceResult link_events();

// address: added, removed, dad-failed. Each is a change of a GID table where the interface carries RDMA. Overruns as with link.
[[nodiscard]] EventSourceResult address_events();

// rdma-monitor (Linux 6.12): REGISTER, UNREGISTER, NETDEV_ATTACH, NETDEV_DETACH, RENAME, NETDEV_RENAME. not_supported where the kernel has no
// monitor: then uevent tells of devices.
[[nodiscard]] EventSourceResult rdma_monitor_events();

// uevent: the ACTION (add, remove, move, change, …) of devices of the subsystems infiniband, infiniband_verbs and net.
// nvme: the same of nvme, nvme-fabrics and nvme-subsystem; for a change what NVME_EVENT says (connected, rediscover), or "aen" (aen).
[[nodiscard]] EventSourceResult uevents();

// devlink: health, when a health reporter has changed (state, errors, recoveries). not_supported where the kernel has no devlink.
[[nodiscard]] EventSourceResult devlink_events();

// kmsg: lines that the kernel writes from now on, at level warning or worse or with a word of RDMA in them (log_line.h); the name is the
// level's. details: text, level, seq, us (the kernel's time since boot), device, subsystem.
[[nodiscard]] EventSourceResult kmsg_events();

}  // namespace rd
