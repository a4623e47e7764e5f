// SPDX-License-Identifier: GPL-2.0-or-later
// What a line of a log is about: names in it, and references between entities. See log_evidence.h for the order.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnosis/log_pattern.h"
#include "core/facts/history.h"

namespace rd {

class LogSubjects {
public:
    explicit LogSubjects(const History& history);

    // nullopt: the line is about something that is not looked at.
    [[nodiscard]] std::optional<Entity> of(Kind scope, const Captures& captures, std::string_view line);

private:
    struct Names {
        std::vector<Entity> known;
        bool strange = false;      // it names a device that is not here
        bool strange_pci = false;  // a PCI function that is not here
    };
    [[nodiscard]] Names names(const Captures& captures, std::string_view line) const;
    [[nodiscard]] std::vector<Entity> related(const Entity& named, Kind scope);
    const std::set<Entity>& reached(const Entity& from);
    [[nodiscard]] std::vector<Entity> referred(const Entity& from) const;

    const History& history_;
    std::map<std::string, std::vector<Entity>, std::less<>> by_name_;
    std::map<Entity, std::set<Entity>> reached_;
};

}  // namespace rd
