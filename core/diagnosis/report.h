// SPDX-License-Identifier: GPL-2.0-or-later
// What is said about a host: one object, from which text, JSON and every other style are rendered, so that they cannot differ.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/diagnosis/evaluate.h"
#include "core/host/host.h"

namespace rd {

enum class Confidence : std::uint8_t { low, medium, high };
[[nodiscard]] std::string_view name_of(Confidence confidence);

struct Subject {
    Entity entity;
    std::string name;  // "mlx5_0/1"
};

struct NamedEvidence {
    Evidence evidence;
    std::string entity_name;
};

struct NamedMissing {
    Missing missing;
    std::string entity_name;
};

struct Cause {
    std::string rule;
    Subject subject;
};

struct Finding {
    std::string rule, title;
    Severity severity = Severity::info;
    Maturity maturity = Maturity::stable;
    Confidence confidence = Confidence::high;
    Subject subject;
    State state = State::firing;
    Stamp since;
    std::string explanation;  // placeholders filled in
    std::vector<NamedEvidence> evidence;
    std::vector<Cause> causes;  // findings of this report that caused it
    std::vector<Fix> fixes;     // placeholders filled in
    std::vector<Proof> proofs;
    std::vector<std::string> references;
};

struct Unknown {
    std::string rule, title;
    Severity severity = Severity::info;
    Subject subject;
    std::vector<NamedMissing> missing;
    // Every missing fact is missing for want of privilege only.
    [[nodiscard]] bool only_privilege() const;
};

struct Summary {
    std::size_t firing = 0, pending = 0, suspected = 0, quiet = 0, unknown = 0, not_applicable = 0, needs_root = 0;
};

struct Report {
    HostIdentity host;
    std::string tool;  // "rdmadoctor 0.1.0"
    std::string rules_version, rules_hash;
    Stamp from, to;  // the window looked at
    std::size_t sweeps = 0;
    std::size_t devices = 0;    // RDMA devices seen
    bool devices_known = true;  // false: they could not be enumerated
    Summary summary;
    std::vector<Finding> findings;   // causes first, then severity, confidence, subject
    std::vector<Finding> suspected;  // severity capped at low
    std::vector<Unknown> unknown;
};

[[nodiscard]] Report make_report(const Rulebook& book, const History& history, const std::vector<Verdict>& verdicts,
                                 const HostIdentity& host);

// Exit code of `check` (design §6). `fail_on`: below it findings do not count. `strict`: gaps for want of privilege count too.
[[nodiscard]] int exit_code(const Report& report, Severity fail_on, bool strict);

}  // namespace rd
