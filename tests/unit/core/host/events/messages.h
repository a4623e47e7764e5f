// SPDX-License-Identifier: GPL-2.0-or-later
// Messages put in by hand, and events as one line each.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/host/events/inbox_source.h"
#include "tests/unit/core/host/socket_bytes.h"

namespace rd::test {

// "carrier-down ens1f0 x3 ifindex=7 carrier=0"; the count where it is not 1.
inline std::string line(const HostEvent& event) {
    std::string text = event.name + " " + event.subject;
    if (event.count != 1) text += " x" + std::to_string(event.count);
    for (const auto& [key, value] : event.details) text += " " + key + "=" + value;
    return text;
}

template <class Events>
std::vector<std::string> lines_of(const Events& events) {
    std::vector<std::string> all;
    for (const HostEvent& event : events) all.push_back(line(event));
    return all;
}

// Gives what it was told to give, in order; then nothing, again and again.
class FakeInbox final : public events::Inbox {
public:
    struct Step {
        Got got = Got::message;
        ByteVector message;
        std::optional<std::uint64_t> lost;
        std::optional<Error> error;
    };

    explicit FakeInbox(std::deque<Step>& steps) : steps_(steps) {}
    int fd() const override { return -1; }
    Result<Got> receive(Bytes& message) override {
        if (steps_.empty()) return Got::nothing;
        now_ = std::move(steps_.front());
        steps_.pop_front();
        if (now_.error) return tl::unexpected(*now_.error);
        message = now_.message;
        return now_.got;
    }
    std::optional<std::uint64_t> lost() override { return now_.lost; }

private:
    std::deque<Step>& steps_;
    Step now_;
};

inline ByteVector bytes_of(std::string_view text) {
    const auto* data = reinterpret_cast<const std::byte*>(text.data());
    return {data, data + text.size()};
}

// One message through a decoder.
inline std::vector<std::string> taken(events::Decoder& decoder, const ByteVector& message) {
    events::Events out;
    if (auto result = decoder.take(message, out); !result) return {"error: " + result.error().what};
    return lines_of(out);
}

}  // namespace rd::test
