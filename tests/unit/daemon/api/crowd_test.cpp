// SPDX-License-Identifier: GPL-2.0-or-later
// Clients who do not mean well, and that others are served all the same.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <atomic>
#include <thread>

#include "daemon/api/connections.h"
#include "tests/unit/daemon/api/client.h"

namespace rd::daemon {
namespace {

using namespace std::chrono_literals;

class CrowdTest : public testing::Test, protected ApiScene {};

TEST_F(CrowdTest, ANormalRequestIsAnsweredAmongManyHalfOpenOnes) {
    ApiOptions options;
    options.places = 16;
    start(std::move(options));
    std::vector<std::unique_ptr<Client>> crowd;
    for (int i = 0; i < 300; ++i) {
        crowd.push_back(std::make_unique<Client>(path()));
        if (i % 3 != 0) crowd.back()->send("GET /v1/health HTTP/1.1\r\nHost: ");
        if (i % 20 == 0) {
            EXPECT_EQ(get("/v1/health").status, 200) << i;
        }
    }
    for (const auto& one : crowd) one->send("x");
    EXPECT_EQ(get("/metrics").status, 200);
}

TEST_F(CrowdTest, WhoSendsOneByteNowAndThenDoesNotKeepHisPlace) {
    ApiOptions options;
    options.request = 500ms;
    start(std::move(options));
    const Client slow(path());
    const std::int64_t begin = steady_ns();
    ASSERT_TRUE(slow.send("GET /v1/health HTTP/1.1\r\nHost: "));
    while (slow.send("x") && steady_ns() - begin < 20'000'000'000) std::this_thread::sleep_for(50ms);
    EXPECT_LT(steady_ns() - begin, 15'000'000'000);
    const Client silent(path());
    EXPECT_TRUE(silent.closed());
}

TEST_F(CrowdTest, WhoDoesNotTakeHisAnswerDoesNotKeepHisPlace) {
    Frame large = small_frame();
    large.report.host.hostname = std::string(8u << 20, 'x');  // more than the socket holds
    source.show(large);
    ApiOptions options;
    options.answer = 500ms;
    start(std::move(options));
    const Client client(path());
    client.send("GET /v1/findings HTTP/1.1\r\nHost: x\r\n\r\n");
    std::this_thread::sleep_for(3s);
    const Answer answer = client.receive();
    EXPECT_EQ(answer.status, 0);  // it ends before it is whole
}

TEST_F(CrowdTest, AConnectionIsGoodForSeveralRequests) {
    start();
    const Client client(path());
    for (int i = 0; i < 5; ++i) {
        client.send("GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n");
        EXPECT_EQ(client.receive().status, 200);
    }
    // Several at once, too.
    client.send(
        "GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\nHEAD /v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(client.receive().status, 200);
}

// The ten thousand: as many as this process may open at a time, again and again.
TEST_F(CrowdTest, TenThousandConnectionsAreNoTrouble) {
    start();
    std::atomic<bool> over = false;
    std::atomic<int> made = 0;
    std::thread crowd([&] {
        std::vector<std::unique_ptr<Client>> all;
        for (int i = 0; i < 10'000; ++i) {
            all.push_back(std::make_unique<Client>(path()));
            made += all.back()->connected();
            if (i % 2 == 0) all.back()->send("GET /v1/facts HTTP/1.1\r\nX: ");
            if (all.size() == 300) all.clear();
        }
        over = true;
    });
    int answered = 0;
    while (!over) {
        EXPECT_EQ(get("/v1/health").status, 200);
        ++answered;
        std::this_thread::sleep_for(10ms);
    }
    crowd.join();
    EXPECT_EQ(made, 10'000);
    EXPECT_GT(answered, 0);
    EXPECT_EQ(get("/v1/health").status, 200);
}

struct Pair {
    Pair() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0); }
    ~Pair() {
        ::close(fds[0]);
        ::close(fds[1]);
    }
    [[nodiscard]] bool open() const {
        char byte = 0;
        return ::recv(fds[1], &byte, 1, MSG_DONTWAIT) < 0;
    }
    int fds[2]{};
};

TEST(Connections, WhoHasBeenLongestAtHisRequestMakesRoom) {
    Connections connections({2, 100, 1000});
    const Pair first, second, third, fourth;
    connections.add(&first, first.fds[0], 1);
    connections.add(&second, second.fds[0], 2);
    connections.answering(&first, 3);
    connections.add(&third, third.fds[0], 4);
    EXPECT_TRUE(first.open());  // is being answered
    EXPECT_FALSE(second.open());
    connections.add(&fourth, fourth.fds[0], 5);
    EXPECT_FALSE(third.open());
    EXPECT_TRUE(fourth.open());
    connections.reading(&first, 50);
    connections.close_late(120);
    EXPECT_TRUE(first.open());
    EXPECT_FALSE(fourth.open());
    connections.answering(&first, 140);
    connections.close_late(1100);
    EXPECT_TRUE(first.open());
    connections.close_late(1200);
    EXPECT_FALSE(first.open());
    for (const Pair* one : {&first, &second, &third, &fourth}) connections.remove(one);
    EXPECT_TRUE(connections.empty());
}

}  // namespace
}  // namespace rd::daemon
