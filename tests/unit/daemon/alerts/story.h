// SPDX-License-Identifier: GPL-2.0-or-later
// What happens to a host, told in seconds, and what the book makes of it in words: "raise rdma-link mlx5_0/1".
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

#include "daemon/alerts/book.h"

namespace rd::daemon {

inline const Subject kPort{{Kind::port, "pci-0000:41:00.0/1"}, "mlx5_0/1"};
inline const Subject kNetdev{{Kind::netdev, "pci-0000:41:00.0/0"}, "ens1f0"};
inline const Subject kPci{{Kind::pci, "0000:41:00.0"}, "0000:41:00.0"};

class Story {
public:
    explicit Story(BookConfig config = {}) : book(config) {}

    [[nodiscard]] Stamp now() const { return stamp(seconds); }
    [[nodiscard]] static Stamp stamp(double at) {
        const auto ns = static_cast<std::int64_t>(at * 1e9);
        return {1'000'000'000'000 + ns, 1'700'000'000'000'000'000 + ns};
    }
    void told(const AlertBook::Actions& actions) {
        for (const Action& action : actions) {
            std::string line =
                fmt::format("{} {} {}", name_of(action.deed), action.alert.name, action.alert.subject.name);
            if (action.deed == Deed::update) line += fmt::format(" ({})", name_of(action.reason));
            said.push_back(line);
            last = action;
        }
    }
    std::vector<std::string> take_said() { return std::exchange(said, {}); }

    Story& at(double when) {
        seconds = when;
        told(book.tick(now()));
        return *this;
    }
    static FindingChange change(const std::string& rule, const Subject& subject, State to,
                                std::vector<Cause> causes = {}) {
        FindingChange change;
        change.rule = rule;
        change.subject = subject;
        change.severity = Severity::high;
        change.to = to;
        change.from = to == State::firing ? State::quiet : State::firing;
        change.title = "Title of " + rule;
        change.causes = std::move(causes);
        if (subject.entity.kind == Kind::netdev) change.port = kPort;
        return change;
    }
    Story& findings(std::vector<FindingChange> changes) {
        for (FindingChange& one : changes) one.at = now();
        told(book.take(changes, now()));
        return *this;
    }
    Story& begins(const std::string& rule, const Subject& subject, std::vector<Cause> causes = {}) {
        return findings({change(rule, subject, State::firing, std::move(causes))});
    }
    Story& ends(const std::string& rule, const Subject& subject) {
        return findings({change(rule, subject, State::quiet)});
    }

    Story& event(const std::string& source, const std::string& name, const Subject& subject,
                 std::vector<std::pair<std::string, std::string>> details = {}, std::uint64_t count = 1) {
        Happening happening;
        happening.at = now();
        happening.source = source;
        happening.name = name;
        happening.subject = subject.name;
        happening.details = std::move(details);
        happening.count = count;
        if (!subject.entity.id.empty()) happening.entity = subject.entity;
        if (subject.entity.kind == Kind::netdev) happening.port = kPort;
        happening.carries_rdma = subject.name != "eth0";
        told(book.take(happening));
        return *this;
    }

    AlertBook book;
    double seconds = 0;
    std::vector<std::string> said;
    Action last;
};

using Words = std::vector<std::string>;

}  // namespace rd::daemon
