// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/facts/deriver.h"
#include "core/facts/lane.h"
#include "core/facts/workers.h"
#include "core/host/clock.h"

namespace rd {
namespace {

const Entity kHost{Kind::host, ""};

// What changes without a change in a watched listing (a driver bound to a function, a module loaded) is found this late.
constexpr std::chrono::nanoseconds kRediscover = std::chrono::seconds(60);
// Who looks more often than this sees new devices no earlier.
constexpr std::chrono::nanoseconds kListAgain = std::chrono::seconds(1);

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
    std::int64_t discovered_ns = 0;
};

using Lanes = std::map<std::string, std::shared_ptr<Lane>>;

std::set<Kind> kinds_of(const Collector& collector) {
    std::set<Kind> kinds;
    for (const FactSpec& spec : collector.facts) kinds.insert(spec.kind);
    return kinds;
}

}  // namespace

std::span<const FactSpec> sweep_facts() { return kFacts; }

struct Sweep::Impl {
    explicit Impl(Deriver derivations) : deriver(std::move(derivations)) {}

    std::shared_ptr<const Host> host;
    std::vector<const Collector*> collectors;
    Deriver deriver;
    SweepOptions options;
    std::shared_ptr<Layout> layout = std::make_shared<Layout>();
    Workers workers;

    std::vector<Installed> installed;  // one a collector
    // Lanes of collectors that are discovered again each sweep are made anew with them; the others keep their open handles.
    Lanes steady, passing;
    std::vector<std::shared_ptr<Job>> late;  // given up on, not yet back
    std::map<std::string, Result<std::vector<std::string>>> listings;
    bool looked = false;
    std::int64_t listed_ns = 0;      // boot time
    std::int64_t discovered_ns = 0;  // boot time
    std::deque<Snapshot> given;      // the newest ones, last first: for what is carried over, and for their memory
    std::size_t reads = 0, failed = 0;

    [[nodiscard]] bool listings_changed(std::int64_t now_ns);
    void watch();  // from now on, what the plans ask for
    void discover(bool all, std::int64_t now_ns, std::chrono::nanoseconds left);
    void install(std::size_t index, Plan& plan);
    void build_lanes(Lanes& lanes, Rediscover which);
    [[nodiscard]] bool is_late(const std::string& lane) const;
    void merge(Lanes& lanes, const std::vector<std::shared_ptr<Job>>& ran, Snapshot& out);
    void merge_task(Task& task, bool answered, Snapshot& out);
    void merge_answer(Task& task, Snapshot& out);
    static void unanswered(Task& task, const Gap& gap, Snapshot& out);
    [[nodiscard]] Gap too_late(const std::string& name) const;
    [[nodiscard]] Snapshot blank(Stamp stamp);
};

bool Sweep::Impl::listings_changed(std::int64_t now_ns) {
    bool changed = !looked;
    if (looked && now_ns - listed_ns < kListAgain.count()) return false;
    looked = true;
    listed_ns = now_ns;
    for (auto& [path, known] : listings) {
        auto listing = host->list(path);
        if (known == listing) continue;
        known = std::move(listing);
        changed = true;
    }
    return changed;
}

void Sweep::Impl::watch() {
    std::map<std::string, Result<std::vector<std::string>>> watched;
    for (const Installed& plan : installed) {
        for (const std::string& path : plan.watched) {
            if (!watched.contains(path)) watched.emplace(path, host->list(path));
        }
    }
    listings = std::move(watched);
}

void Sweep::Impl::discover(bool all, std::int64_t now_ns, std::chrono::nanoseconds left) {
    const auto passed = [now_ns](const Collector& collector, const Installed& plan) {
        const bool again = collector.rediscover == Rediscover::always &&
                           now_ns - plan.discovered_ns >= std::chrono::nanoseconds(collector.every).count();
        return !plan.done || again;
    };
    std::vector<std::shared_ptr<Job>> jobs;
    std::vector<std::pair<std::size_t, std::shared_ptr<Discovery>>> asked;
    for (std::size_t i = 0; i < collectors.size(); ++i) {
        if (!all && !passed(*collectors[i], installed[i])) continue;
        if (is_late(std::string(collectors[i]->name))) continue;
        asked.emplace_back(i, std::make_shared<Discovery>(host, *collectors[i]));
        jobs.push_back(asked.back().second);
    }
    workers.run(jobs, left, options.stall);
    for (auto& [index, job] : asked) {
        if (job->finished()) {
            install(index, job->plan());
            installed[index].discovered_ns = now_ns;
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
    if (!asked.empty()) build_lanes(passing, Rediscover::always);
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
            if (read.parser != nullptr) {
                const SlotIndex slot = layout->add(layout->add(read.entity), *read.spec, read.fact);
                lane->add(*host, read.name, read.every, Scalar{read.parser, slot, {}});
                continue;
            }
            Multiple use{collectors[i], {}, read.decoder, {}};
            for (const Cover& cover : read.covers) {
                const EntityIndex entity = layout->add(cover.entity);
                use.covers.push_back({entity, layout->add(entity, *cover.spec, cover.spec->name)});
            }
            lane->add(*host, read.name, read.every, std::move(use));
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

Gap Sweep::Impl::too_late(const std::string& name) const {
    return {GapClass::timed_out, fmt::format("{}: no answer within {}", name, print_duration(options.deadline)),
            "a read that hangs means that the driver or its firmware does not answer: look at the kernel log"};
}

void Sweep::Impl::unanswered(Task& task, const Gap& gap, Snapshot& out) {
    task.each_scalar([&](const Scalar& use) { out.gap(use.slot, gap); });
    for (const Multiple& use : task.multiples) {
        for (const Place& place : use.covers) {
            out.present(place.entity);
            out.gap(place.slot, gap);
        }
    }
}

void Sweep::Impl::merge_answer(Task& task, Snapshot& out) {
    task.each_scalar([&](Scalar& use) {
        if (!use.reading) ++failed;
        out.set(use.slot, std::move(use.reading));
    });
    for (Multiple& use : task.multiples) {
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

void Sweep::Impl::merge_task(Task& task, bool answered, Snapshot& out) {
    if (!task.due) {  // what it saw last time is still there
        for (Multiple& use : task.multiples) {
            for (const Facts::Put& put : use.facts.puts()) out.present(put.entity);
        }
        return;
    }
    ++reads;
    if (answered && !task.failure) return merge_answer(task, out);
    ++failed;
    unanswered(task, answered ? *task.failure : too_late(task.name), out);
}

void Sweep::Impl::merge(Lanes& lanes, const std::vector<std::shared_ptr<Job>>& ran, Snapshot& out) {
    for (const auto& [name, lane] : lanes) {
        const bool asked = std::find(ran.begin(), ran.end(), lane) != ran.end();
        if (!asked && (lane->running() || is_late(name))) {
            for (Task& task : lane->tasks()) unanswered(task, too_late(task.name), out);
            continue;
        }
        const std::size_t done = asked ? lane->done() : lane->tasks().size();
        std::size_t index = 0;
        for (Task& task : lane->tasks()) merge_task(task, index++ < done, out);
    }
}

Snapshot Sweep::Impl::blank(Stamp stamp) {
    if (given.size() < 3) return {layout, stamp};
    Snapshot oldest = std::move(given.back());
    given.pop_back();
    return Snapshot::in_place_of(std::move(oldest), stamp);
}

Sweep::Sweep(std::shared_ptr<const Host> host, std::span<const Collector* const> collectors,
             std::span<const Derivation* const> derivations, SweepOptions options)
    : impl_(std::make_unique<Impl>(Deriver(derivations))) {
    impl_->host = std::move(host);
    impl_->collectors.assign(collectors.begin(), collectors.end());
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
    const bool all = self.listings_changed(stamp.boot_ns) || stamp.boot_ns - self.discovered_ns >= kRediscover.count();
    if (all) self.discovered_ns = stamp.boot_ns;
    self.discover(all, stamp.boot_ns, left());
    if (all) self.watch();

    std::vector<std::shared_ptr<Job>> jobs;
    for (Lanes* lanes : {&self.steady, &self.passing}) {
        for (const auto& [name, lane] : *lanes) {
            if (lane->running() || self.is_late(name)) continue;
            if (lane->prepare(stamp.boot_ns, due == Due::all)) jobs.push_back(lane);
        }
    }
    self.workers.run(jobs, left(), self.options.stall);

    Snapshot snapshot = self.blank(stamp);
    const Snapshot* previous = self.given.empty() ? nullptr : &self.given.front();
    if (previous != nullptr && due == Due::by_cadence) {
        for (SlotIndex slot = 0; slot < self.layout->slot_count(); ++slot) {
            if (const Reading* reading = previous->at(slot)) snapshot.carry(slot, *reading);
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
    self.deriver.run(self.options.site, snapshot, previous);

    const auto stuck = std::count_if(jobs.begin(), jobs.end(), [](const auto& job) { return job->running(); }) +
                       static_cast<std::ptrdiff_t>(self.late.size());
    snapshot.put(kHost, kFacts[kReads], static_cast<std::int64_t>(self.reads));
    snapshot.put(kHost, kFacts[kFailed], static_cast<std::int64_t>(self.failed));
    snapshot.put(kHost, kFacts[kStuck], static_cast<std::int64_t>(stuck));
    snapshot.put(kHost, kFacts[kSeconds], static_cast<double>(steady_ns() - begin) / 1e9);
    self.given.push_front(snapshot);
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
