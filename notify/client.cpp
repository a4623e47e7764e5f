// SPDX-License-Identifier: GPL-2.0-or-later
#include "notify/client.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <strings.h>

#include <array>

#include "core/base/text.h"
#include "daemon/alerts/spool.h"

namespace rd::notify {
namespace {

constexpr std::size_t kMostAnswer = 300, kMostToken = 64 << 10;

std::size_t collect(char* bytes, std::size_t size, std::size_t count, void* into) {
    auto& text = *static_cast<std::string*>(into);
    const std::size_t got = size * count;
    if (text.size() < kMostAnswer) text.append(bytes, std::min(got, kMostAnswer - text.size()));
    return got;  // the rest is thrown away
}

bool is_json(CURL* handle) {
    const char* type = nullptr;
    ::curl_easy_getinfo(handle, CURLINFO_CONTENT_TYPE, &type);
    constexpr std::string_view kJson = "application/json";
    if (type == nullptr || std::string_view(type).size() < kJson.size()) return false;
    return ::strncasecmp(type, kJson.data(), kJson.size()) == 0;
}

}  // namespace

struct Client::Server {
    CURL* handle = nullptr;
    curl_slist* headers = nullptr;
    std::string url, body, answer;
    std::array<char, CURL_ERROR_SIZE> error{};
    bool busy = false;

    Server() = default;
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server() {
        ::curl_easy_cleanup(handle);
        ::curl_slist_free_all(headers);
    }
};

Client::Client() = default;
Client::Client(Client&& other) noexcept
    : multi_(std::exchange(other.multi_, nullptr)),
      servers_(std::move(other.servers_)),
      bearer_token_file_(std::move(other.bearer_token_file_)) {}

Client::~Client() {
    for (const auto& server : servers_) {
        if (server->busy) ::curl_multi_remove_handle(multi_, server->handle);
    }
    servers_.clear();
    ::curl_multi_cleanup(multi_);
}

Result<Client> Client::open(const daemon::AlertmanagerConfig& config) {
    if (::curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return fail(Errc::io, "libcurl does not start");
    Client client;
    client.multi_ = ::curl_multi_init();
    client.bearer_token_file_ = config.bearer_token_file;
    for (const std::string& url : config.urls) {
        auto server = std::make_unique<Server>();
        server->url = url + "/api/v2/alerts";
        server->handle = ::curl_easy_init();
        server->headers = ::curl_slist_append(nullptr, "Content-Type: application/json");
        // Without it a large body first waits a second for leave to be sent.
        server->headers = ::curl_slist_append(server->headers, "Expect:");
        if (client.multi_ == nullptr || server->handle == nullptr) return fail(Errc::io, "libcurl does not start");
        CURL* const handle = server->handle;
        ::curl_easy_setopt(handle, CURLOPT_URL, server->url.c_str());
        ::curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
        ::curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);  // alerts go where they were meant to go
        ::curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
        ::curl_easy_setopt(handle, CURLOPT_HTTPHEADER, server->headers);
        ::curl_easy_setopt(handle, CURLOPT_USERAGENT, "rdmadoctor-notify");
        ::curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, server->error.data());
        ::curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, collect);
        ::curl_easy_setopt(handle, CURLOPT_WRITEDATA, &server->answer);
        const auto limit = static_cast<long>(std::chrono::ceil<std::chrono::milliseconds>(config.timeout).count());
        ::curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, limit);
        ::curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, limit);
        if (!config.ca_file.empty()) ::curl_easy_setopt(handle, CURLOPT_CAINFO, config.ca_file.c_str());
        if (!config.cert_file.empty()) ::curl_easy_setopt(handle, CURLOPT_SSLCERT, config.cert_file.c_str());
        if (!config.key_file.empty()) ::curl_easy_setopt(handle, CURLOPT_SSLKEY, config.key_file.c_str());
        client.servers_.push_back(std::move(server));
    }
    return client;
}

bool Client::busy(std::size_t server) const { return servers_.at(server)->busy; }

Result<> Client::post(std::size_t number, std::string body) {
    Server& server = *servers_.at(number);
    if (!bearer_token_file_.empty()) {
        // Each time: tokens are renewed.
        const auto token = daemon::read_whole(bearer_token_file_, kMostToken);
        if (!token) return tl::unexpected(token.error());
        ::curl_easy_setopt(server.handle, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
        ::curl_easy_setopt(server.handle, CURLOPT_XOAUTH2_BEARER, std::string(trim(*token)).c_str());
    }
    server.body = std::move(body);
    server.answer.clear();
    server.error[0] = '\0';
    ::curl_easy_setopt(server.handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(server.body.size()));
    ::curl_easy_setopt(server.handle, CURLOPT_POSTFIELDS, server.body.c_str());
    if (::curl_multi_add_handle(multi_, server.handle) != CURLM_OK)
        return fail(Errc::io, server.url + ": cannot be asked");
    server.busy = true;
    return {};
}

std::vector<Answer> Client::wait(std::span<const int> wake, std::chrono::milliseconds limit) {
    int running = 0;
    ::curl_multi_perform(multi_, &running);
    std::vector<Answer> out;
    int left = 0;
    const auto take = [&] {
        while (const CURLMsg* message = ::curl_multi_info_read(multi_, &left)) {
            if (message->msg != CURLMSG_DONE) continue;
            CURL* const handle = message->easy_handle;
            const CURLcode result = message->data.result;
            ::curl_multi_remove_handle(multi_, handle);
            for (std::size_t i = 0; i < servers_.size(); ++i) {
                Server& server = *servers_[i];
                if (server.handle != handle) continue;
                Answer answer{i, 0, {}};
                if (result == CURLE_OK) {
                    ::curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &answer.status);
                    answer.reason = printable(trim(server.answer), kMostAnswer);
                    answer.of_api = server.answer.empty() || is_json(handle);
                } else {
                    answer.reason = server.error[0] != '\0' ? server.error.data() : ::curl_easy_strerror(result);
                }
                server.busy = false;
                out.push_back(std::move(answer));
            }
        }
    };
    take();
    if (!out.empty()) return out;
    std::vector<curl_waitfd> extra;
    for (const int fd : wake) extra.push_back({fd, CURL_WAIT_POLLIN, 0});
    ::curl_multi_poll(multi_, extra.data(), static_cast<unsigned>(extra.size()), static_cast<int>(limit.count()),
                      nullptr);
    ::curl_multi_perform(multi_, &running);
    take();
    return out;
}

}  // namespace rd::notify
