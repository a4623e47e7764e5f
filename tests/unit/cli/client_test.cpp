// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/client.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <thread>

#include "core/host/descriptor.h"
#include "tests/unit/support/temp_directory.h"

namespace rd::cli {
namespace {

// Answers once, with these bytes, and keeps what it was asked.
class Answering {
public:
    explicit Answering(std::string answer) : listening_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path().copy(address.sun_path, sizeof address.sun_path - 1);
        if (::bind(listening_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
            ::listen(listening_.get(), 1) != 0)
            throw std::runtime_error("listen");
        thread_ = std::thread([this, answer = std::move(answer)] {
            const Descriptor one(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            char block[4096];
            while (asked_.find("\r\n\r\n") == std::string::npos) {
                const ssize_t got = ::recv(one.get(), block, sizeof block, 0);
                if (got <= 0) return;
                asked_.append(block, static_cast<std::size_t>(got));
            }
            (void)::send(one.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
        });
    }
    ~Answering() {
        if (thread_.joinable()) thread_.join();
    }
    [[nodiscard]] std::string path() const { return directory_ / "api.sock"; }
    std::string asked() {
        thread_.join();
        return asked_;
    }

private:
    TempDirectory directory_;
    Descriptor listening_;
    std::string asked_;
    std::thread thread_;
};

std::string answer(int status, std::string_view body) {
    return "HTTP/1.1 " + std::to_string(status) +
           " Some reason\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\nContent-Type: application/json\r\n\r\n" + std::string(body);
}

Error error_of(std::string bytes) {
    const Answering daemon(std::move(bytes));
    const auto got = ask(daemon.path(), "/v1/events", {});
    return got ? Error{Errc::io, "answered: " + *got, {}} : got.error();
}

TEST(Client, AsksAndGivesTheBody) {
    Answering daemon(answer(200, R"({"events": []})"));
    const auto body = ask(daemon.path(), "/v1/series", {{"entity", "port:mlx5_0/1 é&"}, {"step", "10s"}});
    ASSERT_TRUE(body) << body.error().what;
    EXPECT_EQ(*body, R"({"events": []})");
    EXPECT_EQ(daemon.asked(),
              "GET /v1/series?entity=port%3Amlx5_0%2F1%20%C3%A9%26&step=10s HTTP/1.0\r\nHost: localhost\r\n\r\n");
}

TEST(Client, ALargeAnswerIsWhole) {
    const std::string large(3'000'000, 'x');
    const Answering daemon(answer(200, large));
    const auto body = ask(daemon.path(), "/v1/events", {});
    ASSERT_TRUE(body) << body.error().what;
    EXPECT_EQ(*body, large);
}

TEST(Client, WhatTheDaemonComplainsOf) {
    const Error error = error_of(answer(404, R"({"error": "no such entity", "remedy": "facts --list"})"));
    EXPECT_EQ(error.code, Errc::not_found);
    EXPECT_EQ(error.what, "no such entity");
    EXPECT_EQ(error.remedy, "facts --list");
    EXPECT_EQ(error_of(answer(503, "")).code, Errc::io);
}

TEST(Client, NoAnswerIsWholeUnlessItIs) {
    const std::string whole = answer(200, "{\"events\": []}");
    for (const std::string& bytes :
         {std::string(), whole.substr(0, whole.size() - 1), whole.substr(0, 20), std::string("HTTP/1."),
          std::string("HTTP/1.1 200 OK\r\n\r\n{}"), std::string("HTTP/1.1 abc OK\r\nContent-Length: 2\r\n\r\n{}"),
          std::string("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n{}"), std::string("SSH-2.0-OpenSSH\r\n\r\n")}) {
        const Error error = error_of(bytes);
        EXPECT_EQ(error.code, Errc::io) << bytes;
        EXPECT_NE(error.what.find("the answer broke off, or is none"), std::string::npos) << bytes;
    }
}

TEST(Client, WhereThereIsNoDaemon) {
    const TempDirectory directory;
    const auto nobody = ask(directory / "api.sock", "/v1/events", {});
    ASSERT_FALSE(nobody);
    EXPECT_EQ(nobody.error().code, Errc::not_found);
    EXPECT_EQ(nobody.error().remedy, "sudo systemctl enable --now rdmadoctord");
    const auto file = ask(directory.file("file", ""), "/v1/events", {});
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, Errc::not_found) << "nobody listens there";
    const auto longer = ask("/" + std::string(200, 'x'), "/v1/events", {});
    ASSERT_FALSE(longer);
    EXPECT_EQ(longer.error().code, Errc::bad_input);
}

}  // namespace
}  // namespace rd::cli
