// SPDX-License-Identifier: GPL-2.0-or-later
// Sweeps of made hosts with given collectors, and what must hold of every collector whatever it reads.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/all.h"
#include "core/facts/sweep.h"
#include "tests/unit/collectors/hosts.h"

namespace rd::collectors::test {

using Hosts = std::function<std::shared_ptr<FakeHost>()>;

// The collector or derivation of that name.
[[nodiscard]] const Collector& collector(std::string_view name);
[[nodiscard]] const Derivation& derivation(std::string_view name);

[[nodiscard]] Snapshot sweep(std::shared_ptr<const Host> host, const std::vector<std::string>& collectors,
                             const std::vector<std::string>& derivations = {}, Site site = {});

// "42", "true", "pci:0000:41:00.0", or "gap(not offered)": for short expectations.
[[nodiscard]] std::string value(const Snapshot& snapshot, const Entity& entity, std::string_view fact);
[[nodiscard]] std::string value(const Snapshot& snapshot, Kind kind, std::string_view id, std::string_view fact);
[[nodiscard]] std::string reason(const Snapshot& snapshot, Kind kind, std::string_view id, std::string_view fact);

// Every row of the collector has a value or a gap on every entity of its kind: nothing is silently absent.
void expect_complete(const Snapshot& snapshot, const Collector& collector);

// Names that make the collector go another way when they cannot be read (an identity, another source), so that what changes need not
// name them.
struct Exceptions {
    std::set<std::string> names;
};

// Each thing the collector reads is made missing, denied, empty, cut, garbage, and 10 MB; each directory it lists and link it follows
// is denied. It must not fall over; what the rest said must stay; what is lost must be a gap of the right class that names the file.
void expect_bad_input_is_survived(const Hosts& host, const std::string& collector, const Exceptions& exceptions = {});

}  // namespace rd::collectors::test
