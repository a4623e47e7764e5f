// SPDX-License-Identifier: GPL-2.0-or-later
// An Api on a real unix socket, a recorder that one can hold up, and a client that sends any bytes.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "core/host/clock.h"
#include "daemon/api/api.h"
#include "daemon/api/listen.h"
#include "tests/unit/daemon/scene.h"
#include "tests/unit/support/temp_directory.h"

namespace rd::daemon {

class Source final : public FrameSource {
public:
    void request(std::function<void(std::shared_ptr<const Frame>)> take) override {
        std::shared_ptr<const Frame> given;
        {
            const auto lock = std::lock_guard(mutex);
            ++asked;
            if (mode == Mode::drops) return;
            if (mode == Mode::holds) return held.push_back(std::move(take));
            given = frame;
        }
        take(given);
    }
    void let_go() {
        std::vector<std::function<void(std::shared_ptr<const Frame>)>> all;
        {
            const auto lock = std::lock_guard(mutex);
            all = std::exchange(held, {});
        }
        for (const auto& take : all) take(shown());
    }
    std::size_t holding() {
        const auto lock = std::lock_guard(mutex);
        return held.size();
    }
    int times_asked() {
        const auto lock = std::lock_guard(mutex);
        return asked;
    }

    enum class Mode { gives, holds, drops };
    void now(Mode next) {
        const auto lock = std::lock_guard(mutex);
        mode = next;
    }
    void show(Frame next) {
        const auto lock = std::lock_guard(mutex);
        frame = std::make_shared<const Frame>(std::move(next));
    }
    std::shared_ptr<const Frame> shown() {
        const auto lock = std::lock_guard(mutex);
        return frame;
    }

private:
    std::mutex mutex;
    Mode mode = Mode::gives;
    std::shared_ptr<const Frame> frame = std::make_shared<const Frame>(small_frame());
    std::vector<std::function<void(std::shared_ptr<const Frame>)>> held;
    int asked = 0;
};

struct Answer {
    int status = 0;  // 0: the connection was closed without one
    std::string head, body;
};

class Client {
public:
    explicit Client(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        connected_ = ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }
    explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        connected_ = ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }

    [[nodiscard]] bool connected() const { return connected_; }
    // False when the other side has gone.
    bool send(std::string_view text) const {
        while (!text.empty()) {
            const ssize_t sent = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }
    [[nodiscard]] Answer receive(bool head_only = false, int seconds = 20) const {
        Answer answer;
        std::string text;
        const std::int64_t until = steady_ns() + std::int64_t{seconds} * 1'000'000'000;
        for (;;) {
            const auto end = text.find("\r\n\r\n");
            if (end != std::string::npos) {
                answer.head = text.substr(0, end);
                answer.body = text.substr(end + 4);
                answer.status = std::atoi(answer.head.substr(9, 3).c_str());
                const auto length = answer.head.find("Content-Length: ");
                if (head_only || length == std::string::npos) return answer;
                if (answer.body.size() >= std::stoul(answer.head.substr(length + 16))) return answer;
            }
            const auto left = (until - steady_ns()) / 1'000'000;
            pollfd one{socket_.get(), POLLIN, 0};
            if (left <= 0 || ::poll(&one, 1, static_cast<int>(left)) <= 0) return {-1, {}, text};
            char buffer[65536];
            const ssize_t got = ::recv(socket_.get(), buffer, sizeof buffer, 0);
            if (got <= 0) return {0, {}, text};
            text.append(buffer, static_cast<std::size_t>(got));
        }
    }
    // Has the other side closed it, within a while?
    [[nodiscard]] bool closed(int seconds = 20) const { return receive(false, seconds).status == 0; }

private:
    Descriptor socket_;
    bool connected_ = false;
};

class ApiScene {
protected:
    void start(ApiOptions options = {}) {
        auto listening = listen_unix(path(), "");
        ASSERT_TRUE(listening) << listening.error().what;
        options.socket = std::move(*listening);
        auto started = Api::start(source, desk, std::move(options));
        ASSERT_TRUE(started) << started.error().what;
        api = std::move(*started);
    }
    [[nodiscard]] std::string path() const { return directory / "api.sock"; }
    [[nodiscard]] Answer ask(std::string_view request) const {
        const Client client(path());
        client.send(request);
        return client.receive();
    }
    [[nodiscard]] Answer get(std::string_view url, std::string_view headers = "") const {
        return ask("GET " + std::string(url) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers) + "\r\n");
    }

    TempDirectory directory;
    Source source;
    AlertDesk desk{[] {}};
    std::unique_ptr<Api> api;
};

}  // namespace rd::daemon
