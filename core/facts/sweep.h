// SPDX-License-Identifier: GPL-2.0-or-later
// One look at the host: discover what there is, read what is due, derive. Reads run on worker threads by lane, so that a
// device whose firmware hangs costs the others nothing; what had not come back at the deadline is a gap "timed out".
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include "core/facts/catalog.h"
#include "core/facts/collector.h"
#include "core/facts/snapshot.h"
#include "core/host/host.h"

namespace rd {

struct SweepOptions {
    std::chrono::nanoseconds deadline = std::chrono::milliseconds(1500);  // of one run()
    // A lane that has not moved on for this long no longer holds up the lanes behind it.
    std::chrono::nanoseconds stall = std::chrono::milliseconds(150);
    Site site;
    // Entities of these kinds come and go without end: the places of those that have gone for good are given to others
    // (core/facts/vacancies.h). Who asks for it must not go on reading any but the newest two snapshots. None: all keep their places.
    Kinds short_lived = 0;
};

// `soon`: something has happened. All but what answers slowly, which is left alone for as long as it was.
enum class Due : std::uint8_t { all, by_cadence, soon };

class Sweep {
public:
    Sweep(std::shared_ptr<const Host> host, std::span<const Collector* const> collectors,
          std::span<const Derivation* const> derivations, SweepOptions options);
    ~Sweep();  // does not wait for threads stuck in the kernel: they keep what they need alive
    Sweep(const Sweep&) = delete;
    Sweep& operator=(const Sweep&) = delete;

    [[nodiscard]] Snapshot run(Due due);
    // Of each run from now on.
    void set_deadline(std::chrono::nanoseconds deadline);

    [[nodiscard]] const std::shared_ptr<Layout>& layout() const;
    [[nodiscard]] std::size_t read_count() const;  // prepared reads, for benchmarks
    [[nodiscard]] std::vector<std::string> read_names() const;
    [[nodiscard]] bool stuck() const;  // a thread is still inside a read that missed its deadline

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// The facts the sweep itself gives: cost and trouble of looking.
[[nodiscard]] std::span<const FactSpec> sweep_facts();

}  // namespace rd
