// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/base/text.h"
#include "core/store/batch.h"
#include "daemon/metric_name.h"

namespace rd::daemon {
namespace {

// Texts that move and have few values. Any other text that moves would make a new series with each of its values.
struct StateFact {
    Kind kind;
    std::string_view fact;
};
constexpr StateFact kStates[] = {
    {Kind::port, "state"},         {Kind::port, "phys_state"},   {Kind::netdev, "operstate"},
    {Kind::netdev, "bond_link"},   {Kind::netdev, "bond_state"}, {Kind::netdev, "fec_active"},
    {Kind::netdev, "link_reason"}, {Kind::pci, "power_state"},   {Kind::nvme, "state"},
    {Kind::nvme, "ana_state"},
};

bool is_state(const FactSpec& spec) {
    return std::any_of(std::begin(kStates), std::end(kStates),
                       [&](const StateFact& one) { return one.kind == spec.kind && one.fact == spec.name; });
}

std::string machine_name(std::string_view name) {
    std::string out(name);
    std::replace(out.begin(), out.end(), ' ', '_');
    return out;
}

class Exporter {
public:
    explicit Exporter(Exposition& into) : into_(into) {}

    void entities(const Frame& frame) {
        for (const FrameEntity& one : frame.entities) {
            if (!store::is_kept(one.entity.kind)) continue;
            Labels& labels = info_[one.entity];
            labels.emplace_back("entity", one.entity.id);
            labels.emplace_back("name", one.label);
        }
    }

    void fact(const FrameFact& fact) {
        if (fact.spec == nullptr || !store::is_kept(fact.entity.kind)) return;
        if (!fact.reading) return gap(fact.entity, fact.name, fact.reading.error());
        std::visit([&](const auto& value) { put(fact, value); }, *fact.reading);
    }

    void gap(const Entity& entity, std::string_view fact, const Gap& gap) {
        auto& family = into_.family("rdmadoctor_gap", Shape::gauge, "",
                                    "Facts that have no value, and why: there is no sample of them");
        Exposition::add(family,
                        {{"kind", std::string(name_of(entity.kind))},
                         {"entity", entity.id},
                         {"fact", std::string(fact)},
                         {"class", machine_name(name_of(gap.kind))}},
                        std::int64_t{1});
    }

    void finish() {
        for (const auto& [entity, labels] : info_) {
            auto& family =
                into_.family(fmt::format("rdmadoctor_{}", name_of(entity.kind)), Shape::info, "",
                             "What is there, what it is called, its settings that are texts, and what it refers to");
            Exposition::add(family, labels, std::int64_t{1});
        }
    }

private:
    struct Known {
        MetricName name;
        Exposition::Family* family;
    };

    const Known& known(const FactSpec& spec) {
        const auto [place, fresh] = known_.try_emplace(&spec);
        Known& known = place->second;
        if (!fresh) return known;
        known.name = metric_name(spec);
        std::string help(spec.doc);
        if (known.name.converts()) {
            help += fmt::format(" (fact {}.{}, there in {})", name_of(spec.kind), spec.name, spec.unit);
        }
        const Shape shape = is_counter(spec.nature) ? Shape::counter : Shape::gauge;
        known.family = &into_.family(known.name.name, shape, known.name.unit, help);
        return known;
    }

    static Labels labels_of(const FrameFact& fact) {
        Labels labels{{"entity", fact.entity.id}};
        if (fact.spec->family) labels.emplace_back("member", fact.name.substr(fact.spec->name.size()));
        return labels;
    }

    void put(const FrameFact& fact, bool value) {
        Exposition::add(*known(*fact.spec).family, labels_of(fact), std::int64_t{value});
    }
    void put(const FrameFact& fact, std::int64_t value) {
        const Known& to = known(*fact.spec);
        if (to.name.converts()) {
            Exposition::add(*to.family, labels_of(fact), static_cast<double>(value) * to.name.times / to.name.by);
        } else {
            Exposition::add(*to.family, labels_of(fact), value);
        }
    }
    void put(const FrameFact& fact, double value) {
        const Known& to = known(*fact.spec);
        Exposition::add(*to.family, labels_of(fact), value * to.name.times / to.name.by);
    }
    void put(const FrameFact& fact, const std::string& value) {
        if (fact.spec->nature == Nature::config) {
            label(fact, value);
        } else if (is_state(*fact.spec)) {
            Exposition::add(*known(*fact.spec).family, {{"entity", fact.entity.id}, {"state", value}}, std::int64_t{1});
        }
    }
    void put(const FrameFact& fact, const Entity& value) {
        if (store::is_kept(value.kind)) label(fact, value.id);
    }
    void label(const FrameFact& fact, const std::string& value) {
        const auto place = info_.find(fact.entity);
        if (place != info_.end() && fact.name != "name") place->second.emplace_back(fact.name, value);
    }

    Exposition& into_;
    std::map<Entity, Labels> info_;
    std::unordered_map<const FactSpec*, Known> known_;
};

void put_findings(const Report& report, Exposition& into) {
    auto& family = into.family("rdmadoctor_finding", Shape::gauge, "", "What the rules found, or suspect");
    for (const auto* findings : {&report.findings, &report.suspected}) {
        for (const Finding& finding : *findings) {
            Exposition::add(family,
                            {{"rule", finding.rule},
                             {"kind", std::string(name_of(finding.subject.entity.kind))},
                             {"subject", finding.subject.entity.id},
                             {"name", finding.subject.name},
                             {"severity", std::string(name_of(finding.severity))},
                             {"state", std::string(name_of(finding.state))}},
                            std::int64_t{1});
        }
    }
    auto& checks = into.family("rdmadoctor_checks", Shape::gauge, "",
                               "Rules on their subjects by what came of them; unknown is not healthy");
    const Summary& summary = report.summary;
    const std::pair<State, std::size_t> counts[] = {
        {State::firing, summary.firing},       {State::pending, summary.pending},
        {State::suspected, summary.suspected}, {State::quiet, summary.quiet},
        {State::unknown, summary.unknown},     {State::not_applicable, summary.not_applicable},
    };
    for (const auto& [state, count] : counts) {
        Exposition::add(checks, {{"state", std::string(name_of(state))}}, static_cast<std::int64_t>(count));
    }
    Exposition::add(into.family("rdmadoctor_checks_needing_root", Shape::gauge, "",
                                "Rules that are unknown on a subject for want of privilege alone"),
                    {}, static_cast<std::int64_t>(summary.needs_root));
    Exposition::add(into.family("rdmadoctor_build", Shape::info, "", "The program and the rules that it judges by"),
                    {{"tool", report.tool}, {"rules_version", report.rules_version}, {"rules_hash", report.rules_hash}},
                    std::int64_t{1});
}

void put_health(const Frame& frame, Exposition& into) {
    const Health& health = frame.health;
    const auto put = [&](const char* name, Shape shape, const char* unit, const char* help, auto value) {
        Exposition::add(into.family(fmt::format("rdmadoctor_daemon_{}", name), shape, unit, help), {}, value);
    };
    const auto whole = [](std::uint64_t number) { return static_cast<std::int64_t>(number); };
    const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) / 1e9; };
    put("sweeps", Shape::counter, "", "Sweeps since the daemon started", whole(health.sweeps));
    put("late_sweeps", Shape::counter, "", "Sweeps that began more than half an interval after their time",
        whole(health.late_sweeps));
    put("sweep_duration_seconds", Shape::gauge, "seconds", "Time the latest sweep took, judging and keeping included",
        seconds(health.last_sweep_ns));
    put("sweep_time_seconds", Shape::gauge, "seconds",
        "When the sweep that all this stems from began, since the epoch: what stands still is old",
        seconds(frame.at.wall_ns));
    put("start_time_seconds", Shape::gauge, "seconds", "When the daemon started, since the epoch",
        seconds(health.started_ns));
    put("events", Shape::counter, "", "Events of the kernel taken in", whole(health.events));
    put("store_healthy", Shape::gauge, "", "Whether what is seen is kept at present (the reason: /v1/health)",
        std::int64_t{health.store_trouble.empty()});
    if (!health.store_path.empty()) {
        put("store_bytes", Shape::gauge, "bytes", "Size of the file of what was seen", health.store_bytes);
    }
}

}  // namespace

Exposition expose(const Frame& frame) {
    Exposition into;
    Exporter exporter(into);
    exporter.entities(frame);
    for (const FrameFact& fact : frame.facts) exporter.fact(fact);
    for (const auto& [kind, gap] : frame.not_enumerated) {
        if (store::is_kept(kind)) exporter.gap({kind, ""}, "", gap);
    }
    exporter.finish();
    put_findings(frame.report, into);
    put_health(frame, into);
    return into;
}

std::string open_metrics(const Frame& frame) { return expose(frame).text(Form::open_metrics); }
std::string prometheus_text(const Frame& frame) { return expose(frame).text(Form::prometheus); }

}  // namespace rd::daemon
