// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/facts/deriver.h"
#include "core/facts/discovery.h"
#include "core/facts/merge.h"
#include "core/facts/vacancies.h"
#include "core/facts/workers.h"
#include "core/host/clock.h"

namespace rd {
namespace {

const Entity kHost{Kind::host, ""};

// What changes without a change in a watched listing (a driver bound to a function, a module loaded) is found this late.
constexpr std::chrono::nanoseconds kRediscover = std::chrono::minutes(5);
// Who looks more often than this sees new devices no earlier.
constexpr std::chrono::nanoseconds kListAgain = std::chrono::seconds(1);

constexpr FactSpec kFacts[] = {
    {Kind::host, "sweep_reads", Type::integer, Nature::gauge, "reads", "Answers asked for in the latest sweep"},
    {Kind::host, "sweep_failed", Type::integer, Nature::gauge, "reads", "Answers of the latest sweep that were errors"},
    {Kind::host, "sweep_seconds", Type::real, Nature::gauge, "seconds", "Time the latest sweep took"},
    {Kind::host, "stuck_readers", Type::integer, Nature::gauge, "threads",
     "Devices (lanes) whose read has not come back from the kernel"},
    family(Kind::host, "source_reads_", Nature::gauge, "reads",
           "By collector: answers asked for in the latest sweep that asked it"),
    family(Kind::host, "source_ns_", Nature::gauge, "nanoseconds",
           "By collector: time its reads took in the latest sweep that asked it"),
    family(Kind::host, "source_failed_", Nature::gauge, "reads",
           "By collector: answers of the latest sweep that asked it that were errors, or have not come"),
    family(Kind::host, "source_late_ns_", Nature::gauge, "nanoseconds",
           "By collector: how long after their time its reads came in the latest sweep that asked it"),
    family(Kind::host, "discovery_ns_", Nature::gauge, "nanoseconds",
           "By collector: time it took to find out what there is to read, when it was last looked"),
    family(Kind::host, "read_backoff_", Nature::gauge, "factor",
           "By device (lane) that answers slowly: how many times as long as usual it is left alone between reads"),
};
enum { kReads, kFailed, kSeconds, kStuck, kSourceReads, kSourceNs, kSourceFailed, kSourceLate, kDiscoveryNs, kBackoff };

// A lane that takes longer than this for one round keeps its device's firmware busy.
constexpr std::chrono::milliseconds kSlowLane{100};

using Ran = std::span<const std::shared_ptr<Job>>;

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
    std::vector<Account> accounts;     // likewise
    // Lanes of collectors that are discovered again each sweep are made anew with them; the others keep their open handles.
    Lanes steady, passing;
    Vacancies vacancies;
    std::vector<std::shared_ptr<Job>> late;  // given up on, not yet back
    std::map<std::string, Result<std::vector<std::string>>> listings;
    bool looked = false;
    std::int64_t listed_ns = 0;      // boot time
    std::int64_t discovered_ns = 0;  // boot time
    // The newest ones, last first: for what is carried over, and for their memory. The last one is still looked at by who got it.
    std::deque<Snapshot> given;

    [[nodiscard]] bool listings_changed(std::int64_t now_ns);
    void watch();  // from now on, what the plans ask for
    void watch_more();
    // Lets go of what has come back late, and takes what it found. False: it found nothing.
    [[nodiscard]] bool take_late(std::int64_t now_ns);
    // True: there is something to read that was not there before.
    bool discover(bool all, bool rebuild, std::int64_t now_ns, std::chrono::nanoseconds left);
    void take(std::size_t index, Discovery& job, std::int64_t now_ns);
    void install(std::size_t index, Plan& plan);
    void build_lanes(Lanes& lanes, Rediscover which);
    [[nodiscard]] bool is_late(const std::string& lane) const;
    // `ran` begins with those of the lanes that have run, in their order; what is left of it.
    Ran merge(Lanes& lanes, Ran ran, Merge& into);
    [[nodiscard]] SlotIndex cost_slot(int row, std::string_view of);  // a member of one of the families
    void put_costs(Snapshot& out);
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

// The others are left as they were seen: a change of them since has not been answered yet.
void Sweep::Impl::watch_more() {
    for (const Installed& plan : installed) {
        for (const std::string& path : plan.watched) {
            if (!listings.contains(path)) listings.emplace(path, host->list(path));
        }
    }
}

// Asking again instead would come too late again.
bool Sweep::Impl::take_late(std::int64_t now_ns) {
    bool any = false;
    std::erase_if(late, [&](const std::shared_ptr<Job>& job) {
        if (!job->finished()) return false;
        auto* discovery = dynamic_cast<Discovery*>(job.get());
        if (discovery == nullptr) return true;
        const auto asked = std::find(collectors.begin(), collectors.end(), &discovery->collector());
        take(std::size_t(asked - collectors.begin()), *discovery, now_ns);
        any = true;
        return true;
    });
    return any;
}

void Sweep::Impl::take(std::size_t index, Discovery& job, std::int64_t now_ns) {
    install(index, job.plan());
    accounts[index].discovery_ns = job.took_ns();
    installed[index].discovered_ns = now_ns;
}

bool Sweep::Impl::discover(bool all, bool rebuild, std::int64_t now_ns, std::chrono::nanoseconds left) {
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
            rebuild = rebuild || (!installed[index].done && collectors[index]->rediscover == Rediscover::on_change);
            take(index, *job, now_ns);
            continue;
        }
        if (job->begun()) late.push_back(job);  // else it is asked again
        if (installed[index].done) continue;    // what it found before still stands
        installed[index].kind_gaps.clear();
        for (const Kind kind : kinds_of(*collectors[index])) {
            installed[index].kind_gaps.emplace_back(
                kind, Gap{GapClass::timed_out,
                          fmt::format("{}: finding out what there is took longer than {}", collectors[index]->name,
                                      print_duration(options.deadline)),
                          "give it longer (--deadline 60s); if it never comes back, see which process hangs in the "
                          "kernel: ps -eo pid,stat,wchan,comm | grep ' D'"});
        }
    }
    if (all || rebuild) build_lanes(steady, Rediscover::on_change);
    if (rebuild || !asked.empty()) build_lanes(passing, Rediscover::always);
    return rebuild;
}

void Sweep::Impl::install(std::size_t index, Plan& plan) {
    Installed& target = installed[index];
    target = Installed{};
    target.done = true;
    for (Facts::Put& put : plan.constants.puts()) {
        const EntityIndex entity = layout->add(put.entity);
        target.present.push_back(entity);
        if (put.spec != nullptr) {
            target.constants.push_back({layout->add(entity, *put.spec, put.name), std::move(put.reading), 0});
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
    const Lanes before = std::exchange(lanes, {});
    for (std::size_t i = 0; i < collectors.size(); ++i) {
        if (collectors[i]->rediscover != which) continue;
        for (const Plan::Read& read : installed[i].reads) {
            std::shared_ptr<Lane>& lane = lanes[read.lane];
            if (!lane) {
                lane = std::make_shared<Lane>(read.lane);
                if (const auto old = before.find(read.lane); old != before.end()) lane->keep_pace_of(*old->second);
            }
            if (read.parser != nullptr) {
                const SlotIndex slot = layout->add(layout->add(read.entity), *read.spec, read.fact);
                lane->add(*host, read.name, static_cast<Source>(i), read.every, slot, read.parser);
                continue;
            }
            Multiple use{collectors[i], {}, read.decoder, {}, {}};
            for (const Cover& cover : read.covers) {
                const EntityIndex entity = layout->add(cover.entity);
                use.covers.push_back({entity, layout->add(entity, *cover.spec, cover.spec->name)});
            }
            lane->add(*host, read.name, static_cast<Source>(i), read.every, std::move(use));
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

Ran Sweep::Impl::merge(Lanes& lanes, Ran ran, Merge& into) {
    std::vector<Expense> spent(collectors.size());
    for (const auto& [name, lane] : lanes) {
        const bool asked = !ran.empty() && ran.front() == lane;
        if (asked) ran = ran.subspan(1);
        if (!asked && (lane->running() || is_late(name))) {
            into.late_lane(*lane);
            continue;
        }
        into.lane(*lane, asked ? lane->done() : lane->tasks().size());
        if (!asked || !lane->finished()) continue;
        lane->pace(kSlowLane);
        for (const Share& share : lane->shares()) {
            spent[share.source].reads += share.expense.reads;
            spent[share.source].ns += share.expense.ns;
        }
    }
    for (std::size_t i = 0; i < spent.size(); ++i) {
        if (spent[i].reads > 0) accounts[i].reading = spent[i];
    }
    return ran;
}

SlotIndex Sweep::Impl::cost_slot(int row, std::string_view of) {
    return layout->add(layout->add(kHost), kFacts[row], fmt::format("{}{}", kFacts[row].name, of));
}

void Sweep::Impl::put_costs(Snapshot& out) {
    for (const Account& account : accounts) {
        out.set(account.reads, account.reading.reads);
        out.set(account.ns, account.reading.ns);
        out.set(account.failed, account.outcome.failed);
        out.set(account.late, account.outcome.late_ns);
        out.set(account.discovery, account.discovery_ns);
    }
    for (const Lanes* lanes : {&steady, &passing}) {
        for (const auto& [name, lane] : *lanes) {
            if (lane->backoff() != 1) out.set(cost_slot(kBackoff, name), std::int64_t{lane->backoff()});
        }
    }
}

Snapshot Sweep::Impl::blank(Stamp stamp) {
    if (given.size() < 2) return {layout, stamp};
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
    impl_->vacancies = Vacancies(impl_->options.short_lived);
    impl_->installed.resize(collectors.size());
    for (const Collector* collector : collectors) {
        const auto slot = [&](int row) { return impl_->cost_slot(row, collector->name); };
        impl_->accounts.push_back(
            {slot(kSourceReads), slot(kSourceNs), slot(kSourceFailed), slot(kSourceLate), slot(kDiscoveryNs)});
    }
}

Sweep::~Sweep() = default;

Snapshot Sweep::run(Due due) {
    Impl& self = *impl_;
    const std::int64_t begin = steady_ns();
    const auto left = [&] { return self.options.deadline - std::chrono::nanoseconds(steady_ns() - begin); };
    const Stamp stamp = self.host->now();
    self.vacancies.retire(*self.layout, stamp.boot_ns, {&self.steady, &self.passing});
    const bool found_late = self.take_late(stamp.boot_ns);
    const bool all = self.listings_changed(stamp.boot_ns) || stamp.boot_ns - self.discovered_ns >= kRediscover.count();
    if (all) self.discovered_ns = stamp.boot_ns;
    const bool more = self.discover(all, found_late, stamp.boot_ns, left());
    if (all) {
        self.watch();
    } else if (more) {
        self.watch_more();
    }

    std::vector<std::shared_ptr<Job>> jobs;
    for (Lanes* lanes : {&self.steady, &self.passing}) {
        for (const auto& [name, lane] : *lanes) {
            if (lane->running() || self.is_late(name)) continue;
            if (lane->prepare(stamp.boot_ns, due == Due::all || (due == Due::soon && lane->backoff() == 1)))
                jobs.push_back(lane);
        }
    }
    self.workers.run(jobs, left(), self.options.stall);

    Snapshot snapshot = self.blank(stamp);
    const Snapshot* previous = self.given.empty() ? nullptr : &self.given.front();
    snapshot.present(kHost);
    for (Installed& plan : self.installed) {
        for (const EntityIndex entity : plan.present) snapshot.present(entity);
        for (Installed::Constant& one : plan.constants) snapshot.again(one.slot, one.reading, one.version);
        for (const auto& [kind, gap] : plan.kind_gaps) snapshot.kind_gap(kind, gap);
    }
    Merge merge(snapshot, previous, self.options.deadline);
    self.merge(self.passing, self.merge(self.steady, jobs, merge), merge);
    for (std::size_t i = 0; i < merge.outcomes().size(); ++i) {
        if (merge.outcomes()[i].asked > 0) self.accounts[i].outcome = merge.outcomes()[i];
    }
    self.deriver.run(self.options.site, snapshot, previous);

    const auto stuck = std::count_if(jobs.begin(), jobs.end(), [](const auto& job) { return job->running(); }) +
                       static_cast<std::ptrdiff_t>(self.late.size());
    snapshot.put(kHost, kFacts[kReads], static_cast<std::int64_t>(merge.reads()));
    snapshot.put(kHost, kFacts[kFailed], static_cast<std::int64_t>(merge.failed()));
    snapshot.put(kHost, kFacts[kStuck], static_cast<std::int64_t>(stuck));
    snapshot.put(kHost, kFacts[kSeconds], static_cast<double>(steady_ns() - begin) / 1e9);
    self.put_costs(snapshot);
    self.vacancies.saw(snapshot);
    self.given.push_front(snapshot);
    return snapshot;
}

void Sweep::set_deadline(std::chrono::nanoseconds deadline) { impl_->options.deadline = deadline; }

const std::shared_ptr<Layout>& Sweep::layout() const { return impl_->layout; }

std::size_t Sweep::read_count() const { return read_names().size(); }

std::vector<std::string> Sweep::read_names() const {
    std::vector<std::string> names;
    for (const Lanes* lanes : {&impl_->steady, &impl_->passing}) {
        for (const auto& [name, lane] : *lanes) {
            for (const Uses& uses : lane->uses()) names.push_back(uses.name);
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
