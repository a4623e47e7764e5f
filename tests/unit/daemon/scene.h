// SPDX-License-Identifier: GPL-2.0-or-later
// A small frame: a host, two ports of an adapter, a process; a value of each type, a gap, a finding.
#pragma once

#include <memory>

#include "tests/unit/support/frame.h"

namespace rd::daemon {

inline const Entity kHost{Kind::host, ""};
inline const Entity kPci{Kind::pci, "0000:41:00.0"};
inline const Entity kPort{Kind::port, "pci-0000:41:00.0/1"};
inline const Entity kPort2{Kind::port, "pci-0000:41:00.0/2"};
inline const Entity kProcess{Kind::process, "4242"};

inline constexpr FactSpec kFacts[] = {
    {Kind::host, "memory", Type::integer, Nature::gauge, "bytes", "Memory of the host: file meminfo"},
    family(Kind::host, "source_ns_", Nature::gauge, "nanoseconds", "By collector: time its reads took"),
    {Kind::port, "name", Type::text, Nature::config, "", "What it is called"},
    {Kind::port, "rx_bytes", Type::integer, Nature::counter, "bytes", "Bytes received"},
    {Kind::port, "rate", Type::real, Nature::gauge, "Gbit/s", "Rate of the link"},
    {Kind::port, "state", Type::text, Nature::gauge, "", "ACTIVE, DOWN …"},
    {Kind::port, "link_layer", Type::text, Nature::config, "", "Ethernet or InfiniBand"},
    {Kind::port, "qps_error_example", Type::text, Nature::gauge, "", "The first queue pair in error"},
    {Kind::port, "lossless", Type::boolean, Nature::config, "", "Is it?"},
    {Kind::port, "rx_pause_duration", Type::integer, Nature::counter, "microseconds", "Time it was told to wait"},
    {Kind::port, "symbol_error", Type::integer, Nature::saturating16, "", "Symbol errors"},
    reference(Kind::port, "pci", Kind::pci, "The PCI function"),
    reference(Kind::port, "owner", Kind::process, "A process"),
    {Kind::process, "pinned", Type::integer, Nature::gauge, "bytes", "Pinned memory"},
};

inline const FactSpec& spec(std::string_view name) {
    for (const FactSpec& one : kFacts) {
        if (one.name == name) return one;
    }
    throw std::runtime_error(std::string(name));
}

inline Frame small_frame() {
    auto layout = std::make_shared<Layout>();
    Snapshot snapshot(layout, {3'000'000'000, 1'764'547'200'500'000'000});
    snapshot.put(kHost, spec("memory"), std::int64_t{1} << 34);
    snapshot.set(kHost, spec("source_ns_"), "source_ns_dcb", Value(std::int64_t{1'500'000}));
    snapshot.present(kPci);
    snapshot.put(kPort, spec("name"), std::string("mlx5_0/1"));
    snapshot.put(kPort, spec("rx_bytes"), std::int64_t{132});
    snapshot.put(kPort, spec("rate"), 100.0);
    snapshot.put(kPort, spec("state"), std::string("ACTIVE"));
    snapshot.put(kPort, spec("link_layer"), std::string("Ethernet"));
    snapshot.put(kPort, spec("qps_error_example"), std::string("lqpn 17"));
    snapshot.put(kPort, spec("lossless"), true);
    snapshot.put(kPort, spec("rx_pause_duration"), std::int64_t{123});
    snapshot.gap(kPort, spec("symbol_error"), {GapClass::no_privilege, "symbol_error: not permitted", "run as root"});
    snapshot.put(kPort, spec("pci"), kPci);
    snapshot.put(kPort, spec("owner"), kProcess);
    snapshot.put(kPort2, spec("name"), std::string("mlx5_0/2"));
    snapshot.put(kProcess, spec("pinned"), std::int64_t{4096});
    snapshot.kind_gap(Kind::nvme, {GapClass::error, "/sys/class/nvme: input/output error", ""});
    HostIdentity host;
    host.source = "live";
    host.hostname = "stor17";
    host.kernel = "6.1.0";
    host.machine = "x86_64";
    host.boot_id = "3f0c";
    Frame frame = frame_of(snapshot, host);
    Finding finding;
    finding.rule = "pcie-link-width-degraded";
    finding.title = "Fewer lanes";
    finding.severity = Severity::critical;
    finding.subject = {kPci, "0000:41:00.0"};
    frame.report.findings = {finding};
    finding.rule = "old-loss";
    finding.severity = Severity::low;
    finding.state = State::suspected;
    frame.report.suspected = {finding};
    frame.report.summary = {1, 0, 1, 12, 4, 3, 2};
    frame.report.tool = "rdmadoctor 0.1.0";
    frame.report.rules_version = "0.1.0";
    frame.report.rules_hash = "0123456789abcdef";
    frame.health.sweeps = 17;
    frame.health.late_sweeps = 1;
    frame.health.last_sweep_ns = 12'500'000;
    frame.health.store_path = "/var/lib/rdmadoctor/store/metrics.db";
    frame.health.store_bytes = 4096;
    frame.health.started_ns = 1'764'547'100'000'000'000;
    return frame;
}

}  // namespace rd::daemon
