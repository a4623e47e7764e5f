// SPDX-License-Identifier: GPL-2.0-or-later
// A report with one of everything: a cause with its consequence, a suspicion, what is not known.
#pragma once

#include "core/diagnosis/report.h"

namespace rd::cli {

inline const Entity kPci{Kind::pci, "0000:41:00.0"};
inline const Entity kPort{Kind::port, "pci-0000:41:00.0/1"};

inline Report empty_report() {
    Report report;
    report.host = {"live", "stor17", "6.1.0-57-amd64", "x86_64", "3f0c", 0, 0x1ffffffffff, false};
    report.tool = "rdmadoctor 0.1.0";
    report.rules_version = "0.1.0";
    report.rules_hash = "0123456789abcdef";
    report.from = {1'000'000'000, 1'700'000'000'000'000'000};
    report.to = {3'000'000'000, 1'700'000'002'000'000'000};
    report.sweeps = 2;
    report.devices = 1;
    report.summary.quiet = 12;
    report.summary.not_applicable = 3;
    return report;
}

inline Finding cause() {
    Finding finding;
    finding.rule = "pcie-link-width-degraded";
    finding.title = "The adapter trained fewer PCIe lanes than it has";
    finding.severity = Severity::critical;
    finding.subject = {kPci, "0000:41:00.0"};
    finding.since = {3'000'000'000, 1'700'000'002'000'000'000};
    finding.explanation = "It runs with 8 of 16 lanes,\nhalf of what the slot gives.";
    finding.evidence = {{{kPci, "link_width", "", Value(std::int64_t{8}), "lanes", {}, finding.since}, "0000:41:00.0"}};
    Fix fix;
    fix.advice = "Reseat the card.";
    fix.cost = Cost::reboot;
    fix.commands = {"lspci -vv -s 0000:41:00.0"};
    finding.fixes = {fix};
    finding.proofs = {{std::chrono::seconds(30), "storage-4k"}};
    finding.references = {"PCI Express Base Specification"};
    return finding;
}

inline Finding consequence() {
    Finding finding;
    finding.rule = "rate-low";
    finding.title = "The port moves less than it could";
    finding.severity = Severity::medium;
    finding.confidence = Confidence::medium;
    finding.subject = {kPort, "mlx5_0/1"};
    finding.since = {3'000'000'000, 1'700'000'002'000'000'000};
    finding.explanation = "Half the rate & less.";
    finding.evidence = {
        {{kPort, "rx_bytes", "rate", Value(1.5e9), "bytes", std::chrono::seconds(2), finding.since}, "mlx5_0/1"},
        {{kPort, "tx_wait", "", Reading(tl::unexpect, Gap{GapClass::not_offered, "no such counter", ""}), "", {}, {}},
         "mlx5_0/1"},
    };
    finding.peer = {"rdmadoctor check", "rdma link"};
    finding.causes = {{"pcie-link-width-degraded", {kPci, "0000:41:00.0"}}};
    return finding;
}

inline Report sample_report() {
    Report report = empty_report();
    report.findings = {cause(), consequence()};
    report.summary.firing = 2;
    Finding suspicion = cause();
    suspicion.rule = "old-loss";
    suspicion.title = "Packets were lost at some time";
    suspicion.severity = Severity::low;
    suspicion.confidence = Confidence::low;
    suspicion.state = State::suspected;
    report.suspected = {suspicion};
    report.summary.suspected = 1;
    const Gap gap{GapClass::no_privilege, "pci.config/0000:41:00.0: not permitted", "run as root"};
    report.unknown = {{"mrrs-small",
                       "Reads are small",
                       Severity::high,
                       {kPci, "0000:41:00.0"},
                       {{{kPci, "max_read_request", gap}, "0000:41:00.0"}}}};
    report.summary.unknown = 1;
    report.summary.needs_root = 1;
    report.conclusion = {Conclusion::Kind::cause,
                         "pcie-link-width-degraded",
                         {{kPci, "0000:41:00.0"}},
                         Confidence::high,
                         {{"rate-low", {kPort, "mlx5_0/1"}}},
                         "apply its fix",
                         "Most likely cause: it; to settle it: apply its fix."};
    return report;
}

}  // namespace rd::cli
