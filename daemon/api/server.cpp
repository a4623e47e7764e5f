// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/api/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <microhttpd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <semaphore>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/host/clock.h"

namespace rd::daemon {
namespace {

constexpr std::size_t kMemory = 16 * 1024;  // of one connection: its request line and headers have to fit
constexpr std::size_t kLongestUrl = 4096;
constexpr std::size_t kMostArguments = 16;
// Accepting goes on a little beyond the places, so that there is a newcomer for whom somebody has to go.
constexpr unsigned kSpare = 16;
constexpr std::chrono::seconds kMark{1};  // its thread is not in the way of anybody, and may have to wait for all
constexpr int kNicer = 5, kNicest = 19;

// Behind the rest of the daemon, whatever that has been given: what the service is told (Nice=) is nice already. A nice value is the thread's
// own on Linux.
int give_way() { return ::setpriority(PRIO_PROCESS, 0, std::min(::getpriority(PRIO_PROCESS, 0) + kNicer, kNicest)); }

const char* header(MHD_Connection* connection, const char* name) {
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

// A GET without a body; anything else is refused before its body is read.
std::optional<Reply> refuse_order(Exchange& exchange, std::string_view method) {
    if (method != MHD_HTTP_METHOD_GET && method != MHD_HTTP_METHOD_HEAD) {
        return failure(405, "this API only tells, it changes nothing", "GET or HEAD");
    }
    const char* length = header(exchange.connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
    if ((length != nullptr && std::string_view(length) != "0") ||
        header(exchange.connection, MHD_HTTP_HEADER_TRANSFER_ENCODING) != nullptr) {
        return failure(413, "a body is not taken", "arguments go into the URL");
    }
    return std::nullopt;
}

bool is_json(const char* type) {
    const std::string_view text = type == nullptr ? "" : type;
    return trim(text.substr(0, text.find(';'))) == kJson;
}

// A POST of somebody who may, with a body whose length is known and small.
std::optional<Reply> refuse_question(Exchange& exchange, std::string_view method, const Service& service) {
    if (method != MHD_HTTP_METHOD_POST) {
        return failure(405, "this socket takes orders, and tells nothing",
                       "POST; ask on the other socket of the daemon");
    }
    if (!service.admits(exchange.uid)) {
        return failure(403, "this user may not tell the daemon what to do",
                       "as root or as the user the daemon runs as");
    }
    if (!is_json(header(exchange.connection, MHD_HTTP_HEADER_CONTENT_TYPE)))
        return failure(415, "a body of another type than JSON", "Content-Type: application/json");
    const char* length = header(exchange.connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
    const auto bytes = parse_integer(length == nullptr ? "" : length);
    if (!bytes || header(exchange.connection, MHD_HTTP_HEADER_TRANSFER_ENCODING) != nullptr)
        return failure(411, "a body of unknown length", "Content-Length");
    if (*bytes < 0 || static_cast<std::uint64_t>(*bytes) > service.most_body) {
        return failure(413, fmt::format("a body of more than {} bytes", service.most_body), "a shorter comment");
    }
    return std::nullopt;
}

std::optional<Reply> refuse(Exchange& exchange, std::string_view method, std::string_view url, const Service& service) {
    if (exchange.too_long)
        return failure(414, "the URL is too long", "no endpoint needs more than a few hundred characters");
    auto no = service.most_body == 0 ? refuse_order(exchange, method) : refuse_question(exchange, method, service);
    if (no) return no;
    if (!service.only.empty() && url != service.only) {
        return failure(404, "this socket has " + service.only + " and nothing else",
                       "ask on the unix socket of the daemon");
    }
    return std::nullopt;
}

std::uint32_t peer_of(int fd) {
    ucred peer{};
    socklen_t size = sizeof peer;
    // Of a socket that has no such thing (TCP) nobody asks; what cannot be told is nobody in particular.
    return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.uid : static_cast<std::uint32_t>(-1);
}

MHD_Result take_argument(void* into, MHD_ValueKind, const char* name, std::size_t name_size, const char* value,
                         std::size_t value_size) {
    auto& request = *static_cast<Request*>(into);
    const auto [place, fresh] = request.arguments.emplace(
        std::string(name, name_size), value == nullptr ? std::string() : std::string(value, value_size));
    if (!fresh) request.twice = place->first;
    return request.arguments.size() > kMostArguments ? MHD_NO : MHD_YES;
}

void take_request(Exchange& exchange, const char* url) {
    exchange.request.path = url;
    MHD_get_connection_values_n(exchange.connection, MHD_GET_ARGUMENT_KIND, take_argument, &exchange.request);
    const char* accept = header(exchange.connection, MHD_HTTP_HEADER_ACCEPT);
    exchange.request.wants_open_metrics =
        accept != nullptr && std::string_view(accept).find("application/openmetrics-text") != std::string_view::npos;
}

MHD_Result send(MHD_Connection* connection, Reply reply, const char* allowed) {
    auto* body = new std::string(std::move(reply.body));
    MHD_Response* response = MHD_create_response_from_buffer_with_free_callback_cls(
        body->size(), body->data(), [](void* of) { delete static_cast<std::string*>(of); }, body);
    if (response == nullptr) {
        delete body;
        return MHD_NO;
    }
    const std::pair<const char*, const char*> headers[] = {
        {MHD_HTTP_HEADER_CONTENT_TYPE, reply.type.c_str()},
        {MHD_HTTP_HEADER_CACHE_CONTROL, "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {MHD_HTTP_HEADER_ALLOW, reply.status == 405 ? allowed : nullptr},
    };
    for (const auto& [name, value] : headers) {
        if (value != nullptr) MHD_add_response_header(response, name, value);
    }
    const MHD_Result queued = MHD_queue_response(connection, static_cast<unsigned>(reply.status), response);
    MHD_destroy_response(response);
    return queued;
}

}  // namespace

void Exchange::suspend() {
    state = State::waiting;
    MHD_suspend_connection(connection);
}

void Exchange::resume() { MHD_resume_connection(connection); }

struct Server::Impl {
    Service service;
    MHD_Daemon* daemon = nullptr;
    Descriptor quiet;  // the listening socket, once nothing is accepted from it

    std::atomic<int> mark = -1;  // a connection of our own
    std::binary_semaphore mark_taken{0};

    using Held = std::shared_ptr<Exchange>;  // what the library keeps a pointer to

    // Whoever was accepted just before the quiet may not have been told of yet. The library's thread takes one connection after the other:
    // when it has taken one of ours, it has taken that one.
    void wait_for_the_accepted() {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) return;
        const Descriptor other(ends[0]);
        mark = ends[1];
        sockaddr_un nobody{};
        nobody.sun_family = AF_UNIX;
        // Where it refuses (all places are taken) it has closed it.
        if (MHD_add_connection(daemon, ends[1], reinterpret_cast<const sockaddr*>(&nobody), sizeof nobody) == MHD_YES)
            static_cast<void>(mark_taken.try_acquire_for(kMark));
        mark = -1;
    }

    // The first word of a request: its URL, as it came.
    static void* request_begins(void*, const char* url, MHD_Connection* connection) {
        auto exchange = std::make_shared<Exchange>();
        exchange->connection = connection;
        exchange->too_long = ::strnlen(url, kLongestUrl + 1) > kLongestUrl;
        return new Held(std::move(exchange));
    }

    static void request_ends(void* self, MHD_Connection* connection, void** held, MHD_RequestTerminationCode) {
        delete static_cast<Held*>(*held);
        *held = nullptr;
        static_cast<Impl*>(self)->service.connections->reading(connection, steady_ns());
    }

    static void connection(void* self, MHD_Connection* connection, void**, MHD_ConnectionNotificationCode code) {
        const Service& service = static_cast<Impl*>(self)->service;
        if (code == MHD_CONNECTION_NOTIFY_CLOSED) return service.connections->remove(connection);
        if (descriptor(connection) == static_cast<Impl*>(self)->mark)
            return static_cast<Impl*>(self)->mark_taken.release();
        // The thread is the library's, and this is the first we see of it.
        thread_local const int niced = give_way();
        static_cast<void>(niced);
        service.connections->add(connection, descriptor(connection), steady_ns());
        service.connected();
    }

    static int descriptor(MHD_Connection* connection) {
        return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    }

    // Called when the headers are there, for each part of the body, when it is whole (or there is none), and after the connection was resumed.
    static MHD_Result request(void* self, MHD_Connection* connection, const char* url, const char* method, const char*,
                              const char* data, std::size_t* size, void** held) {
        const Service& service = static_cast<Impl*>(self)->service;
        const Held& exchange = *static_cast<Held*>(*held);
        const char* allowed = service.most_body == 0 ? "GET, HEAD" : "POST";
        service.connections->answering(connection, steady_ns());
        switch (exchange->state) {
            case Exchange::State::fresh:
                exchange->uid = peer_of(descriptor(connection));
                if (auto no = refuse(*exchange, method, url, service)) return send(connection, std::move(*no), allowed);
                exchange->state = Exchange::State::accepted;
                return MHD_YES;
            case Exchange::State::accepted:
                if (*size > 0) {
                    // No more than what refuse() has let pass: the library holds the client to the length he gave.
                    exchange->request.body.append(data, std::exchange(*size, 0));
                    return MHD_YES;
                }
                take_request(*exchange, url);
                service.begin(exchange);
                if (exchange->state == Exchange::State::waiting) return MHD_YES;
                break;
            case Exchange::State::waiting:
                service.go_on(*exchange);
                break;
        }
        return send(connection, std::move(*exchange->reply), allowed);
    }
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<Server>> Server::start(Descriptor socket, Service service) {
    const int flags = ::fcntl(socket.get(), F_GETFL);
    if (flags < 0 || ::fcntl(socket.get(), F_SETFL, flags | O_NONBLOCK) < 0) {
        return tl::unexpected(error_from_errno(errno, "the listening socket"));
    }
    auto impl = std::make_unique<Impl>();
    impl->service = std::move(service);
    errno = 0;
    impl->daemon =
        MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, nullptr, nullptr, &Impl::request,
                         impl.get(), MHD_OPTION_LISTEN_SOCKET, socket.get(), MHD_OPTION_CONNECTION_LIMIT,
                         static_cast<unsigned>(impl->service.places) + kSpare, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                         kMemory, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK, &Impl::request_begins,
                         impl.get(), MHD_OPTION_NOTIFY_COMPLETED, &Impl::request_ends, impl.get(),
                         MHD_OPTION_NOTIFY_CONNECTION, &Impl::connection, impl.get(), MHD_OPTION_END);
    if (impl->daemon == nullptr) {
        return tl::unexpected(error_from_errno(errno, "libmicrohttpd could not serve the listening socket"));
    }
    static_cast<void>(socket.release());  // the library closes it
    return std::unique_ptr<Server>(new Server(std::move(impl)));
}

void Server::accept_no_more() {
    impl_->quiet = Descriptor(MHD_quiesce_daemon(impl_->daemon));
    impl_->wait_for_the_accepted();
}

Server::~Server() { MHD_stop_daemon(impl_->daemon); }

}  // namespace rd::daemon
