// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/client.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/host/clock.h"
#include "tests/unit/cli/answering.h"
#include "tests/unit/support/in_child.h"

namespace rd::cli {
namespace {

Error error_of(std::string bytes) {
    const Answering daemon({std::move(bytes)});
    const auto got = ask(daemon.path(), "/v1/events", {});
    return got ? Error{Errc::io, "answered: " + *got, {}} : got.error();
}

TEST(Client, AsksAndGivesTheBody) {
    Answering daemon({answer_with(200, R"({"events": []})")});
    const auto body = ask(daemon.path(), "/v1/series", {{"entity", "port:mlx5_0/1 é&"}, {"step", "10s"}});
    ASSERT_TRUE(body) << body.error().what;
    EXPECT_EQ(*body, R"({"events": []})");
    EXPECT_EQ(daemon.asked().front(),
              "GET /v1/series?entity=port%3Amlx5_0%2F1%20%C3%A9%26&step=10s HTTP/1.0\r\nHost: localhost\r\n\r\n");
}

TEST(Client, ALargeAnswerIsWhole) {
    const std::string large(3'000'000, 'x');
    const Answering daemon({answer_with(200, large)});
    const auto body = ask(daemon.path(), "/v1/events", {});
    ASSERT_TRUE(body) << body.error().what;
    EXPECT_EQ(*body, large);
}

TEST(Client, WhatTheDaemonComplainsOf) {
    const Error error = error_of(answer_with(404, R"({"error": "no such entity", "remedy": "facts --list"})"));
    EXPECT_EQ(error.code, Errc::bad_input) << "not_found is that nobody answers";
    EXPECT_EQ(error.what, "no such entity");
    EXPECT_EQ(error.remedy, "facts --list");
    EXPECT_EQ(error_of(answer_with(503, "")).code, Errc::io);
}

TEST(Client, NoAnswerIsWholeUnlessItIs) {
    const std::string whole = answer_with(200, "{\"events\": []}");
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

TEST(Client, TheWholeOfItHasItsTime) {
    const Silent daemon;
    const std::int64_t begin = steady_ns();
    const auto got = ask(daemon.path(), "/v1/events", {}, std::chrono::milliseconds(200));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, Errc::timed_out);
    EXPECT_EQ(got.error().what, daemon.path() + ": no whole answer within 0.2 s");
    EXPECT_EQ(got.error().remedy, "systemctl status rdmadoctord");
    EXPECT_LT(steady_ns() - begin, 5'000'000'000);
    EXPECT_GE(steady_ns() - begin, 200'000'000);
}

TEST(Client, AByteNowAndThenIsNoAnswer) {
    const TempDirectory directory;
    const std::string path = directory / "api.sock";
    const Descriptor listening = listening_at(path);
    std::thread daemon([&] {
        const Descriptor one(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
        while (::send(one.get(), "H", 1, MSG_NOSIGNAL) == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    });
    const auto got = ask(path, "/v1/events", {}, std::chrono::milliseconds(200));
    daemon.join();
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, Errc::timed_out);
}

TEST(Client, WhoMayNotIsToldTheLineThatMendsIt) {
    const Silent daemon;
    ASSERT_EQ(::chmod(daemon.path().c_str(), ::geteuid() == 0 ? 0600 : 0), 0);
    EXPECT_TRUE(in_child([&] {
        if (!become_nobody()) return false;
        const auto got = ask(daemon.path(), "/v1/events", {}, std::chrono::milliseconds(200));
        return !got && got.error().code == Errc::no_privilege &&
               got.error().remedy == "sudo usermod -aG rdmadoctor \"$USER\", and log in again";
    }));
}

}  // namespace
}  // namespace rd::cli
