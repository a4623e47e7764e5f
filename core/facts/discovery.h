// SPDX-License-Identifier: GPL-2.0-or-later
// What a collector has found to read, and what it costs. Private to the sweep.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/facts/collector.h"
#include "core/facts/merge.h"
#include "core/facts/workers.h"
#include "core/host/clock.h"

namespace rd {

// Asks one collector what there is to read. A thread of its own kind of trouble: it too may hang.
class Discovery final : public Job {
public:
    Discovery(std::shared_ptr<const Host> host, const Collector& collector)
        : host_(std::move(host)), collector_(collector), plan_(std::string(collector.name)) {
        plan_.default_every = collector.every;
    }
    void work() override {
        const std::int64_t begin = steady_ns();
        collector_.discover(*host_, plan_);
        took_ns_ = steady_ns() - begin;
    }

    [[nodiscard]] Plan& plan() { return plan_; }
    [[nodiscard]] const Collector& collector() const { return collector_; }
    [[nodiscard]] std::int64_t took_ns() const { return took_ns_; }

private:
    std::shared_ptr<const Host> host_;
    const Collector& collector_;
    Plan plan_;
    std::int64_t took_ns_ = 0;
};

// What one collector cost when it was last asked, and where that is told.
struct Account {
    SlotIndex reads, ns, failed, late, discovery;
    Expense reading{};
    Merge::Outcome outcome{};
    std::int64_t discovery_ns = 0;
};

// What one collector's discovery came to: constants with their slots looked up once.
struct Installed {
    std::vector<EntityIndex> present;
    struct Constant {
        SlotIndex slot;
        Reading reading;
        Version version = 0;
    };
    std::vector<Constant> constants;
    std::vector<std::pair<Kind, Gap>> kind_gaps;
    std::vector<std::string> watched;
    std::vector<Plan::Read> reads;
    bool done = false;
    std::int64_t discovered_ns = 0;
};

}  // namespace rd
