// SPDX-License-Identifier: GPL-2.0-or-later
// One request of HTTP/1.0 and one answer, ended by the end of the connection. Without libcurl: with what that brings along, every command
// would take twice as long to start.
#include "cli/client.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <cerrno>
#include <optional>

#include "cli/render/past.h"
#include "core/base/text.h"
#include "core/host/clock.h"
#include "core/host/descriptor.h"

namespace rd::cli {
namespace {

constexpr std::size_t kMostAnswer = 64u << 20;
constexpr const char* kLook = "systemctl status rdmadoctord";

bool stands_as_it_is(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~").find(c) != std::string_view::npos;
}

std::string target(const std::string& path, const Query& query) {
    std::string out = path;
    char separator = '?';
    for (const auto& [key, value] : query) {
        out += separator + key + '=';
        for (const char c : value) {
            if (stands_as_it_is(c)) {
                out += c;
            } else {
                out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
            }
        }
        separator = '&';
    }
    return out;
}

// A socket of the daemon, and the line that mends it where it cannot be used.
struct Door {
    const char* use;
    const char* who_may;
    const char* opens;
};
constexpr Door kToAsk{"ask the daemon", "sudo usermod -aG rdmadoctor \"$USER\", and log in again",
                      "sudo systemctl enable --now rdmadoctord"};
constexpr Door kToOrder{"tell the daemon what to do", "as root or as the user the daemon runs as",
                        "sudo systemctl enable --now rdmadoctord, with [api] control in its configuration"};

// A connection and its end of time: the kernel only knows how long one call may sleep, and a daemon that sends a byte now and then
// would be waited for without end.
class Connection {
public:
    Connection(const Door& door, const std::string& path, std::chrono::milliseconds within)
        : door_(door), path_(path), within_(within), until_(steady_ns() + std::chrono::nanoseconds(within).count()) {}

    Result<> open() {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        if (path_.size() >= sizeof address.sun_path) return fail(Errc::bad_input, path_ + ": too long for a socket");
        path_.copy(address.sun_path, path_.size());
        socket_ = Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (!bound(SO_SNDTIMEO)) return late();
        if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            return failed(errno);
        return {};
    }

    Result<> send(std::string_view text) {
        while (!text.empty()) {
            if (!bound(SO_SNDTIMEO)) return late();
            const ssize_t sent = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
            if (sent < 0 && errno == EINTR) continue;
            if (sent < 0) return failed(errno);
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
        return {};
    }

    // To the end of the connection.
    Result<std::string> receive() {
        std::string text;
        char block[65536];
        for (;;) {
            if (!bound(SO_RCVTIMEO)) return late();
            const ssize_t got = ::recv(socket_.get(), block, sizeof block, 0);
            if (got == 0) return text;
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return failed(errno);
            text.append(block, static_cast<std::size_t>(got));
            if (text.size() > kMostAnswer) return fail(Errc::limit, path_ + ": an answer of more than 64 MiB");
        }
    }

private:
    // The next call sleeps no longer than there is time; false: there is none. A timeout of 0 would be none at all.
    bool bound(int which) {
        const std::int64_t left = (until_ - steady_ns()) / 1000;
        if (left <= 0) return false;
        const timeval time{left / 1'000'000, left % 1'000'000};
        return ::setsockopt(socket_.get(), SOL_SOCKET, which, &time, sizeof time) == 0;
    }

    [[nodiscard]] tl::unexpected<Error> late() const {
        return fail(
            Errc::timed_out,
            fmt::format("{}: no whole answer within {} s", path_, std::chrono::duration<double>(within_).count()),
            kLook);
    }

    [[nodiscard]] tl::unexpected<Error> failed(int errnum) const {
        if (errnum == EACCES || errnum == EPERM) {
            return fail(Errc::no_privilege, path_ + ": this user may not " + door_.use, door_.who_may);
        }
        if (errnum == ENOENT || errnum == ECONNREFUSED) {
            return fail(Errc::not_found, path_ + ": no daemon answers here", door_.opens);
        }
        if (errnum == EAGAIN) return late();
        Error error = error_from_errno(errnum, path_);
        error.remedy = kLook;
        return tl::unexpected(std::move(error));
    }

    const Door& door_;
    const std::string& path_;
    std::chrono::milliseconds within_;
    std::int64_t until_;
    Descriptor socket_;
};

struct Reply {
    long status = 0;
    std::string_view body;
};

// None: not an answer, or not all of it.
std::optional<Reply> read_reply(std::string_view text) {
    constexpr std::string_view kVersion = "HTTP/1.", kEnd = "\r\n\r\n", kLength = "\r\nContent-Length: ";
    const std::size_t end = text.find(kEnd);
    if (!text.starts_with(kVersion) || end == std::string_view::npos) return std::nullopt;
    const std::string_view head = text.substr(0, end + 2);
    const auto status = parse_integer(head.substr(std::min(head.size(), kVersion.size() + 2), 3));
    const std::size_t at = head.find(kLength);
    if (!status || at == std::string_view::npos) return std::nullopt;
    const std::size_t begin = at + kLength.size();
    const auto length = parse_integer(head.substr(begin, head.find('\r', begin) - begin));
    const std::string_view body = text.substr(end + kEnd.size());
    if (!length || *length != static_cast<std::int64_t>(body.size())) return std::nullopt;
    return Reply{*status, body};
}

Result<std::string> exchange(const Door& door, const std::string& socket, const std::string& request,
                             std::chrono::milliseconds within) {
    Connection connection(door, socket, within);
    if (auto open = connection.open(); !open) return tl::unexpected(std::move(open.error()));
    if (auto sent = connection.send(request); !sent) return tl::unexpected(std::move(sent.error()));
    const auto text = connection.receive();
    if (!text) return tl::unexpected(text.error());
    const auto reply = read_reply(*text);
    if (!reply) return fail(Errc::io, socket + ": the answer broke off, or is none of the daemon's", kLook);
    if (reply->status != 200) return tl::unexpected(complaint_of(std::string(reply->body), reply->status));
    return std::string(reply->body);
}

}  // namespace

Result<std::string> ask(const std::string& socket, const std::string& path, const Query& query,
                        std::chrono::milliseconds within) {
    return exchange(kToAsk, socket, fmt::format("GET {} HTTP/1.0\r\nHost: localhost\r\n\r\n", target(path, query)),
                    within);
}

Result<std::string> order(const std::string& socket, const std::string& path, const std::string& body) {
    return exchange(kToOrder, socket,
                    fmt::format("POST {} HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                "Content-Length: {}\r\n\r\n{}",
                                path, body.size(), body),
                    kPatience);
}

Failure failure_of(const Error& error) {
    const bool ours = error.code == Errc::io || error.code == Errc::timed_out;
    return {ours ? kInternal : kUsage, describe(error), {}};
}

}  // namespace rd::cli
