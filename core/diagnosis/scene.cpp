// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/scene.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/diagnosis/path.h"

namespace rd {
namespace {

constexpr std::int64_t kBoot = 3'600'000'000'000;          // an hour after boot
constexpr std::int64_t kWall = 1'700'000'000'000'000'000;  // any day: no example may depend on it

// What one sweep after the other says of one fact; what stays the same has one reading.
struct Statement {
    Entity entity;
    const FactSpec* spec = nullptr;
    std::string name;
    std::vector<std::optional<Reading>> readings;
};

class SceneBuilder {
public:
    explicit SceneBuilder(const Catalog& catalog) : catalog_(catalog) {}

    template <class Part>
    void add(const Part& part, const Entity& subject) {
        present_.push_back(subject);
        // References that are spelled out come first, the shortest first: the names of facts beyond them go through them.
        std::vector<std::pair<FactPath, const Value*>> facts;
        for (const auto& [name, value] : part.facts) {
            if (auto path = resolve_path(name, subject.kind, catalog_)) facts.emplace_back(std::move(*path), &value);
        }
        std::stable_sort(facts.begin(), facts.end(), [](const auto& a, const auto& b) {
            const auto rank = [](const FactPath& path) {
                return std::pair(path.spec->type != Type::reference, path.hops.size());
            };
            return rank(a.first) < rank(b.first);
        });
        for (const auto& [path, value] : facts) put(path, subject, *value);
        for (const auto& [name, values] : part.series) {
            if (const auto path = resolve_path(name, subject.kind, catalog_)) put_series(*path, subject, values);
        }
        for (const auto& [name, gap_name] : part.gaps) {
            Gap gap{GapClass::not_collected, name + ": as the example says", {}};
            if (!gap_from_name(gap_name, gap.kind)) continue;
            Kind kind{};
            if (const auto path = resolve_path(name, subject.kind, catalog_)) {
                statement(go(*path, subject), *path).readings = {tl::unexpected(gap)};
            } else if (kind_from_name(name, kind)) {
                kind_gaps_.emplace_back(kind, gap);
            }
        }
    }

    // Further entities refer to the subject, unless the example says where they refer to.
    void refer(const Entity& entity, const Entity& subject, const Example::Other& other) {
        for (const FactSpec* row : catalog_.all()) {
            if (row->kind != entity.kind || row->type != Type::reference || row->target != subject.kind) continue;
            const auto says = [&](const auto& list) {
                return std::any_of(list.begin(), list.end(),
                                   [&](const auto& entry) { return entry.first == row->name; });
            };
            if (says(other.facts) || says(other.gaps)) return;
            refer_to(entity, *row, subject);
            return;
        }
    }

    History build(std::chrono::nanoseconds every, std::size_t sweeps) {
        auto layout = std::make_shared<Layout>();
        History history(layout, std::chrono::hours(24 * 365));
        for (std::size_t i = 0; i < sweeps; ++i) {
            const std::int64_t passed = every.count() * static_cast<std::int64_t>(i);
            Snapshot snapshot(layout, Stamp{kBoot + passed, kWall + passed});
            for (const Entity& entity : present_) snapshot.present(entity);
            for (const auto& [key, one] : statements_) say(snapshot, one, i);
            for (const auto& [kind, gap] : kind_gaps_) snapshot.kind_gap(kind, gap);
            history.append(std::move(snapshot));
        }
        return history;
    }

private:
    static void say(Snapshot& snapshot, const Statement& one, std::size_t sweep) {
        const auto& reading = one.readings.size() == 1 ? one.readings[0] : one.readings[sweep];
        if (reading) snapshot.set(one.entity, *one.spec, one.name, *reading);
    }

    Statement& statement(const Entity& entity, const FactSpec& spec, const std::string& name) {
        Statement& one = statements_[{entity, name}];
        one.entity = entity;
        one.spec = &spec;
        one.name = name;
        return one;
    }
    Statement& statement(const Entity& entity, const FactPath& path) {
        return statement(entity, *path.spec, path.name);
    }

    void refer_to(const Entity& entity, const FactSpec& spec, const Entity& target) {
        statement(entity, spec, std::string(spec.name)).readings = {Reading(Value(target))};
        present_.push_back(target);
    }

    // The entity a path leads to; makes those on the way.
    Entity go(const FactPath& path, const Entity& subject) {
        Entity at = path.from_host ? Entity{Kind::host, ""} : subject;
        for (const FactSpec* hop : path.hops) {
            const auto known = statements_.find({at, std::string(hop->name)});
            const Reading* reading = known != statements_.end() ? &*known->second.readings.front() : nullptr;
            const auto* target = reading != nullptr && *reading ? std::get_if<Entity>(&**reading) : nullptr;
            if (target != nullptr) {
                at = *target;
                continue;
            }
            const Entity next{hop->target, hop->target == Kind::host
                                               ? ""
                                               : (at.id.empty() ? "" : at.id + ".") + std::string(hop->name)};
            refer_to(at, *hop, next);
            at = next;
        }
        present_.push_back(at);
        return at;
    }

    void put(const FactPath& path, const Entity& subject, const Value& value) {
        const Entity entity = go(path, subject);
        if (path.spec->type == Type::reference) {
            // By the id of the entity, or as values are printed: "pci:0000:40:00.0".
            std::string id = std::get<std::string>(value);
            const std::string kind = std::string(name_of(path.spec->target)) + ":";
            if (id.starts_with(kind)) id.erase(0, kind.size());
            refer_to(entity, *path.spec, Entity{path.spec->target, std::move(id)});
        } else {
            statement(entity, path).readings = {Reading(value)};
        }
    }

    void put_series(const FactPath& path, const Entity& subject, const std::vector<std::optional<double>>& values) {
        std::vector<std::optional<Reading>> readings;
        for (const std::optional<double>& value : values) {
            if (!value) {
                readings.emplace_back();
            } else if (path.spec->type == Type::integer) {
                readings.emplace_back(Reading(Value(static_cast<std::int64_t>(*value))));
            } else if (path.spec->type == Type::boolean) {
                readings.emplace_back(Reading(Value(*value != 0)));
            } else {
                readings.emplace_back(Reading(Value(*value)));
            }
        }
        statement(go(path, subject), path).readings = std::move(readings);
    }

    const Catalog& catalog_;
    std::map<std::pair<Entity, std::string>, Statement> statements_;
    std::vector<Entity> present_;
    std::vector<std::pair<Kind, Gap>> kind_gaps_;
};

// As many as the series have values. Without a series two, as `check` looks: the same twice.
std::size_t sweeps_of(const Example& example) {
    if (!example.series.empty()) return example.series.front().second.size();
    for (const Example::Other& other : example.others) {
        if (!other.series.empty()) return other.series.front().second.size();
    }
    return 2;
}

}  // namespace

Scene make_scene(const Rule& rule, const Example& example, const Catalog& catalog) {
    const Entity subject{rule.scope, rule.scope == Kind::host ? "" : "subject"};
    SceneBuilder builder(catalog);
    std::size_t number = 0;
    for (const Example::Other& other : example.others) {
        const Entity entity{other.kind, "other-" + std::to_string(++number)};
        builder.refer(entity, subject, other);
        builder.add(other, entity);
    }
    builder.add(example, subject);
    Params params = rule.params;
    for (const auto& [name, value] : example.params) params.insert_or_assign(name, value);
    return Scene{builder.build(example.every, sweeps_of(example)), subject, std::move(params), example.expect};
}

}  // namespace rd
