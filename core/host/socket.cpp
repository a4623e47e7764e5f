// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/socket.h"

#include <linux/netlink.h>
#include <netlink/attr.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "core/base/text.h"

namespace rd {
namespace {

// Dump messages are at most 32 KiB; single answers are sized by the kernel and stay far below this.
constexpr std::size_t kReceiveBuffer = 128u << 10;
constexpr int kAttempts = 3;

// The sentence that the kernel may put behind an error (extended acknowledgement).
std::string extended_text(Bytes attributes) {
    Attributes in(attributes);
    while (in.next()) {
        if (in.type() == NLMSGERR_ATTR_MSG) return std::string(in.text());
    }
    return {};
}

Turn failed(int errnum, std::string detail) {
    Turn turn;
    turn.state = Turn::State::failed;
    turn.failure = Failure{errnum, std::move(detail)};
    return turn;
}

Turn take_error(const nlmsghdr& head, Bytes payload) {
    const auto error = value_at<std::int32_t>(payload);
    const auto original = value_at<nlmsghdr>(payload, sizeof(std::int32_t));
    if (!error || !original) return failed(EBADMSG, "error message too short");
    if (*error == 0) {
        Turn turn;
        turn.state = Turn::State::done;
        return turn;
    }
    std::string detail;
    if (head.nlmsg_flags & NLM_F_ACK_TLVS) {
        const std::size_t echoed =
            (head.nlmsg_flags & NLM_F_CAPPED) ? sizeof(nlmsghdr) : NLMSG_ALIGN(std::size_t{original->nlmsg_len});
        const std::size_t skip = sizeof(std::int32_t) + echoed;
        if (skip < payload.size()) detail = extended_text(payload.subspan(skip));
    }
    return failed(-*error, std::move(detail));
}

// The end of a dump carries the errno that ended it early, if one did.
Turn take_done(const nlmsghdr& head, Bytes payload) {
    const std::int32_t error = value_at<std::int32_t>(payload).value_or(0);
    if (error < 0) {
        std::string detail;
        if (head.nlmsg_flags & NLM_F_ACK_TLVS) detail = extended_text(payload.subspan(sizeof(std::int32_t)));
        return failed(-error, std::move(detail));
    }
    Turn turn;
    turn.state = Turn::State::done;
    return turn;
}

}  // namespace

Error error_of(const Failure& failure, std::string_view object) {
    Error error = error_from_errno(failure.errnum, object);
    if (!failure.detail.empty()) error.what += " (" + printable(failure.detail, 120) + ")";
    return error;
}

Request::Request(std::uint16_t type, std::uint16_t flags)
    : message_(nlmsg_alloc_simple(type, NLM_F_REQUEST | flags), &nlmsg_free), complete_(message_ != nullptr) {}

void Request::fixed(Bytes header) {
    if (!complete_) return;
    // libnl does not write through this pointer; its signature is older than const.
    complete_ = nlmsg_append(message_.get(), const_cast<std::byte*>(header.data()), header.size(), NLMSG_ALIGNTO) == 0;
}

void Request::u8(std::uint16_t attribute, std::uint8_t value) {
    if (complete_) complete_ = nla_put_u8(message_.get(), attribute, value) == 0;
}

void Request::u32(std::uint16_t attribute, std::uint32_t value) {
    if (complete_) complete_ = nla_put_u32(message_.get(), attribute, value) == 0;
}

void Request::text(std::uint16_t attribute, const std::string& value) {
    if (complete_) complete_ = nla_put_string(message_.get(), attribute, value.c_str()) == 0;
}

nlattr* Request::begin(std::uint16_t attribute) {
    if (!complete_) return nullptr;
    nlattr* nest = nla_nest_start(message_.get(), attribute);
    complete_ = nest != nullptr;
    return nest;
}

void Request::end(nlattr* nest) {
    if (complete_) complete_ = nla_nest_end(message_.get(), nest) == 0;
}

Bytes Request::bytes(std::uint32_t sequence) {
    if (!complete_) return {};
    nlmsghdr* head = nlmsg_hdr(message_.get());
    head->nlmsg_seq = sequence;
    return {reinterpret_cast<const std::byte*>(head), head->nlmsg_len};
}

void Replies::clear() {
    bytes_.clear();
    entries_.clear();
}

void Replies::add(const Message& message) {
    entries_.push_back({message.type, bytes_.size(), message.payload.size()});
    bytes_.insert(bytes_.end(), message.payload.begin(), message.payload.end());
}

Message Replies::operator[](std::size_t index) const {
    const Entry& entry = entries_[index];
    return {entry.type, Bytes(bytes_).subspan(entry.offset, entry.size)};
}

Turn take_datagram(Bytes datagram, std::uint32_t sequence, const OnMessage& on_message) {
    bool interrupted = false;
    const auto ended = [&interrupted](Turn turn) {
        turn.interrupted = interrupted;
        return turn;
    };
    while (!datagram.empty()) {
        const auto head = value_at<nlmsghdr>(datagram);
        if (!head || head->nlmsg_len < NLMSG_HDRLEN || head->nlmsg_len > datagram.size()) {
            return ended(failed(EBADMSG, "message length out of range"));
        }
        const Bytes payload = datagram.subspan(NLMSG_HDRLEN, head->nlmsg_len - NLMSG_HDRLEN);
        datagram = datagram.subspan(std::min<std::size_t>(NLMSG_ALIGN(std::size_t{head->nlmsg_len}), datagram.size()));
        if (head->nlmsg_seq != sequence) continue;
        if (head->nlmsg_flags & NLM_F_DUMP_INTR) interrupted = true;
        switch (head->nlmsg_type) {
            case NLMSG_NOOP:
                continue;
            case NLMSG_ERROR:
                return ended(take_error(*head, payload));
            case NLMSG_DONE:
                return ended(take_done(*head, payload));
            case NLMSG_OVERRUN:
                return ended(failed(ENOBUFS, "the kernel reports lost data"));
            default:
                break;
        }
        Turn turn;
        if (!on_message({head->nlmsg_type, payload})) {
            turn.state = Turn::State::enough;
            return ended(turn);
        }
        if (!(head->nlmsg_flags & NLM_F_MULTI)) {
            turn.state = Turn::State::done;
            return ended(turn);
        }
    }
    return ended(Turn{});
}

Netlink& Netlink::of_this_thread(int protocol) {
    thread_local std::map<int, Netlink> connections;
    return connections.try_emplace(protocol, protocol).first->second;
}

Answer<> Netlink::open() {
    if (socket_) return {};
    Descriptor fresh(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol_));
    if (!fresh) return refused(errno);
    const timeval timeout{kReplyTimeout.count(), 0};
    if (::setsockopt(fresh.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) != 0) return refused(errno);
    // Both are refinements that old kernels lack.
    const int on = 1;
    (void)::setsockopt(fresh.get(), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
    (void)::setsockopt(fresh.get(), SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
    sockaddr_nl kernel{};
    kernel.nl_family = AF_NETLINK;
    if (::connect(fresh.get(), reinterpret_cast<const sockaddr*>(&kernel), sizeof(kernel)) != 0) return refused(errno);
    socket_ = std::move(fresh);
    buffer_.resize(kReceiveBuffer);
    return {};
}

Answer<Bytes> Netlink::receive() {
    for (;;) {
        sockaddr_nl sender{};
        iovec part{buffer_.data(), buffer_.size()};
        msghdr envelope{};
        envelope.msg_name = &sender;
        envelope.msg_namelen = sizeof(sender);
        envelope.msg_iov = &part;
        envelope.msg_iovlen = 1;
        const ssize_t size = ::recvmsg(socket_.get(), &envelope, 0);
        if (size < 0) {
            if (errno == EINTR) continue;
            if (errno == EAGAIN) return refused(ETIMEDOUT, "no answer from the kernel");
            return refused(errno);
        }
        if (size == 0) return refused(ECONNRESET);
        if (envelope.msg_flags & MSG_TRUNC) return refused(EMSGSIZE, "answer larger than the receive buffer");
        if (sender.nl_pid != 0) continue;  // not from the kernel
        return Bytes(buffer_).first(static_cast<std::size_t>(size));
    }
}

Answer<> Netlink::converse(Request& request, const OnMessage& on_message) {
    if (auto opened = open(); !opened) return opened;
    const Bytes outgoing = request.bytes(++sequence_);
    if (outgoing.empty()) return refused(ENOMEM, "request could not be built");
    ssize_t sent = 0;
    do {
        sent = ::send(socket_.get(), outgoing.data(), outgoing.size(), 0);
    } while (sent < 0 && errno == EINTR);
    if (sent < 0) {
        const int errnum = errno;
        drop();
        return refused(errnum);
    }
    bool interrupted = false;
    for (;;) {
        const auto datagram = receive();
        if (!datagram) {
            drop();
            return tl::unexpected(datagram.error());
        }
        Turn turn = take_datagram(*datagram, sequence_, on_message);
        interrupted = interrupted || turn.interrupted;
        switch (turn.state) {
            case Turn::State::more:
                break;
            case Turn::State::done:
                if (interrupted) return refused(EINTR);
                return {};
            case Turn::State::enough:
                drop();
                return {};
            case Turn::State::failed:
                if (turn.failure.errnum == EBADMSG || turn.failure.errnum == ENOBUFS) drop();
                return tl::unexpected(std::move(turn.failure));
        }
    }
}

Answer<> Netlink::ask(Request& request, Replies& into) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        into.clear();
        auto answer = converse(request, [&into](const Message& message) {
            into.add(message);
            return true;
        });
        if (answer || answer.error().errnum != EINTR) return answer;
    }
    return refused(EBUSY, "the table kept changing while it was read");
}

}  // namespace rd
