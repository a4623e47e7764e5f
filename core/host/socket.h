// SPDX-License-Identifier: GPL-2.0-or-later
// Netlink transport: sends one request and collects what the kernel answers. libnl builds the requests; the answers
// are received here, because libnl maps errno values to fewer codes of its own, and a driver's reason must not be lost.
//
// Nothing blocks for ever (kReplyTimeout), answers to earlier requests are passed over by their sequence number,
// and a dump that changed under the reader is asked for again.
#pragma once

#include <netlink/msg.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/host/descriptor.h"
#include "core/host/socket_attributes.h"

namespace rd {

inline constexpr std::chrono::seconds kReplyTimeout{5};

// What the kernel (or the lack of an answer) said, with its own errno: EINVAL and EOPNOTSUPP mean different things to
// different readers, so it is turned into an Error only by them.
struct Failure {
    int errnum = 0;
    std::string detail;  // extended acknowledgement or our own words; may be empty
};
template <class T = void>
using Answer = tl::expected<T, Failure>;

[[nodiscard]] inline tl::unexpected<Failure> refused(int errnum, std::string detail = {}) {
    return tl::unexpected<Failure>(Failure{errnum, std::move(detail)});
}
[[nodiscard]] Error error_of(const Failure& failure, std::string_view object);

// A request message. Built once and sent as often as wanted.
class Request {
public:
    Request(std::uint16_t type, std::uint16_t flags);  // NLM_F_REQUEST is added

    void fixed(Bytes header);  // the family's header, before any attribute
    void u8(std::uint16_t attribute, std::uint8_t value);
    void u32(std::uint16_t attribute, std::uint32_t value);
    void text(std::uint16_t attribute, const std::string& value);
    [[nodiscard]] nlattr* begin(std::uint16_t attribute);
    void end(nlattr* nest);

    // Ready to be sent with this number; empty when the attributes did not fit.
    [[nodiscard]] Bytes bytes(std::uint32_t sequence);

private:
    std::unique_ptr<nl_msg, decltype(&nlmsg_free)> message_;
    bool complete_ = true;
};

struct Message {
    std::uint16_t type = 0;
    Bytes payload;  // behind the netlink header
};
// false: enough, the rest is not wanted.
using OnMessage = std::function<bool(const Message&)>;

// Messages kept for decoding. Reused from read to read.
class Replies {
public:
    void clear();
    void add(const Message& message);
    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    [[nodiscard]] Message operator[](std::size_t index) const;

private:
    struct Entry {
        std::uint16_t type;
        std::size_t offset;
        std::size_t size;
    };
    std::vector<std::byte> bytes_;
    std::vector<Entry> entries_;
};

// One datagram of a conversation, as far as it concerns the request with `sequence`. Pure.
struct Turn {
    enum class State { more, done, enough, failed };
    State state = State::more;
    bool interrupted = false;  // NLM_F_DUMP_INTR was seen
    Failure failure;
};
[[nodiscard]] Turn take_datagram(Bytes datagram, std::uint32_t sequence, const OnMessage& on_message);

class Netlink {
public:
    explicit Netlink(int protocol) : protocol_(protocol) {}

    // The calling thread's connection. Per thread rather than per handle: a host with hundreds of functions would run
    // out of descriptors, and a thread that hangs in a driver holds up nobody else's answers.
    [[nodiscard]] static Netlink& of_this_thread(int protocol);
    [[nodiscard]] bool is_open() const { return static_cast<bool>(socket_); }

    // One attempt, message by message.
    [[nodiscard]] Answer<> converse(Request& request, const OnMessage& on_message);
    // All messages; a dump that was interrupted by a change is repeated, then reported (EBUSY).
    [[nodiscard]] Answer<> ask(Request& request, Replies& into);

private:
    [[nodiscard]] Answer<> open();
    [[nodiscard]] Answer<Bytes> receive();
    // After an error in transport or an answer left half read: what is still under way must not meet the next request.
    void drop() { socket_.reset(); }

    int protocol_;
    Descriptor socket_;
    std::uint32_t sequence_ = 0;
    std::vector<std::byte> buffer_;
};

}  // namespace rd
