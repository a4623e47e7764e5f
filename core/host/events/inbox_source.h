// SPDX-License-Identifier: GPL-2.0-or-later
// An EventSource made of an inbox and a decoder. Private to core/host/events.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/host/events/inbox.h"
#include "core/host/events/source.h"

namespace rd::events {

using Clock = std::function<Stamp()>;
using Events = std::deque<HostEvent>;

// Makes events of messages, and knows as much of the past as it needs to tell a change from a repetition. No input or output, except in
// resync.
class Decoder {
public:
    virtual ~Decoder() = default;
    // Events come without time and source. An Error: this message makes no sense.
    [[nodiscard]] virtual Result<> take(Bytes message, Events& out) = 0;
    // Messages were lost.
    virtual void overrun(std::optional<std::uint64_t> lost, Events& out);
    // After an overrun, when the messages that were not lost have been read: compares with what there is now.
    [[nodiscard]] virtual Result<> resync(Events&) { return {}; }
};

struct SourceParts {
    std::string name;  // HostEvent::source, unless an event has its own
    std::unique_ptr<Inbox> inbox;
    std::unique_ptr<Decoder> decoder;
    Clock clock;
};
[[nodiscard]] std::unique_ptr<EventSource> inbox_source(SourceParts parts);

// Messages that are looked at in one drain, for they need not be events.
inline constexpr std::size_t kMostMessages = 4096;

}  // namespace rd::events
