// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/api/api.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "core/render/report_json.h"
#include "tests/unit/daemon/api/client.h"
#include "tests/unit/support/in_child.h"
#include "tests/unit/support/refused_call.h"

namespace rd::daemon {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ApiTest : public testing::Test, protected ApiScene {};

TEST_F(ApiTest, TellsHowTheDaemonIs) {
    start();
    const Answer answer = get("/v1/health");
    ASSERT_EQ(answer.status, 200);
    EXPECT_THAT(answer.head, HasSubstr("Content-Type: application/json"));
    const json got = json::parse(answer.body);
    EXPECT_EQ(got["status"], "ok");
    EXPECT_EQ(got["sweeps"]["done"], 17);
    EXPECT_EQ(got["sweeps"]["last_seconds"], 0.013);
    EXPECT_EQ(got["store"]["bytes"], 4096);
    EXPECT_EQ(got["at"], "2025-12-01T00:00:00.500Z");
    Frame sick = small_frame();
    sick.health.store_trouble = "/var: no space left";
    source.show(sick);
    EXPECT_EQ(json::parse(get("/v1/health").body)["status"], "degraded");
}

TEST_F(ApiTest, TellsFacts) {
    start();
    const json all = json::parse(get("/v1/facts").body);
    EXPECT_EQ(all["entities"].size(), 5u);
    EXPECT_EQ(all["not_enumerated"][0]["kind"], "nvme");
    const json port = json::parse(get("/v1/facts?entity=mlx5_0/1").body);
    ASSERT_EQ(port["entities"].size(), 1u);
    EXPECT_EQ(port["entities"][0]["id"], "pci-0000:41:00.0/1");
    json facts;
    for (const json& fact : port["entities"][0]["facts"]) facts[fact["fact"].get<std::string>()] = fact;
    EXPECT_EQ(facts["rx_bytes"]["value"], 132);
    EXPECT_EQ(facts["rate"]["unit"], "Gbit/s");
    EXPECT_EQ(facts["pci"]["value"]["kind"], "pci");
    EXPECT_EQ(facts["symbol_error"]["gap"]["class"], "no_privilege");
    EXPECT_EQ(facts["symbol_error"]["gap"]["remedy"], "run as root");
    EXPECT_EQ(json::parse(get("/v1/facts?entity=port:pci-0000:41:00.0/1").body)["entities"], port["entities"]);
    EXPECT_EQ(json::parse(get("/v1/facts?entity=host").body)["entities"].size(), 1u);
    const json rates = json::parse(get("/v1/facts?fact=rate").body);
    ASSERT_EQ(rates["entities"].size(), 1u);
    EXPECT_EQ(rates["entities"][0]["facts"].size(), 1u);
}

TEST_F(ApiTest, ASlipGetsAHint) {
    start();
    Answer answer = get("/v1/facts?entity=mlx5_0/7");
    EXPECT_EQ(answer.status, 404);
    EXPECT_THAT(json::parse(answer.body)["remedy"].get<std::string>(), HasSubstr("mlx5_0/1"));
    answer = get("/v1/facts?fact=rx_byte");
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(json::parse(answer.body)["remedy"], "did you mean rx_bytes?");
    answer = get("/v1/facts?entitty=mlx5_0");
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(json::parse(answer.body)["remedy"], "did you mean entity?");
    answer = get("/v1/fact");
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(json::parse(answer.body)["remedy"], "did you mean /v1/facts?");
    answer = get("/v1/health?x=1");
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(json::parse(answer.body)["remedy"], "it takes none");
}

TEST_F(ApiTest, FindingsAreTheReportAsCheckPrintsIt) {
    start();
    const Answer answer = get("/v1/findings");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, json_text(report_json(source.shown()->report)));
}

TEST_F(ApiTest, MetricsInTheFormThatIsAskedFor) {
    start();
    Answer answer = get("/metrics");
    EXPECT_THAT(answer.head, HasSubstr("Content-Type: text/plain; version=0.0.4"));
    EXPECT_THAT(answer.body, Not(HasSubstr("# EOF")));
    answer = get("/metrics?x=1", "Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5\r\n");
    EXPECT_THAT(answer.head, HasSubstr("Content-Type: application/openmetrics-text; version=1.0.0"));
    EXPECT_THAT(answer.body, HasSubstr("# EOF"));
    Frame later = small_frame();
    later.at.boot_ns += 1'000'000'000;
    later.health.sweeps = 18;
    source.show(later);
    EXPECT_THAT(get("/metrics").body, HasSubstr("rdmadoctor_daemon_sweeps_total 18\n"));
}

TEST_F(ApiTest, RefusesArgumentsThatMeanNothingOrTwoThings) {
    start();
    for (const char* url :
         {"/v1/health?x=1", "/v1/facts?entity=host&entity=port:x", "/v1/findings/history?limit=1&limit=1"}) {
        EXPECT_EQ(get(url).status, 400) << url;
    }
    EXPECT_THAT(get("/v1/health?x=1").body, HasSubstr("it takes none"));
    EXPECT_EQ(get("/metrics?x=1&x=2").status, 200) << "scrapers add their own";
    EXPECT_THAT(get("/v1/facts?entity=host&entity=host").body, HasSubstr("the argument 'entity' is there twice"));
    EXPECT_EQ(get("/v1/facts?entity=host&fact=memory").status, 200);
}

TEST_F(ApiTest, ChangesNothing) {
    start();
    for (const std::string method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"}) {
        const Answer answer = ask(method + " /v1/facts HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}");
        EXPECT_EQ(answer.status, 405) << method;
        EXPECT_THAT(answer.head, HasSubstr("Allow: GET, HEAD")) << method;
    }
    EXPECT_EQ(get("/v1/health", "Content-Length: 1000000000\r\n").status, 413);
    EXPECT_EQ(get("/v1/health", "Transfer-Encoding: chunked\r\n").status, 413);
    EXPECT_EQ(get("/v1/health", "Content-Length: 0\r\n").status, 200);
    const Client head(path());
    head.send("HEAD /v1/health HTTP/1.1\r\nHost: x\r\n\r\n");
    const Answer answer = head.receive(true);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "");
    EXPECT_EQ(source.times_asked(), 2);
}

TEST_F(ApiTest, TakesNoPathForAFile) {
    start();
    for (const char* url :
         {"/../../etc/passwd", "/v1/../../etc/passwd", "/v1/facts/../health", "/%2e%2e/%2e%2e/etc/passwd", "//", "/",
          "/v1/health/", "/v1/health%2f", "/v1/facts%3fentity=x", "/metrics/"}) {
        EXPECT_EQ(get(url).status, 404) << url;
    }
    EXPECT_EQ(get("/v1/series?entity=../../../etc/passwd&fact=x").status, 503);  // there is no store at all
}

TEST_F(ApiTest, RefusesWhatIsTooMuch) {
    ApiOptions options;
    options.request = 1000ms;
    start(std::move(options));
    EXPECT_EQ(get("/v1/facts?entity=" + std::string(5000, 'x')).status, 414);
    const int huge = get("/v1/health", "X: " + std::string(60'000, 'x') + "\r\n").status;
    EXPECT_TRUE(huge == 431 || huge == 413 || huge == 0) << huge;
    std::string many;
    for (int i = 0; i < 2000; ++i) many += "X-" + std::to_string(i) + ": y\r\n";
    const int headers = get("/v1/health", many).status;
    EXPECT_TRUE(headers == 431 || headers == 413 || headers == 0) << headers;
    const auto with_arguments = [](int count) {
        std::string url = "/v1/health?";
        for (int i = 0; i < count; ++i) url += "a" + std::to_string(i) + "=1&";
        return url;
    };
    EXPECT_EQ(get(with_arguments(100)).status, 400);
    // More than the memory of a connection holds: the library has no answer to that, and the deadline ends it.
    EXPECT_EQ(get(with_arguments(500)).status, 0);
    EXPECT_EQ(get("/v1/health").status, 200);
}

TEST_F(ApiTest, SurvivesWhatIsNoHttp) {
    start();
    for (const std::string& text :
         {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
          std::string(4000, '\0'), std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11),
          std::string("GET /v1/health HTTP/1.1\r\n\r\n"),
          std::string("GET /%zz%00%ff?%=%&&&=&x HTTP/1.1\r\nHost: x\r\n\r\n"),
          std::string("GET /v1/facts?entity=%00&fact=%ff%fe HTTP/1.1\r\nHost: x\r\n\r\n")}) {
        const Client client(path());
        client.send(text);
        const Answer answer = client.receive(false, 2);
        EXPECT_TRUE(answer.status <= 0 || (answer.status >= 400 && answer.status < 600))
            << answer.status << " " << text;
    }
    EXPECT_EQ(get("/v1/health").status, 200);
}

TEST_F(ApiTest, AsksTheRecorderOnceForAllWhoWait) {
    source.now(Source::Mode::holds);
    start();
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 20; ++i) {
        clients.push_back(std::make_unique<Client>(path()));
        clients.back()->send("GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    while (source.holding() == 0) std::this_thread::sleep_for(1ms);
    // What needs no frame is answered meanwhile.
    EXPECT_EQ(get("/v1/events").status, 503);
    std::this_thread::sleep_for(100ms);
    EXPECT_EQ(source.times_asked(), 1);
    source.let_go();
    for (int round = 0; round < 2; ++round) source.let_go();  // for who came late
    source.now(Source::Mode::gives);
    source.let_go();
    for (const auto& client : clients) EXPECT_EQ(client->receive().status, 200);
}

TEST_F(ApiTest, ARecorderThatHangsIsSaid) {
    source.now(Source::Mode::holds);
    ApiOptions options;
    options.frame = 300ms;
    start(std::move(options));
    const Answer answer = get("/v1/facts");
    EXPECT_EQ(answer.status, 503);
    EXPECT_THAT(json::parse(answer.body)["error"].get<std::string>(),
                StartsWith("the recorder had nothing to show within 0.3 s"));
    source.let_go();  // nobody waits for it any more
    source.now(Source::Mode::gives);
    EXPECT_EQ(get("/v1/facts").status, 200);
    source.now(Source::Mode::drops);
    EXPECT_EQ(get("/v1/facts").status, 503);
    source.now(Source::Mode::gives);
    EXPECT_EQ(get("/v1/facts").status, 200);
}

TEST_F(ApiTest, StopsWhileSomebodyWaits) {
    source.now(Source::Mode::holds);
    start();
    const Client client(path()), silent(path());
    client.send("GET /v1/facts HTTP/1.1\r\nHost: x\r\n\r\n");
    while (source.holding() == 0) std::this_thread::sleep_for(1ms);
    const std::int64_t begun = steady_ns();
    api.reset();
    EXPECT_LT(steady_ns() - begun, 10'000'000'000);
    source.let_go();
    EXPECT_EQ(client.receive().status, 503);
    EXPECT_TRUE(silent.closed());
}

TEST_F(ApiTest, AnswersWhoHasAskedBeforeItStops) {
    source.now(Source::Mode::holds);
    start();
    const Client client(path());
    client.send("GET /v1/facts HTTP/1.1\r\nHost: x\r\n\r\n");
    while (source.holding() == 0) std::this_thread::sleep_for(1ms);
    std::thread late([&] {
        std::this_thread::sleep_for(100ms);
        source.let_go();
    });
    api.reset();
    EXPECT_EQ(client.receive().status, 200);
    late.join();
}

// As on a reload: whoever asks meanwhile has an answer from the old one or the new one.
TEST_F(ApiTest, NobodyIsTurnedAwayWhileItIsMadeAnew) {
    auto listening = listen_unix(path(), "");
    ASSERT_TRUE(listening) << listening.error().what;
    std::atomic<bool> over = false;
    std::atomic<int> answered = 0, turned_away = 0;
    std::vector<std::thread> crowd;
    for (int i = 0; i < 3; ++i) {
        crowd.emplace_back([&] {
            while (!over) ++(get("/v1/health").status == 200 ? answered : turned_away);
        });
    }
    for (int round = 0; round < 30; ++round) {
        ApiOptions options;
        options.socket = Descriptor(::dup(listening->get()));
        auto started = Api::start(source, desk, std::move(options));
        ASSERT_TRUE(started) << started.error().what;
        const int before = answered;
        while (answered < before + 5 && turned_away == 0) std::this_thread::sleep_for(1ms);
        over = round == 29 || turned_away > 0;
        if (over) {
            for (std::thread& one : crowd) one.join();
            break;
        }
    }
    EXPECT_EQ(turned_away, 0);
    EXPECT_GE(answered, 150);
}

TEST_F(ApiTest, GoesOnOnTheSameSocketWhenItIsMadeAnew) {
    auto listening = listen_unix(path(), "");
    ASSERT_TRUE(listening) << listening.error().what;
    for (int round = 0; round < 3; ++round) {
        ApiOptions options;
        options.socket = Descriptor(::dup(listening->get()));
        auto started = Api::start(source, desk, std::move(options));
        ASSERT_TRUE(started) << started.error().what;
        EXPECT_EQ(get("/v1/health").status, 200) << round;
    }
}

// Of the threads of this process, by what the kernel says (proc(5), "nice").
std::multiset<int> nice_values() {
    std::multiset<int> values;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream stat(task.path() / "stat");
        std::string field;
        std::getline(stat, field, ')');
        for (int n = 3; n <= 19; ++n) stat >> field;
        values.insert(std::stoi(field));
    }
    return values;
}

TEST_F(ApiTest, WhoAnswersMakesWayForTheRestOfTheDaemon) {
    const int own = ::getpriority(PRIO_PROCESS, 0), given = std::min(own + 6, 19), nicer = std::min(given + 5, 19);
    // A thread has the nice value of the one that makes it.
    std::thread([&] {
        (void)::setpriority(PRIO_PROCESS, 0, given);
        start();
    }).join();
    ASSERT_EQ(get("/v1/health").status, 200);
    EXPECT_EQ(nice_values().count(nicer), 1u);
}

TEST_F(ApiTest, OverTcpThereAreMetricsAndNothingElse) {
    auto tcp = listen_loopback(0);
    ASSERT_TRUE(tcp) << tcp.error().what;
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ASSERT_EQ(::getsockname(tcp->get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    ApiOptions options;
    options.metrics_socket = std::move(*tcp);
    start(std::move(options));
    const std::uint16_t port = ntohs(address.sin_port);
    for (const auto& [url, status] : {std::pair("/metrics", 200), std::pair("/v1/facts", 404), std::pair("/", 404)}) {
        const Client client(port);
        client.send(std::string("GET ") + url + " HTTP/1.1\r\nHost: x\r\n\r\n");
        EXPECT_EQ(client.receive().status, status) << url;
    }
}

TEST(Listen, ARefusedPortIsToldWithWhatMendsIt) {
    const auto first = listen_loopback(0);
    ASSERT_TRUE(first) << first.error().what;
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ASSERT_EQ(::getsockname(first->get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    const auto second = listen_loopback(ntohs(address.sin_port));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().remedy, "choose another port");
    EXPECT_TRUE(in_child([] {
        if (!refuse_call(SYS_socket, EAFNOSUPPORT)) return false;
        const auto sandboxed = listen_loopback(0);
        if (sandboxed) return false;
        const std::string& remedy = sandboxed.error().remedy;
        return remedy.find("RestrictAddressFamilies=AF_INET") != remedy.npos &&
               remedy.find("IPAddressAllow=localhost") != remedy.npos;
    }));
}

TEST(Listen, TheSocketIsForItsGroupAlone) {
    const TempDirectory directory;
    const std::string path = directory / "api.sock";
    const mode_t before = ::umask(0);
    auto first = listen_unix(path, "");
    ::umask(before);
    ASSERT_TRUE(first) << first.error().what;
    struct stat what {};
    ASSERT_EQ(::stat(path.c_str(), &what), 0);
    EXPECT_EQ(what.st_mode & 0777u, 0660u);
    // Who is not in its group gets no connection, let alone a request.
    const bool root = ::geteuid() == 0;
    EXPECT_TRUE(in_child([&] { return become_nobody() && Client(path).connected() == !root; }));
    EXPECT_TRUE(Client(path).connected());
    const auto second = listen_unix(path, "");
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().what, HasSubstr("somebody listens"));
    first->reset();
    EXPECT_TRUE(listen_unix(path, ""));  // nobody listens any more
    EXPECT_FALSE(listen_unix(directory.file("file", "x"), ""));
    EXPECT_FALSE(listen_unix(directory / std::string(200, 'x'), ""));
    EXPECT_FALSE(listen_unix(directory / "none/api.sock", ""));
    EXPECT_FALSE(listen_unix(directory / "b.sock", "no-such-group-here"));
}

TEST(Listen, LeavesNoSocketWhereItMayNotBeGivenToTheGroup) {
    const TempDirectory directory;
    std::filesystem::permissions(directory.path(), std::filesystem::perms(0777));
    const std::string path = directory / "api.sock";
    EXPECT_TRUE(in_child([&] {
        if (!become_nobody()) return false;
        const auto made = listen_unix(path, "daemon");
        return !made && made.error().what.find("cannot be given to the group daemon") != std::string::npos &&
               made.error().remedy.find("[api] group") != std::string::npos;
    }));
    EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace rd::daemon
