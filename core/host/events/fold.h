// SPDX-License-Identifier: GPL-2.0-or-later
// Makes one of events that say the same within a second, so that a flood costs a row and not a hundred thousand. Nothing is lost from the
// counts: what comes out adds up to what came in. Pure: the time is that of the events.
//
// The first of a kind is told at once, for nobody who waits for it should wait for what may still come; its count is final when it closes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/host/events/source.h"

namespace rd {

struct FoldedEvent {
    std::uint64_t id = 0;  // counts up from 1, the same when it opens and when it closes
    HostEvent event;       // the first, with the count of all
    Stamp last;            // when the last one was
};

// What makes events the same: source, name, subject, and the shape of what they say (detail "text"; log_line.h).
[[nodiscard]] std::string fold_key(const HostEvent& event);

class EventFolder {
public:
    struct Limits {
        std::chrono::nanoseconds window{std::chrono::seconds{1}};  // from the first to the last
        std::size_t open = 4096;                                   // kinds at a time; beyond, the oldest closes early
    };
    using Out = std::function<void(const FoldedEvent&)>;

    // `opened` is called for the first of a kind, `closed` when no more is added to it: once each, for every one.
    EventFolder(Out opened, Out closed) : EventFolder(std::move(opened), std::move(closed), Limits{}) {}
    EventFolder(Out opened, Out closed, Limits limits);

    // Closes what is due at the event's time, too.
    void add(HostEvent event);
    void close_until(std::int64_t boot_ns);
    void close_all();
    // When the next one is due (boot_ns); nullopt: nothing is open.
    [[nodiscard]] std::optional<std::int64_t> due() const;

private:
    struct Open {
        FoldedEvent folded;
        std::string key;
    };
    void close_oldest();

    Out opened_, closed_;
    Limits limits_;
    std::list<Open> open_;  // by age, for all windows are of one length
    std::unordered_map<std::string_view, std::list<Open>::iterator> by_key_;  // views of Open::key
    std::uint64_t next_id_ = 1;
};

}  // namespace rd
