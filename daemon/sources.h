// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's events on the loop: every source that this kernel and these privileges offer, drained a bounded number at a time, folded,
// and handed on. A source that ends is made anew.
#pragma once

#include <systemd/sd-event.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/host/events/fold.h"
#include "core/host/events/source.h"

namespace rd::daemon {

class Sources {
public:
    struct Out {
        std::function<void(const HostEvent&)> heard;  // each, for who must know how things stand: down, up, down
        std::function<void(const FoldedEvent&)> opened, closed;
    };
    Sources(sd_event* loop, ContextPolicy contexts, Out out);
    ~Sources();
    Sources(const Sources&) = delete;
    Sources& operator=(const Sources&) = delete;

    // Those that there are, and those that there are not with the reason: a line each.
    [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
    // What is still open: at the end.
    void close() { folder_.close_all(); }

private:
    struct Line;
    void add(std::string name, std::function<EventSourceResult()> make);
    bool open(Line& line, bool again);
    static int readable(sd_event_source* source, int fd, std::uint32_t events, void* line);
    static int again(sd_event_source* source, void* line);
    static int reopen(sd_event_source* source, std::uint64_t usec, void* line);
    static int due(sd_event_source* source, std::uint64_t usec, void* sources);
    void drain(Line& line);
    void arm();

    sd_event* loop_;
    std::function<void(const HostEvent&)> heard_;
    EventFolder folder_;
    sd_event_source* timer_ = nullptr;
    std::vector<std::unique_ptr<Line>> lines_;
    std::vector<std::string> notes_;
};

}  // namespace rd::daemon
