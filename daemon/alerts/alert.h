// SPDX-License-Identifier: GPL-2.0-or-later
// Room daemon/alerts: what somebody should be told, and what not a second time. Findings and events of the kernel go in, actions come out:
// raise, update, clear. The rest of the room carries actions out of the process: journal, hook, spool. It reads no host, judges nothing,
// and asks no clock: every time comes in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/diagnosis/report.h"

namespace rd::daemon {

// A finding began or ended. Also one that goes on (from and to are firing) whose severity, text or causes are different now.
struct FindingChange {
    std::string rule;
    Subject subject;
    Severity severity = Severity::info;
    State from = State::quiet, to = State::quiet;
    std::string title, text;            // text: the explanation
    std::vector<std::string> evidence;  // as people read it, one a line: "port.out_of_sequence 132 packets/s over 10 s"
    std::vector<Cause> causes;          // findings that brought it about
    Stamp at;
    std::optional<Subject> port = std::nullopt;  // where the subject is the interface of an RDMA port: that port
};

// An event of the kernel (core/host/events), with what the kernel's name for its subject stands for.
struct Happening {
    Stamp at;
    std::string source, name;  // "verbs" "PORT_ERR"
    std::string subject;       // as the kernel calls it: "mlx5_0/1", "ens1f0"
    std::vector<std::pair<std::string, std::string>> details;
    std::uint64_t count = 1;
    std::optional<Entity> entity = std::nullopt;  // of the subject, where it is known
    std::optional<Subject> port = std::nullopt;   // where the subject is the interface of an RDMA port: that port
    bool carries_rdma = false;  // a port, its interface, or a member of the bond that is its interface
};

struct Acknowledgement {
    std::string by, comment;
    Stamp at;

    friend bool operator==(const Acknowledgement&, const Acknowledgement&) = default;
};

// Says nothing of what it matches, until it ends. An empty part matches everything; a '*' at the end of one, any rest.
struct Silence {
    std::string id = {};  // given by the book
    std::string rule = {}, subject = {};
    std::optional<Severity> severity = std::nullopt;
    std::string by = {}, comment = {};
    Stamp from = {}, until = {};

    friend bool operator==(const Silence&, const Silence&) = default;
};

struct Alert {
    std::string fingerprint;  // 16 hexadecimal digits: the same whenever the same trouble befalls the same thing
    std::string name;         // the trouble: "rdma-link", or the id of the rule
    Subject subject;          // the thing
    std::string rule;         // which tells most of it: the id of a rule, or an event ("verbs/PORT_ERR")
    std::string title, text;
    std::vector<std::string> evidence;
    std::vector<std::string> told_by;  // all that tell of it at present: rules and events
    std::vector<std::string>
        consequences;  // alerts that are held back because this one brought them about: "RULE on SUBJECT"
    Severity severity = Severity::info;  // the worst since it was raised
    Stamp since;
    bool raised = false;      // somebody was told
    bool firing = false;      // not: over, and kept a while in case it comes again
    bool flapping = false;    // comes and goes; neither is told until it has been steady
    std::uint64_t times = 1;  // how often it came since it was last steady
    bool silenced = false;
    std::optional<Acknowledgement> acknowledged;
};

enum class Deed : std::uint8_t { raise, update, clear };
enum class Reason : std::uint8_t { began, worse, on_purpose, flapping, steady, repeated, acknowledged, over };

struct Action {
    Deed deed = Deed::raise;
    Reason reason = Reason::began;
    Alert alert;
    Stamp at;
};

[[nodiscard]] std::string_view name_of(Deed deed);      // "raise" "update" "clear"
[[nodiscard]] std::string_view name_of(Reason reason);  // "began" … "over"

}  // namespace rd::daemon
