// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/api/listen.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <grp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>

namespace rd::daemon {
namespace {

constexpr int kBacklog = 64;
constexpr gid_t kOwnGroup = static_cast<gid_t>(-1);

tl::unexpected<Error> failed(const std::string& object, std::string remedy) {
    Error error = error_from_errno(errno, object);
    error.remedy = std::move(remedy);
    return tl::unexpected(std::move(error));
}

Result<> make_way(const std::string& path, const sockaddr_un& address) {
    struct stat what {};
    if (::lstat(path.c_str(), &what) != 0) return {};  // whatever is wrong, bind will say it
    if (!S_ISSOCK(what.st_mode)) {
        return fail(Errc::bad_input, path + ": there is something that is no socket", "give the socket another path");
    }
    const Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int connected = ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    if (connected == 0 || errno == EAGAIN) {
        return fail(Errc::bad_input, path + ": somebody listens there already",
                    "stop the other daemon, or give this one another path");
    }
    static_cast<void>(::unlink(path.c_str()));
    return {};
}

// `group`: what the owner is called in the configuration.
Result<> open_up(int socket, const std::string& path, mode_t mode, const std::string& group, gid_t owner) {
    if (owner != kOwnGroup && ::lchown(path.c_str(), static_cast<uid_t>(-1), owner) != 0) {
        return failed(fmt::format("{}: cannot be given to the group {}", path, group),
                      fmt::format("the user the daemon runs as must be in that group: usermod -aG {} USER; or set "
                                  "[api] group to one it is in, or to \"\"",
                                  group));
    }
    // The umask may have taken some of it away.
    if (::chmod(path.c_str(), mode) != 0 || ::listen(socket, kBacklog) != 0)
        return failed(path, "its folder must belong to the user the daemon runs as");
    return {};
}

Result<Descriptor> listen_at(const std::string& path, mode_t mode, const std::string& group, gid_t owner) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty()) return fail(Errc::bad_input, "the path of the socket is empty", "name one, or leave the key out");
    if (path.size() >= sizeof address.sun_path) {
        return fail(Errc::bad_input,
                    fmt::format("{}: the path of a socket has 1 to {} bytes", path, sizeof address.sun_path - 1),
                    "choose a shorter one");
    }
    path.copy(address.sun_path, path.size());
    if (auto way = make_way(path, address); !way) return tl::unexpected(std::move(way.error()));
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    // Before bind: there is no moment in which others could connect.
    if (!socket || ::fchmod(socket.get(), mode) != 0 ||
        ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return failed(path, "its folder must be there and belong to the user the daemon runs as");
    }
    if (auto done = open_up(socket.get(), path, mode, group, owner); !done) {
        static_cast<void>(::unlink(path.c_str()));  // nobody will ever listen there
        return tl::unexpected(std::move(done.error()));
    }
    return socket;
}

}  // namespace

Result<Descriptor> listen_unix(const std::string& path, const std::string& group) {
    if (group.empty()) return listen_at(path, 0660, group, kOwnGroup);
    const ::group* found = ::getgrnam(group.c_str());
    if (found == nullptr) return fail(Errc::not_found, group + ": no such group", "groupadd --system " + group);
    return listen_at(path, 0660, group, found->gr_gid);
}

Result<Descriptor> listen_private(const std::string& path) { return listen_at(path, 0600, "", kOwnGroup); }

Result<Descriptor> listen_loopback(std::uint16_t port) {
    const std::string name = fmt::format("127.0.0.1:{}", port);
    Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int on = 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (!socket || ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(socket.get(), kBacklog) != 0) {
        return failed(name, errno != EAFNOSUPPORT
                                ? "choose another port"
                                : "in the service it needs a drop-in: systemctl edit rdmadoctord, with "
                                  "RestrictAddressFamilies=AF_INET and IPAddressAllow=localhost below "
                                  "[Service], then systemctl restart rdmadoctord");
    }
    return socket;
}

}  // namespace rd::daemon
