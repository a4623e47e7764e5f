// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/daemon/scene.h"

namespace rd::daemon {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

TEST(Metrics, ACounterInBothForms) {
    const Frame frame = small_frame();
    EXPECT_THAT(open_metrics(frame), HasSubstr("# HELP rdmadoctor_port_rx_bytes Bytes received\n"
                                               "# TYPE rdmadoctor_port_rx_bytes counter\n"
                                               "# UNIT rdmadoctor_port_rx_bytes bytes\n"
                                               "rdmadoctor_port_rx_bytes_total{entity=\"pci-0000:41:00.0/1\"} 132\n"));
    EXPECT_THAT(prometheus_text(frame),
                HasSubstr("# HELP rdmadoctor_port_rx_bytes_total Bytes received\n"
                          "# TYPE rdmadoctor_port_rx_bytes_total counter\n"
                          "rdmadoctor_port_rx_bytes_total{entity=\"pci-0000:41:00.0/1\"} 132\n"));
}

TEST(Metrics, ConvertsUnitsAndSaysSo) {
    const std::string text = open_metrics(small_frame());
    EXPECT_THAT(text, HasSubstr("Rate of the link (fact port.rate, there in Gbit/s)"));
    EXPECT_THAT(text, HasSubstr("rdmadoctor_port_rate_bytes_per_second{entity=\"pci-0000:41:00.0/1\"} 12500000000"));
    EXPECT_THAT(text,
                HasSubstr("rdmadoctor_port_rx_pause_duration_seconds_total{entity=\"pci-0000:41:00.0/1\"} 0.000123\n"));
    EXPECT_THAT(text, HasSubstr("rdmadoctor_host_source_seconds{member=\"dcb\"} 0.0015\n"));
    EXPECT_THAT(text, HasSubstr("rdmadoctor_host_memory_bytes 17179869184\n"));
    EXPECT_THAT(text, HasSubstr("rdmadoctor_port_lossless{entity=\"pci-0000:41:00.0/1\"} 1\n"));
}

TEST(Metrics, TextsAndReferencesAreInOnePlaceToJoin) {
    const std::string text = open_metrics(small_frame());
    EXPECT_THAT(text, HasSubstr("# TYPE rdmadoctor_port info\n"));
    EXPECT_THAT(
        text, HasSubstr("rdmadoctor_port_info{entity=\"pci-0000:41:00.0/1\",name=\"mlx5_0/1\",link_layer=\"Ethernet\","
                        "pci=\"0000:41:00.0\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("rdmadoctor_port_state{entity=\"pci-0000:41:00.0/1\",state=\"ACTIVE\"} 1\n"));
    EXPECT_THAT(prometheus_text(small_frame()), HasSubstr("# TYPE rdmadoctor_port_info gauge\n"));
}

TEST(Metrics, WhatCouldNotBeReadIsAGapAndNoNumber) {
    const std::string text = open_metrics(small_frame());
    EXPECT_THAT(text, Not(HasSubstr("rdmadoctor_port_symbol_error")));
    EXPECT_THAT(text, HasSubstr("rdmadoctor_gap{kind=\"port\",entity=\"pci-0000:41:00.0/1\",fact=\"symbol_error\","
                                "class=\"no_privilege\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("rdmadoctor_gap{kind=\"nvme\",class=\"error\"} 1\n"));
}

TEST(Metrics, WhatComesAndGoesIsNotExported) {
    const std::string text = open_metrics(small_frame());
    EXPECT_THAT(text, Not(HasSubstr("process")));
    EXPECT_THAT(text, Not(HasSubstr("4242")));
    EXPECT_THAT(text, Not(HasSubstr("lqpn")));
}

TEST(Metrics, FindingsAndHealth) {
    const std::string text = open_metrics(small_frame());
    EXPECT_THAT(text,
                HasSubstr("rdmadoctor_finding{rule=\"pcie-link-width-degraded\",kind=\"pci\",subject=\"0000:41:00.0\","
                          "name=\"0000:41:00.0\",severity=\"critical\",state=\"firing\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("severity=\"low\",state=\"suspected\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("rdmadoctor_checks{state=\"unknown\"} 4\n"));
    EXPECT_THAT(text, HasSubstr("rdmadoctor_checks_needing_root 2\n"));
    EXPECT_THAT(text, HasSubstr("rdmadoctor_daemon_sweeps_total 17\n"));
    EXPECT_THAT(text, HasSubstr("rdmadoctor_daemon_late_sweeps_total 1\n"));
    EXPECT_THAT(text, HasSubstr("rdmadoctor_daemon_sweep_duration_seconds 0.0125\n"));
    EXPECT_THAT(text, HasSubstr("rdmadoctor_daemon_sweep_time_seconds 1764547200.5\n"));
    EXPECT_THAT(text, HasSubstr("rdmadoctor_daemon_store_healthy 1\n"));
    EXPECT_THAT(text, EndsWith("\n# EOF\n"));
}

TEST(Metrics, AreInOrderWhateverOrderTheFactsHave) {
    Frame frame = small_frame();
    const std::string text = open_metrics(frame);
    std::reverse(frame.entities.begin(), frame.entities.end());
    EXPECT_EQ(open_metrics(frame), text);
}

TEST(Exposition, ForeignTextCannotForgeALine) {
    Exposition into;
    auto& family = into.family("a", Shape::gauge, "", "one\nb 1 \"x\" \\");
    Exposition::add(family, {{"name", "x\"} 1\nforged 2\n\\ \xff"}}, std::int64_t{1});
    Exposition::add(family, {{"name", std::string(5000, 'y')}}, std::int64_t{1});
    const std::string text = into.text(Form::open_metrics);
    EXPECT_THAT(text, Not(HasSubstr("\nforged")));
    EXPECT_THAT(text, Not(HasSubstr("\nb 1")));
    EXPECT_THAT(text, HasSubstr("x\\\"} 1"));
    EXPECT_THAT(text, Not(HasSubstr("\xff")));
    EXPECT_LT(text.size(), 500u);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
}

TEST(Exposition, HasEachSampleOnceAndNumbersAsTheFormWantsThem) {
    Exposition into;
    auto& family = into.family("a", Shape::gauge, "", "x");
    Exposition::add(family, {{"n", "1"}}, std::numeric_limits<double>::quiet_NaN());
    Exposition::add(family, {{"n", "1"}}, std::int64_t{2});
    Exposition::add(family, {{"n", "2"}}, -std::numeric_limits<double>::infinity());
    Exposition::add(family, {{"n", ""}}, std::int64_t{INT64_MAX});
    EXPECT_EQ(into.text(Form::prometheus),
              "# HELP a x\n# TYPE a gauge\na 9223372036854775807\na{n=\"1\"} NaN\na{n=\"2\"} -Inf\n");
    into.family("empty", Shape::gauge, "", "x");
    EXPECT_THAT(into.text(Form::prometheus), Not(HasSubstr("empty")));
}

}  // namespace
}  // namespace rd::daemon
