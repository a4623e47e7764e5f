// SPDX-License-Identifier: GPL-2.0-or-later
// A daemon that answers with any bytes, connection after connection, and keeps what it was asked.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/host/descriptor.h"
#include "tests/unit/support/temp_directory.h"

namespace rd::cli {

inline Descriptor listening_at(const std::string& path) {
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(socket.get(), 4) != 0)
        throw std::runtime_error("listen");
    return socket;
}

class Answering {
public:
    // One answer a connection; afterwards nobody answers.
    explicit Answering(std::vector<std::string> answers) : listening_(listening_at(path())) {
        thread_ = std::thread([this, answers = std::move(answers)] {
            for (const std::string& one : answers) answer(one);
        });
    }
    ~Answering() {
        over_ = true;
        if (thread_.joinable()) thread_.join();
    }
    [[nodiscard]] std::string path() const { return directory_ / "api.sock"; }
    // Each request with its body, when all have been answered.
    std::vector<std::string> asked() {
        thread_.join();
        return asked_;
    }

private:
    void answer(const std::string& bytes) {
        pollfd one{listening_.get(), POLLIN, 0};
        while (::poll(&one, 1, 20) == 0) {
            if (over_) return;
        }
        const Descriptor connection(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        std::string& asked = asked_.emplace_back();
        char block[4096];
        while (!whole(asked)) {
            const ssize_t got = ::recv(connection.get(), block, sizeof block, 0);
            if (got <= 0) return;
            asked.append(block, static_cast<std::size_t>(got));
        }
        (void)::send(connection.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
    static bool whole(const std::string& request) {
        constexpr std::string_view kLength = "Content-Length: ";
        const std::size_t end = request.find("\r\n\r\n"), length = request.find(kLength);
        if (end == std::string::npos) return false;
        return length == std::string::npos ||
               request.size() - end - 4 >= std::stoul(request.substr(length + kLength.size()));
    }

    TempDirectory directory_;
    Descriptor listening_;
    std::vector<std::string> asked_;
    std::atomic<bool> over_ = false;
    std::thread thread_;
};

inline std::string answer_with(int status, std::string_view body) {
    return "HTTP/1.1 " + std::to_string(status) +
           " Some reason\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\nContent-Type: application/json\r\n\r\n" + std::string(body);
}

// Takes connections and never says a word.
class Silent {
public:
    [[nodiscard]] std::string path() const { return directory_ / "api.sock"; }

private:
    TempDirectory directory_;
    Descriptor listening_ = listening_at(path());
};

}  // namespace rd::cli
