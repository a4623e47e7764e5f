// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/alerts/config.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace rd::daemon {
namespace {

using namespace std::chrono_literals;

TEST(AlertsConfig, ReadsEveryKey) {
    const auto read = parse_alerts_file(R"(
[alerts]
least = "medium"
hold = "5s"
clear_after = "1m"
flap_count = 9
flap_window = "5m"
repeat = "0s"
[alerts.hook]
path = "/usr/local/bin/page"
timeout = "3s"
at_once = 1
queue = 7
[alerts.alertmanager]
urls = ["http://a:9093/", "https://b/am"]
spool = "/x"
most_entries = 100
most_bytes = "1M"
timeout = "2s"
resend = "30s"
retry = "100ms"
retry_most = "5s"
ca_file = "/ca"
cert_file = "/cert"
key_file = "/key"
bearer_token_file = "/token"
generator_url = "https://wiki/rdma"
[store]
path = "/y"
)",
                                        "x.toml");
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->book.least, Severity::medium);
    EXPECT_EQ(read->book.hold, 5s);
    EXPECT_EQ(read->book.clear_after, 1min);
    EXPECT_EQ(read->book.flap_count, 9);
    EXPECT_EQ(read->book.flap_window, 5min);
    EXPECT_EQ(read->book.repeat, 0s);
    EXPECT_EQ(read->hook.path, "/usr/local/bin/page");
    EXPECT_EQ(read->hook.place, "x.toml:10:8: alerts.hook.path");
    EXPECT_EQ(read->hook.timeout, 3s);
    EXPECT_EQ(read->hook.at_once, 1);
    EXPECT_EQ(read->hook.queue, 7);
    const AlertmanagerConfig& manager = read->alertmanager;
    EXPECT_EQ(manager.urls, (std::vector<std::string>{"http://a:9093", "https://b/am"}));
    EXPECT_EQ(manager.spool, "/x");
    EXPECT_EQ(manager.most_entries, 100);
    EXPECT_EQ(manager.most_bytes, 1 << 20);
    EXPECT_EQ(manager.timeout, 2s);
    EXPECT_EQ(manager.resend, 30s);
    EXPECT_EQ(manager.retry, 100ms);
    EXPECT_EQ(manager.retry_most, 5s);
    EXPECT_EQ(manager.ca_file + manager.cert_file + manager.key_file + manager.bearer_token_file, "/ca/cert/key/token");
    EXPECT_EQ(manager.generator_url, "https://wiki/rdma");
}

struct Bad {
    const char* text;
    const char* complaint;
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.complaint; }

class AlertsConfigComplaint : public ::testing::TestWithParam<Bad> {};

TEST_P(AlertsConfigComplaint, NamesThePlace) {
    const auto read = parse_alerts_file(GetParam().text, "x.toml");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Errc::bad_input);
    EXPECT_TRUE(read.error().what.starts_with(GetParam().complaint)) << read.error().what;
}

INSTANTIATE_TEST_SUITE_P(
    All, AlertsConfigComplaint,
    ::testing::Values(
        Bad{"[alerts]\nholt = \"1s\"", "x.toml:2:1: unknown key 'holt' in [alerts]"},
        Bad{"[alerts.hook]\ncommand = \"x\"", "x.toml:2:1: unknown key 'command' in [alerts.hook]"},
        Bad{"[alerts.hook]\npath = \"page\"", "x.toml:2:8: alerts.hook.path must be an absolute path"},
        Bad{"[alerts.hook]\ntimeout = \"0s\"", "x.toml:2:11: alerts.hook.timeout must be a time between"},
        Bad{"[alerts]\nhold = 5", "x.toml:2:8: alerts.hold must be a time between"},
        Bad{"[alerts]\nflap_count = 1", "x.toml:2:14: alerts.flap_count must be a whole number, 2 to 1000"},
        Bad{"[alerts]\nleast = \"bad\"", "x.toml:2:9: alerts.least must be \"info\""},
        Bad{"[alerts.alertmanager]\nurls = \"http://a\"", "x.toml:2:8: alerts.alertmanager.urls must be a list"},
        Bad{"[alerts.alertmanager]\nurls = [\"file:///etc\"]", "x.toml:2:8: alerts.alertmanager.urls must be"},
        Bad{"[alerts.alertmanager]\nurls = [\"http://a\", \"http://a:9093/api/v2/alerts\"]",
            "x.toml:2:21: alerts.alertmanager.urls: the path of the API is appended: '/api/v2/alerts'"},
        Bad{"[alerts.alertmanager]\nurls = [\"http://a/am/api/v1/alerts/\"]",
            "x.toml:2:9: alerts.alertmanager.urls: the path of the API is appended"},
        Bad{"[alerts.alertmanager]\nurls = [\"http://a:65536\"]",
            "x.toml:2:9: alerts.alertmanager.urls: no port: '65536'"},
        Bad{"[alerts.alertmanager]\nurls = [\"http://a:/\"]", "x.toml:2:9: alerts.alertmanager.urls: no port: ''"},
        Bad{"[alerts.alertmanager]\nurls = [\"http://[::1]:0\"]", "x.toml:2:9: alerts.alertmanager.urls: no port: '0'"},
        Bad{"[alerts.alertmanager]\nurls = [\"https://me:secret@a:9093\"]",
            "x.toml:2:9: alerts.alertmanager.urls: a user and password"},
        Bad{"[alerts.alertmanager]\nurls = [\"http://:9093\"]",
            "x.toml:2:9: alerts.alertmanager.urls: a URL without a host"},
        Bad{"[alerts.alertmanager]\nurls = [\"http://a/?x=1\"]",
            "x.toml:2:9: alerts.alertmanager.urls: a URL with an argument"},
        Bad{"[alerts.alertmanager]\nmost_bytes = \"1K\"", "x.toml:2:14: alerts.alertmanager.most_bytes must be"},
        Bad{"[alerts.alertmanager]\nca_file = \"ca.pem\"", "x.toml:2:11: alerts.alertmanager.ca_file must be"},
        Bad{"alerts = 1", "x.toml:1:10: alerts must be a table"},
        Bad{"[alerts]\nhook = 1", "x.toml:2:8: alerts.hook must be a table: [alerts.hook]"},
        Bad{"[alerts", "x.toml:1:8:"}));

TEST(AlertsConfig, TakesAddressesAndPaths) {
    const auto read = parse_alerts_file(
        "[alerts.alertmanager]\nurls = [\"http://[fd00::1]:9093\", \"http://[::1]/\", \"https://a:65535/x@y/\"]", "x");
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->alertmanager.urls,
              (std::vector<std::string>{"http://[fd00::1]:9093", "http://[::1]", "https://a:65535/x@y"}));
}

TEST(AlertsConfig, ASecretIsNotRepeatedInTheComplaint) {
    const auto read = parse_alerts_file("[alerts.alertmanager]\nurls = [\"http://me:secret@a\"]", "x");
    EXPECT_EQ((read.error().what + read.error().remedy).find("secret"), std::string::npos);
    EXPECT_NE(read.error().remedy.find("bearer_token_file"), std::string::npos);
}

TEST(AlertsConfig, SaysWhichKeysThereAre) {
    EXPECT_EQ(parse_alerts_file("[alerts]\nholt = \"1s\"", "x").error().remedy, "did you mean hold?");
    EXPECT_EQ(parse_alerts_file("[alerts.hook]\nzzzzzzz = 1", "x").error().remedy,
              "known here: path, timeout, at_once, queue");
    EXPECT_TRUE(parse_alerts_file("intent = \"lossy\"", "x"));
}

// The file that is installed lists every key at its default: with all of them in force, nothing changes.
TEST(AlertsConfig, DefaultsAreThoseOfTheInstalledFile) {
    std::ifstream file(RDMADOCTOR_SOURCE_DIR "/configs/rdmadoctor.toml");
    std::string line, text;
    std::size_t keys = 0;
    bool ours = false;
    while (std::getline(file, line)) {
        if (line.starts_with("[")) ours = line.starts_with("[alerts");
        if (!ours) continue;
        const bool key = line.starts_with("#") && !line.starts_with("# ") && line.size() > 1;
        keys += key ? 1 : 0;
        text += (key ? line.substr(1) : line) + "\n";
    }
    EXPECT_EQ(keys, 23U);
    const auto read = parse_alerts_file(text, "rdmadoctor.toml");
    ASSERT_TRUE(read) << read.error().what;
    const AlertsConfig defaults;
    EXPECT_EQ(read->book.least, defaults.book.least);
    EXPECT_EQ(read->book.hold, defaults.book.hold);
    EXPECT_EQ(read->book.clear_after, defaults.book.clear_after);
    EXPECT_EQ(read->book.flap_count, defaults.book.flap_count);
    EXPECT_EQ(read->book.flap_window, defaults.book.flap_window);
    EXPECT_EQ(read->book.repeat, defaults.book.repeat);
    EXPECT_EQ(read->hook.path, defaults.hook.path);
    EXPECT_EQ(read->hook.timeout, defaults.hook.timeout);
    EXPECT_EQ(read->hook.at_once, defaults.hook.at_once);
    EXPECT_EQ(read->hook.queue, defaults.hook.queue);
    EXPECT_EQ(read->alertmanager.urls, defaults.alertmanager.urls);
    EXPECT_EQ(read->alertmanager.spool, defaults.alertmanager.spool);
    EXPECT_EQ(read->alertmanager.most_entries, defaults.alertmanager.most_entries);
    EXPECT_EQ(read->alertmanager.most_bytes, defaults.alertmanager.most_bytes);
    EXPECT_EQ(read->alertmanager.timeout, defaults.alertmanager.timeout);
    EXPECT_EQ(read->alertmanager.resend, defaults.alertmanager.resend);
    EXPECT_EQ(read->alertmanager.retry, defaults.alertmanager.retry);
    EXPECT_EQ(read->alertmanager.retry_most, defaults.alertmanager.retry_most);
    EXPECT_EQ(read->alertmanager.ca_file, defaults.alertmanager.ca_file);
}

}  // namespace
}  // namespace rd::daemon
