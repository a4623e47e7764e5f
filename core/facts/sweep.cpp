// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/facts/lane.h"
#include "core/facts/workers.h"
#include "core/host/clock.h"

namespace rd {
namespace {

const Entity kHost{Kind::host, ""};

constexpr FactSpec kFacts[] = {
    {Kind::host, "sweep_reads", Type::integer, Nature::gauge, "reads", "Answers asked for in the latest sweep"},
    {Kind::host, "sweep_failed", Type::integer, Nature::gauge, "reads", "Answers of the latest sweep that were errors"},
    {Kind::host, "sweep_seconds", Type::real, Nature::gauge, "seconds", "Time the latest sweep took"},
    {Kind::host, "stuck_readers", Type::integer, Nature::gauge, "threads",
     "Devices (lanes) whose read has not come back from the kernel"},
};
enum { kReads, kFailed, kSeconds, kStuck };

// Asks one collector what there is to read. A thread of its own kind of trouble: it too may hang.
class Discovery final : public Job {
public:
    Discovery(std::shared_ptr<const Host> host, const Collector& collector)
        : host_(std::move(host)), collector_(collector), plan_(std::string(collector.name)) {
        plan_.default_every = collector.every;
    }
    void work() override { collector_.discover(*host_, plan_); }

    [[nodiscard]] Plan& plan() { return plan_; }
    [[nodiscard]] const Collector& collector() const { return collector_; }

private:
    std::shared_ptr<const Host> host_;
    const Collector& collector_;
    Plan plan_;
};

// What one collector's discovery came to: constants with their slots looked up once.
struct Installed {
    std::vector<EntityIndex> present;
    std::vector<std::pair<SlotIndex, Reading>> constants;
    std::vector<std::pair<Kind, Gap>> kind_gaps;
    std::vector<std::string> watched;
    std::vector<Plan::Read> reads;
    bool done = false;
};

using Lanes = std::map<std::string, std::shared_ptr<Lane>>;

std::set<Kind> kinds_of(const Collector& collector) {
    std::set<Kind> kinds;
    for (const FactSpec& spec : collector.facts) kinds.insert(spec.kind);
    return kinds;
}

// Derivations run after those that make what they read. A circle would be a mistake in the program; it runs in file order then.
std::vector<const Derivation*> ordered(std::span<const Derivation* const> derivations) {
    std::vector<const Derivation*> result;
    std::vector<const Derivation*> waiting(derivations.begin(), derivations.end());
    const auto makes = [](const Derivation& derivation, std::string_view fact) {
        return std::any_of(derivation.facts.begin(), derivation.facts.end(), [&](const FactSpec& spec) {
            return fact == fmt::format("{}.{}", name_of(spec.kind), spec.name);
        });
    };
    const auto ready = [&](const Derivation* candidate) {
        return std::none_of(waiting.begin(), waiting.end(), [&](const Derivation* other) {
            return other != candidate && std::any_of(candidate->reads.begin(), candidate->reads.end(),
                                                     [&](std::string_view fact) { return makes(*other, fact); });
        });
    };
    while (!waiting.empty()) {
        auto next = std::find_if(waiting.begin(), waiting.end(), ready);
        if (next == waiting.end()) next = waiting.begin();
        result.push_back(*next);
        waiting.erase(next);
    }
    return result;
}

}  // namespace

std::span<const FactSpec> sweep_facts() { return kFacts; }

struct Sweep::Impl {
    std::shared_ptr<const Host> host;
    std::vector<const Collector*> collectors;
    std::vector<const Derivation*> derivations;
    SweepOptions options;
    std::shared_ptr<Layout> layout = std::make_shared<Layout>();
    Workers workers;

    std::vector<Installed> installed;  // one a collector
    // Lanes of collectors that are discovered again each sweep are made anew with them; the others keep their open handles.
    Lanes steady, passing;
    std::vector<std::shared_ptr<Job>> late;  // given up on, not yet back
    std::map<std::string, Result<std::vector<std::string>>> listings;
    bool looked = false;
    std::optional<Snapshot> previous;
    std::size_t reads = 0, failed = 0;

    [[nodiscard]] bool listings_changed();
    void discover(bool all, std::chrono::nanoseconds left);
    void install(std::size_t index, Plan& plan);
    void build_lanes(Lanes& lanes, Rediscover which);
    [[nodiscard]] bool is_late(const std::string& lane) const;
    void merge(Lanes& lanes, const std::vector<std::shared_ptr<Job>>& ran, Snapshot& out);
    void merge_task(Task& task, bool answered, bool is_due, Snapshot& out);
    void unanswered(const Consumer& use, const std::string& name, Snapshot& out) const;
};

bool Sweep::Impl::listings_changed() {
    bool changed = !looked;
    looked = true;
    for (const Installed& plan : installed) {
        for (const std::string& path : plan.watched) {
            auto listing = host->list(path);
            const auto known = listings.find(path);
            const bool same = known != listings.end() && known->second == listing;
            changed = changed || !same;
            if (!same) listings.insert_or_assign(path, std::move(listing));
        }
    }
    return changed;
}

void Sweep::Impl::discover(bool all, std::chrono::nanoseconds left) {
    std::vector<std::shared_ptr<Job>> jobs;
    std::vector<std::pair<std::size_t, std::shared_ptr<Discovery>>> asked;
    for (std::size_t i = 0; i < collectors.size(); ++i) {
        if (!all && installed[i].done && collectors[i]->rediscover != Rediscover::each_sweep) continue;
        if (is_late(std::string(collectors[i]->name))) continue;
        asked.emplace_back(i, std::make_shared<Discovery>(host, *collectors[i]));
        jobs.push_back(asked.back().second);
    }
    workers.run(jobs, left, options.stall);
    for (auto& [index, job] : asked) {
        if (job->finished()) {
            install(index, job->plan());
            continue;
        }
        late.push_back(job);
        if (installed[index].done) continue;  // what it found before still stands
        for (const Kind kind : kinds_of(*collectors[index])) {
            installed[index].kind_gaps.emplace_back(
                kind, Gap{GapClass::timed_out,
                          fmt::format("{}: finding out what there is took longer than {}", collectors[index]->name,
                                      print_duration(options.deadline)),
                          "see which process hangs in the kernel: ps -eo pid,stat,wchan,comm | grep ' D'"});
        }
    }
    if (all) build_lanes(steady, Rediscover::on_change);
    build_lanes(passing, Rediscover::each_sweep);
}

void Sweep::Impl::install(std::size_t index, Plan& plan) {
    Installed& target = installed[index];
    target = Installed{};
    target.done = true;
    for (Facts::Put& put : plan.constants.puts()) {
        const EntityIndex entity = layout->add(put.entity);
        target.present.push_back(entity);
        if (put.spec != nullptr) {
            target.constants.emplace_back(layout->add(entity, *put.spec, put.name), std::move(put.reading));
        }
    }
    std::sort(target.present.begin(), target.present.end());
    target.present.erase(std::unique(target.present.begin(), target.present.end()), target.present.end());
    target.kind_gaps = std::move(plan.kind_gaps);
    target.watched = std::move(plan.watched);
    target.reads = std::move(plan.reads);
}

void Sweep::Impl::build_lanes(Lanes& lanes, Rediscover which) {
    for (const auto& [name, lane] : lanes) {
        if (lane->running()) late.push_back(lane);
    }
    lanes.clear();
    for (std::size_t i = 0; i < collectors.size(); ++i) {
        if (collectors[i]->rediscover != which) continue;
        for (const Plan::Read& read : installed[i].reads) {
            std::shared_ptr<Lane>& lane = lanes[read.lane];
            if (!lane) lane = std::make_shared<Lane>(read.lane);
            Consumer& use = lane->add(*host, read.name, read.every);
            use.collector = collectors[i];
            use.parser = read.parser;
            use.covers = read.covers;
            use.decoder = read.decoder;
            if (read.parser != nullptr) use.slot = layout->add(layout->add(read.entity), *read.spec, read.fact);
        }
    }
}

bool Sweep::Impl::is_late(const std::string& name) const {
    return std::any_of(late.begin(), late.end(), [&](const std::shared_ptr<Job>& job) {
        if (const auto* lane = dynamic_cast<const Lane*>(job.get())) return lane->name() == name;
        const auto* discovery = dynamic_cast<const Discovery*>(job.get());
        return discovery != nullptr && discovery->collector().name == name;
    });
}

void Sweep::Impl::unanswered(const Consumer& use, const std::string& name, Snapshot& out) const {
    const Gap gap{GapClass::timed_out, fmt::format("{}: no answer within {}", name, print_duration(options.deadline)),
                  "a read that hangs means that the driver or its firmware does not answer: look at the kernel log"};
    if (use.parser != nullptr) out.set(use.slot, tl::unexpected<Gap>(gap));
    for (const Cover& cover : use.covers) out.gap(cover.entity, *cover.spec, gap);
}

void Sweep::Impl::merge_task(Task& task, bool answered, bool is_due, Snapshot& out) {
    for (Consumer& use : task.consumers) {
        if (!is_due) {
            for (const Facts::Put& put : use.facts.puts()) out.present(put.entity);
            continue;
        }
        if (!answered) {
            unanswered(use, task.name, out);
            continue;
        }
        if (use.parser != nullptr) {
            if (!use.reading) ++failed;
            out.set(use.slot, std::move(use.reading));
            continue;
        }
        for (Facts::Put& put : use.facts.puts()) {
            const std::span<const FactSpec> own = use.collector->facts;
            const bool declared = put.spec == nullptr || (put.spec >= own.data() && put.spec < own.data() + own.size());
            if (!declared) continue;  // a collector may put what it declares and nothing else
            if (put.spec == nullptr) {
                out.present(put.entity);
            } else {
                out.set(put.entity, *put.spec, put.name, std::move(put.reading));
            }
        }
    }
}

void Sweep::Impl::merge(Lanes& lanes, const std::vector<std::shared_ptr<Job>>& ran, Snapshot& out) {
    for (const auto& [name, lane] : lanes) {
        const bool asked = std::find(ran.begin(), ran.end(), lane) != ran.end();
        if (!asked && (lane->running() || is_late(name))) {
            for (Task& task : lane->tasks()) {
                for (Consumer& use : task.consumers) unanswered(use, task.name, out);
            }
            continue;
        }
        if (!asked) {  // nothing was due: what it saw last time is still there
            for (Task& task : lane->tasks()) merge_task(task, true, false, out);
            continue;
        }
        const std::size_t done = lane->done();
        std::size_t index = 0;
        for (Task& task : lane->tasks()) {
            if (task.due) ++reads;
            merge_task(task, index++ < done, task.due, out);
        }
    }
}

Sweep::Sweep(std::shared_ptr<const Host> host, std::span<const Collector* const> collectors,
             std::span<const Derivation* const> derivations, SweepOptions options)
    : impl_(std::make_unique<Impl>()) {
    impl_->host = std::move(host);
    impl_->collectors.assign(collectors.begin(), collectors.end());
    impl_->derivations = ordered(derivations);
    impl_->options = std::move(options);
    impl_->installed.resize(collectors.size());
}

Sweep::~Sweep() = default;

Snapshot Sweep::run(Due due) {
    Impl& self = *impl_;
    const std::int64_t begin = steady_ns();
    const auto left = [&] { return self.options.deadline - std::chrono::nanoseconds(steady_ns() - begin); };
    std::erase_if(self.late, [](const auto& job) { return job->finished(); });

    const Stamp stamp = self.host->now();
    const bool all = self.listings_changed();
    self.discover(all, left());
    if (all) (void)self.listings_changed();  // the watched directories are known only now

    std::vector<std::shared_ptr<Job>> jobs;
    for (Lanes* lanes : {&self.steady, &self.passing}) {
        for (const auto& [name, lane] : *lanes) {
            if (lane->running() || self.is_late(name)) continue;
            if (lane->prepare(stamp.boot_ns, due == Due::all)) jobs.push_back(lane);
        }
    }
    self.workers.run(jobs, left(), self.options.stall);

    Snapshot snapshot(self.layout, stamp);
    if (self.previous && due == Due::by_cadence) {
        for (SlotIndex slot = 0; slot < self.layout->slot_count(); ++slot) {
            if (const Reading* reading = self.previous->at(slot)) snapshot.carry(slot, *reading);
        }
    }
    snapshot.present(kHost);
    for (const Installed& plan : self.installed) {
        for (const EntityIndex entity : plan.present) snapshot.present(entity);
        for (const auto& [slot, reading] : plan.constants) snapshot.set(slot, reading);
        for (const auto& [kind, gap] : plan.kind_gaps) snapshot.kind_gap(kind, gap);
    }
    self.reads = self.failed = 0;
    self.merge(self.steady, jobs, snapshot);
    self.merge(self.passing, jobs, snapshot);
    for (const Derivation* derivation : self.derivations) derivation->derive(self.options.site, snapshot);

    const auto stuck = std::count_if(jobs.begin(), jobs.end(), [](const auto& job) { return job->running(); }) +
                       static_cast<std::ptrdiff_t>(self.late.size());
    snapshot.put(kHost, kFacts[kReads], static_cast<std::int64_t>(self.reads));
    snapshot.put(kHost, kFacts[kFailed], static_cast<std::int64_t>(self.failed));
    snapshot.put(kHost, kFacts[kStuck], static_cast<std::int64_t>(stuck));
    snapshot.put(kHost, kFacts[kSeconds], static_cast<double>(steady_ns() - begin) / 1e9);
    self.previous = snapshot;
    return snapshot;
}

const std::shared_ptr<Layout>& Sweep::layout() const { return impl_->layout; }

std::size_t Sweep::read_count() const { return read_names().size(); }

std::vector<std::string> Sweep::read_names() const {
    std::vector<std::string> names;
    for (const Lanes* lanes : {&impl_->steady, &impl_->passing}) {
        for (const auto& [name, lane] : *lanes) {
            for (const Task& task : lane->tasks()) names.push_back(task.name);
        }
    }
    return names;
}

bool Sweep::stuck() const {
    const auto running = [](const auto& entry) { return entry.second->running(); };
    const auto unfinished = [](const auto& job) { return !job->finished(); };
    return std::any_of(impl_->late.begin(), impl_->late.end(), unfinished) ||
           std::any_of(impl_->steady.begin(), impl_->steady.end(), running) ||
           std::any_of(impl_->passing.begin(), impl_->passing.end(), running);
}

}  // namespace rd
