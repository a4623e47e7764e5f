// SPDX-License-Identifier: GPL-2.0-or-later
// Events that threads put in and a drain takes out. Private to core/host/events.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/host/descriptor.h"
#include "core/host/events/source.h"

namespace rd::events {

class EventQueue {
public:
    [[nodiscard]] static Result<std::shared_ptr<EventQueue>> make();
    explicit EventQueue(Descriptor ready) : ready_(std::move(ready)) {}

    [[nodiscard]] int fd() const { return ready_.get(); }  // readable while there is something
    // An event that says the same as one that waits since less than a second is added to its count, so that what is not drained stays
    // small. Of very many, those that differ in details only as well.
    void push(HostEvent event);
    [[nodiscard]] EventSource::Left drain(const EventSource::Sink& sink, std::size_t most);

private:
    struct Waiting {
        HostEvent event;
        std::string key;
    };

    Descriptor ready_;
    std::mutex mutex_;
    std::list<Waiting> waiting_;
    std::unordered_map<std::string_view, std::list<Waiting>::iterator> newest_;  // of each key; views of Waiting::key
};

}  // namespace rd::events
