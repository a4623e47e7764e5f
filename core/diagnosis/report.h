// SPDX-License-Identifier: GPL-2.0-or-later
// What is said about a host: one object, from which text, JSON and every other style are rendered, so that they cannot differ.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/diagnosis/evaluate.h"
#include "core/host/host.h"

namespace rd {

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

// How often a rule fired on a subject, as far back as the daemon of the host has it. Wall clock, nanoseconds since 1970.
struct Recurrence {
    std::size_t times = 0;                   // the present time too, where the daemon sees it
    std::int64_t first_ns = 0;               // when the first of them began
    std::optional<std::int64_t> cleared_ns;  // when it was last over; none: it never was
    bool goes_on = false;                    // the daemon sees it at present

    friend bool operator==(const Recurrence&, const Recurrence&) = default;
};

// What the kernel told of a subject in the last hours.
struct ToldEvent {
    std::string source, name;
    std::uint64_t times = 0;
    std::int64_t last_ns = 0;

    friend bool operator==(const ToldEvent&, const ToldEvent&) = default;
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
    std::vector<Cause> causes;      // findings of this report that caused it
    std::vector<std::string> peer;  // what to run on the peer, for it is evidence about that; placeholders filled in
    std::vector<Fix> fixes;         // placeholders filled in
    std::vector<Proof> proofs;
    std::vector<std::string> references;
    std::optional<Recurrence> recurrence{};  // none: nobody was asked for it, or the daemon never saw it
    std::vector<ToldEvent> told{};           // of its subject
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

// What all of it comes to, in one sentence.
struct Conclusion {
    enum class Kind : std::uint8_t {
        cause,          // a finding that explains others, or is what is wrong
        unexplained,    // a finding that is an effect, and its cause is not among the findings
        suspicion,      // nothing but suspicions
        nothing_found,  // and enough was looked at
        cannot_tell,    // nothing was found, and too little was looked at
        no_device,      // nothing was found, and there is no RDMA device
    };
    Kind kind = Kind::cannot_tell;
    std::string rule;               // of the first three kinds
    std::vector<Subject> subjects;  // on which that rule found something
    std::optional<Confidence> confidence;
    std::vector<Cause> explains;  // findings below it
    std::string settle;           // what would settle it; empty when nothing is open
    std::string sentence;         // the whole, the above included
};
[[nodiscard]] std::string_view name_of(Conclusion::Kind kind);  // "cause" … "no_device"

// What the daemon found not long ago, and this look does not.
struct NotNow {
    std::string rule, title;
    Severity severity = Severity::info;
    Subject subject;
    std::int64_t from_ns = 0;           // of the last time
    std::optional<std::int64_t> to_ns;  // none: the daemon sees it still
    Recurrence recurrence;
};

struct Past {
    std::optional<Gap> gap;  // there is a daemon, and why it told nothing
    std::vector<NotNow> not_now;
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
    Conclusion conclusion;
    std::optional<Past> past;  // none: not asked for, or this host has no daemon (core/diagnosis/past.h)
};

[[nodiscard]] Report make_report(const Rulebook& book, const History& history, const std::vector<Verdict>& verdicts,
                                 const HostIdentity& host);

// Whether a finding makes `check` exit with more than 0.
[[nodiscard]] bool counts(const Finding& finding, Severity fail_on);

// Exit code of `check` (design §6). `fail_on`: below it findings do not count. `strict`: gaps for want of privilege count too.
[[nodiscard]] int exit_code(const Report& report, Severity fail_on, bool strict);

}  // namespace rd
