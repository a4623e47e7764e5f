// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/metric_name.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "collectors/all.h"
#include "core/store/batch.h"

namespace rd::daemon {
namespace {

std::string name(Kind kind, std::string_view fact, std::string_view unit, Nature nature = Nature::gauge) {
    return metric_name({kind, fact, Type::integer, nature, unit, ""}).name;
}

TEST(MetricName, HasTheBaseUnitOnce) {
    EXPECT_EQ(name(Kind::port, "rx_bytes", "bytes"), "rdmadoctor_port_rx_bytes");
    EXPECT_EQ(name(Kind::netdev, "tx_bytes_phy", "bytes"), "rdmadoctor_netdev_tx_phy_bytes");
    EXPECT_EQ(name(Kind::netdev, "speed", "Gbit/s"), "rdmadoctor_netdev_speed_bytes_per_second");
    EXPECT_EQ(name(Kind::device, "path_gbps", "Gbit/s"), "rdmadoctor_device_path_bytes_per_second");
    EXPECT_EQ(name(Kind::netdev, "coalesce_rx_usecs", "microseconds"), "rdmadoctor_netdev_coalesce_rx_seconds");
    EXPECT_EQ(name(Kind::host, "source_ns_", "nanoseconds"), "rdmadoctor_host_source_seconds");
    EXPECT_EQ(name(Kind::host, "cpu_waiting", "%"), "rdmadoctor_host_cpu_waiting_ratio");
    EXPECT_EQ(name(Kind::pci, "link_width", "lanes"), "rdmadoctor_pci_link_width");
    EXPECT_EQ(name(Kind::irq, "count", "interrupts", Nature::counter), "rdmadoctor_irq_count");
    EXPECT_EQ(name(Kind::numa, "cpu_count", ""), "rdmadoctor_numa_cpu");
    EXPECT_EQ(name(Kind::service, "declared_ms_async_rdma_dscp", ""),
              "rdmadoctor_service_declared_messenger_async_rdma_dscp");
}

TEST(MetricName, ConvertsWithWholeNumbers) {
    const auto converted = [](std::string_view unit, double value) {
        const MetricName made = metric_name({Kind::host, "x", Type::real, Nature::gauge, unit, ""});
        return value * made.times / made.by;
    };
    EXPECT_EQ(converted("Gbit/s", 100), 12.5e9);
    EXPECT_EQ(converted("Mbit/s", 8), 1e6);
    EXPECT_EQ(converted("GT/s", 32), 32e9);
    EXPECT_EQ(converted("microseconds", 123), 0.000123);
    EXPECT_EQ(converted("ns", 1), 1e-9);
    EXPECT_EQ(converted("%", 7), 0.07);
    EXPECT_EQ(converted("KiB", 4), 4096);
    EXPECT_EQ(converted("mW", 1.1), 1.1 / 1000);
    EXPECT_EQ(converted("packets", 5), 5);
}

// Two facts with one name would be one family with samples that are there twice.
TEST(MetricName, IsOneFactsOwnInTheWholeCatalogue) {
    const auto catalog = collectors::catalog();
    ASSERT_TRUE(catalog);
    std::map<std::string, std::string> known;
    for (const FactSpec* spec : catalog->all()) {
        if (!store::is_kept(spec->kind)) continue;
        const std::string metric = metric_name(*spec).name;
        const auto [place, fresh] = known.emplace(metric, spec->name);
        EXPECT_TRUE(fresh) << metric << ": " << place->second << " and " << spec->name;
        EXPECT_NE(spec->name, "entity");  // a label of every sample
        EXPECT_NE(spec->name, "member");
    }
    EXPECT_GT(known.size(), 700u);
}

}  // namespace
}  // namespace rd::daemon
