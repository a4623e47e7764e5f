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
#include "core/host/descriptor.h"

namespace rd::cli {
namespace {

constexpr timeval kPatience{10, 0};  // without a byte
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

Error of_system(const std::string& socket, int errnum) {
    if (errnum == EACCES || errnum == EPERM) {
        return {Errc::no_privilege, socket + ": this user may not ask the daemon",
                "sudo usermod -aG rdmadoctor \"$USER\", and log in again"};
    }
    if (errnum == ENOENT || errnum == ECONNREFUSED) {
        return {Errc::not_found, socket + ": no daemon answers here", "sudo systemctl enable --now rdmadoctord"};
    }
    if (errnum == EAGAIN) {
        return {Errc::timed_out, fmt::format("{}: nothing came for {} s", socket, kPatience.tv_sec), kLook};
    }
    Error error = error_from_errno(errnum, socket);
    error.remedy = kLook;
    return error;
}

Result<Descriptor> reach(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) return fail(Errc::bad_input, path + ": too long for a socket");
    path.copy(address.sun_path, path.size());
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    for (const int which : {SO_RCVTIMEO, SO_SNDTIMEO}) {
        (void)::setsockopt(socket.get(), SOL_SOCKET, which, &kPatience, sizeof kPatience);
    }
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return tl::unexpected(of_system(path, errno));
    return socket;
}

Result<> send(int fd, std::string_view text, const std::string& socket) {
    while (!text.empty()) {
        const ssize_t sent = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return tl::unexpected(of_system(socket, errno));
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return {};
}

Result<std::string> receive(int fd, const std::string& socket) {
    std::string text;
    char block[65536];
    for (;;) {
        const ssize_t got = ::recv(fd, block, sizeof block, 0);
        if (got == 0) return text;
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return tl::unexpected(of_system(socket, errno));
        text.append(block, static_cast<std::size_t>(got));
        if (text.size() > kMostAnswer) return fail(Errc::limit, socket + ": an answer of more than 64 MiB");
    }
}

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

}  // namespace

Result<std::string> ask(const std::string& socket, const std::string& path, const Query& query) {
    const auto connection = reach(socket);
    if (!connection) return tl::unexpected(connection.error());
    const std::string request = fmt::format("GET {} HTTP/1.0\r\nHost: localhost\r\n\r\n", target(path, query));
    if (auto sent = send(connection->get(), request, socket); !sent) return tl::unexpected(std::move(sent.error()));
    const auto text = receive(connection->get(), socket);
    if (!text) return tl::unexpected(text.error());
    const auto reply = read_reply(*text);
    if (!reply) return fail(Errc::io, socket + ": the answer broke off, or is none of the daemon's", kLook);
    if (reply->status != 200) return tl::unexpected(complaint_of(std::string(reply->body), reply->status));
    return std::string(reply->body);
}

}  // namespace rd::cli
