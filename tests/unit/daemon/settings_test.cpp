// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/facts/site.h"
#include "core/program/files.h"

namespace rd::daemon {
namespace {

using testing::HasSubstr;

std::string complaint(std::string_view text) {
    const auto settings = parse_settings(text, "x.toml");
    return settings ? "" : settings.error().what + " | " + settings.error().remedy;
}

TEST(Settings, NothingIsTheDefaults) {
    const auto settings = parse_settings("", "x.toml");
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->interval, std::chrono::seconds(1));
    EXPECT_EQ(settings->store, "/var/lib/rdmadoctor/store/metrics.db");
    EXPECT_EQ(settings->contexts, ContextPolicy::automatic);
    EXPECT_EQ(settings->metrics_port, 0);
}

TEST(Settings, EveryKeyIsRead) {
    const auto settings = parse_settings(R"(
intent = "lossless"
[daemon]
interval = "5s"
contexts = "never"
[store]
path = "/x/metrics.db"
flush = "10s"
samples = "2d"
minutes = "10d"
hours = "300d"
events = "30d"
size = "64M"
[api]
socket = "/x/api.sock"
group = "ops"
control = "/x/control.sock"
metrics_port = 9879
textfile = "/x/rdmadoctor.prom"
)",
                                         "x.toml");
    ASSERT_TRUE(settings) << settings.error().what;
    EXPECT_EQ(settings->interval, std::chrono::seconds(5));
    EXPECT_EQ(settings->contexts, ContextPolicy::never);
    EXPECT_EQ(settings->store, "/x/metrics.db");
    EXPECT_EQ(settings->limits.flush, 10'000);
    EXPECT_EQ(settings->limits.keep_samples, 2 * 86'400'000);
    EXPECT_EQ(settings->limits.keep_minutes, 10 * 86'400'000);
    EXPECT_EQ(settings->limits.keep_hours, 300 * 86'400'000LL);
    EXPECT_EQ(settings->limits.keep_events, 30 * 86'400'000LL);
    EXPECT_EQ(settings->limits.most_bytes, 64 << 20);
    EXPECT_EQ(settings->socket, "/x/api.sock");
    EXPECT_EQ(settings->group, "ops");
    EXPECT_EQ(settings->control, "/x/control.sock");
    EXPECT_EQ(settings->metrics_port, 9879);
    EXPECT_EQ(settings->textfile, "/x/rdmadoctor.prom");
}

TEST(Settings, WhatIsWrongIsSaidWithItsPlace) {
    EXPECT_THAT(complaint("[store]\npaht = \"x\"\n"), HasSubstr("x.toml:2:1: unknown key 'paht' in [store]"));
    EXPECT_THAT(complaint("[store]\npaht = \"x\"\n"), HasSubstr("path"));
    EXPECT_THAT(complaint("[daemon]\ninterval = \"1ms\"\n"), HasSubstr("x.toml:2:"));
    EXPECT_THAT(complaint("[daemon]\ninterval = 5\n"), HasSubstr("a time from"));
    EXPECT_THAT(complaint("[daemon]\ncontexts = true\n"), HasSubstr("auto"));
    EXPECT_THAT(complaint("[api]\nmetrics_port = 70000\n"), HasSubstr("65535"));
    EXPECT_THAT(complaint("[store]\nsize = \"1K\"\n"), HasSubstr("16M"));
    EXPECT_THAT(complaint("[store]\npath = \"/etc/passwd\"\n"), HasSubstr("x.toml:2:"));
    EXPECT_THAT(complaint("store = 1\n"), HasSubstr("[store]"));
    EXPECT_THAT(complaint("[store\n"), HasSubstr("x.toml:1:"));
}

// The file that is installed: as it stands, and with every key that it names taken at its word.
TEST(Settings, TheInstalledFileHasEveryKeyAtItsDefault) {
    const auto text = read_own_file(std::string(RDMADOCTOR_SOURCE_DIR) + "/configs/rdmadoctor.toml");
    ASSERT_TRUE(text);
    ASSERT_TRUE(parse_settings(*text, "installed"));
    std::string said;
    std::size_t keys = 0;
    for (std::size_t at = 0; at < text->size();) {
        const std::size_t end = text->find('\n', at);
        std::string line = text->substr(at, end - at);
        if (line.size() > 1 && line[0] == '#' && line[1] >= 'a' && line[1] <= 'z' &&
            line.find(" = ") != std::string::npos) {
            line.erase(0, 1);
            ++keys;
        }
        said += line + "\n";
        at = end + 1;
    }
    EXPECT_GE(keys, 12u);
    const auto settings = parse_settings(said, "installed");
    ASSERT_TRUE(settings) << settings.error().what;
    const Settings defaults;
    EXPECT_EQ(settings->interval, defaults.interval);
    EXPECT_EQ(settings->control, defaults.control);
    EXPECT_EQ(settings->contexts, defaults.contexts);
    EXPECT_EQ(settings->store, defaults.store);
    EXPECT_EQ(settings->limits.flush, defaults.limits.flush);
    EXPECT_EQ(settings->limits.keep_samples, defaults.limits.keep_samples);
    EXPECT_EQ(settings->limits.keep_minutes, defaults.limits.keep_minutes);
    EXPECT_EQ(settings->limits.keep_hours, defaults.limits.keep_hours);
    EXPECT_EQ(settings->limits.keep_events, defaults.limits.keep_events);
    EXPECT_EQ(settings->limits.most_bytes, defaults.limits.most_bytes);
    EXPECT_EQ(settings->socket, defaults.socket);
    EXPECT_EQ(settings->group, defaults.group);
    EXPECT_EQ(settings->metrics_port, defaults.metrics_port);
    EXPECT_EQ(settings->textfile, defaults.textfile);
    EXPECT_TRUE(parse_site(said, "installed"));
}

}  // namespace
}  // namespace rd::daemon
