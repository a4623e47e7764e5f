// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/inbox.h"

#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "core/host/descriptor.h"

namespace rd::events {
namespace {

constexpr int kReceiveQueue = 8 << 20;  // the kernel's share of memory for what we have not read yet
constexpr std::size_t kLargest = 128u << 10;

class NetlinkInbox final : public Inbox {
public:
    NetlinkInbox(Descriptor socket, std::string object)
        : socket_(std::move(socket)), object_(std::move(object)), buffer_(kLargest) {}

    int fd() const override { return socket_.get(); }

    Result<Got> receive(Bytes& message) override {
        for (;;) {
            sockaddr_nl sender{};
            iovec part{buffer_.data(), buffer_.size()};
            msghdr envelope{};
            envelope.msg_name = &sender;
            envelope.msg_namelen = sizeof(sender);
            envelope.msg_iov = &part;
            envelope.msg_iovlen = 1;
            const ssize_t size = ::recvmsg(socket_.get(), &envelope, MSG_DONTWAIT);
            if (size < 0) {
                if (errno == EINTR) continue;
                if (errno == EAGAIN) return Got::nothing;
                if (errno == ENOBUFS) {
                    count_drops();
                    return Got::overrun;
                }
                return tl::unexpected(error_from_errno(errno, object_));
            }
            if (sender.nl_pid != 0) continue;  // not from the kernel
            if (envelope.msg_flags & MSG_TRUNC) {
                lost_ = 1;
                return Got::overrun;
            }
            message = Bytes(buffer_).first(static_cast<std::size_t>(size));
            return Got::message;
        }
    }

    std::optional<std::uint64_t> lost() override { return lost_; }

private:
    void count_drops() {
        std::array<std::uint32_t, SK_MEMINFO_VARS> memory{};
        socklen_t size = sizeof(memory);
        lost_.reset();
        if (::getsockopt(socket_.get(), SOL_SOCKET, SO_MEMINFO, memory.data(), &size) != 0) return;
        if (size < (SK_MEMINFO_DROPS + 1) * sizeof(std::uint32_t)) return;
        const std::uint32_t drops = memory[SK_MEMINFO_DROPS];
        lost_ = drops - dropped_;  // both wrap
        dropped_ = drops;
    }

    Descriptor socket_;
    std::string object_;
    std::vector<std::byte> buffer_;
    std::optional<std::uint64_t> lost_;
    std::uint32_t dropped_ = 0;
};

}  // namespace

Result<std::unique_ptr<Inbox>> netlink_inbox(int protocol, std::initializer_list<std::uint32_t> groups,
                                             std::string_view object) {
    Descriptor socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol));
    if (!socket) return tl::unexpected(error_from_errno(errno, object));
    // More than net.core.rmem_max only for who may; less is taken as it comes, since an overrun is noticed.
    if (::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUFFORCE, &kReceiveQueue, sizeof(kReceiveQueue)) != 0) {
        (void)::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &kReceiveQueue, sizeof(kReceiveQueue));
    }
    sockaddr_nl own{};
    own.nl_family = AF_NETLINK;
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&own), sizeof(own)) != 0) {
        return tl::unexpected(error_from_errno(errno, object));
    }
    for (const std::uint32_t group : groups) {
        if (::setsockopt(socket.get(), SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) != 0) {
            return tl::unexpected(error_from_errno(errno, object));
        }
    }
    return std::make_unique<NetlinkInbox>(std::move(socket), std::string(object));
}

}  // namespace rd::events
