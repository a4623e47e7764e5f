// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include "tests/unit/support/passing_host.h"
#include "tests/unit/support/sanitized.h"

namespace rd::collectors::test {
namespace {

// Remembers what a collector asks a host for.
class Listener final : public PassingHost {
public:
    using PassingHost::PassingHost;

    [[nodiscard]] std::unique_ptr<Handle> open(std::string_view name) const override {
        note(reads_, name);
        return PassingHost::open(name);
    }
    [[nodiscard]] Result<std::vector<std::string>> list(std::string_view path) const override {
        note(others_, path);
        return PassingHost::list(path);
    }
    [[nodiscard]] Result<std::string> link(std::string_view path) const override {
        note(others_, path);
        return PassingHost::link(path);
    }

    [[nodiscard]] const std::set<std::string>& reads() const { return reads_; }
    [[nodiscard]] const std::set<std::string>& others() const { return others_; }

private:
    void note(std::set<std::string>& names, std::string_view name) const {
        const std::lock_guard lock(mutex_);
        names.emplace(name);
    }

    mutable std::mutex mutex_;
    mutable std::set<std::string> reads_, others_;
};

using Facts = std::map<std::string, Reading>;

Facts facts_of(const Snapshot& snapshot) {
    Facts facts;
    for (SlotIndex slot = 0; slot < snapshot.layout().slot_count(); ++slot) {
        const Reading* reading = snapshot.at(slot);
        const auto& place = snapshot.layout().slot(slot);
        const Entity& entity = snapshot.layout().entity(place.entity);
        const std::span<const FactSpec> of_the_sweep = sweep_facts();  // how long it took, and the like
        if (reading == nullptr || (place.spec >= of_the_sweep.data() && place.spec < &of_the_sweep.back() + 1))
            continue;
        facts.emplace(fmt::format("{} {} {}", name_of(entity.kind), entity.id, place.name), *reading);
    }
    return facts;
}

struct Damage {
    std::string_view name;
    std::function<void(FakeHost& host, const std::string& name)> apply;
    // What a fact that lost its value may become; nothing: a value that differs is all right too.
    std::optional<std::vector<GapClass>> becomes;
};

std::string text_of(FakeHost& host, const std::string& name) {
    Buffer buffer;
    return host.open(name)->read(buffer) ? std::string(buffer.text()) : std::string();
}

// Under a sanitizer most of the time would go to the kernel, which has to find the memory for each copy anew.
constexpr std::size_t kLarge = (rd::test::kSanitized ? 1u : 10u) << 20;

std::vector<Damage> damages() {
    return {
        {"missing", [](FakeHost& host, const std::string& name) { host.error(name, absent(name)); },
         std::vector{GapClass::not_offered}},
        {"denied", [](FakeHost& host, const std::string& name) { host.error(name, denied(name)); },
         std::vector{GapClass::no_privilege}},
        {"faulty",
         [](FakeHost& host, const std::string& name) {
             host.error(name, {Errc::io, name + ": EIO", {}});
         },
         std::vector{GapClass::error}},
        {"empty", [](FakeHost& host, const std::string& name) { host.file(name, ""); }, std::nullopt},
        {"cut",
         [](FakeHost& host, const std::string& name) {
             const std::string text = text_of(host, name);
             host.file(name, text.substr(0, text.size() / 2));
         },
         std::nullopt},
        {"garbage",
         [](FakeHost& host, const std::string& name) {
             host.file(name, std::string("\xff\xfe\0\x1b[31m%zz\n= =\x80", 16));
         },
         std::vector{GapClass::error}},
        {"10 MB", [](FakeHost& host, const std::string& name) { host.file(name, std::string(kLarge, 'A')); },
         std::vector{GapClass::error}},
    };
}

void expect_explained(const Facts& before, const Facts& after, const Damage& damage, const std::string& file) {
    for (const auto& [fact, old] : before) {
        const auto found = after.find(fact);
        ASSERT_NE(found, after.end()) << fact << " is silently gone";
        const Reading& now = found->second;
        if (now == old) continue;
        if (now) {
            EXPECT_FALSE(damage.becomes.has_value()) << fact << " became " << print(*now);
            continue;
        }
        EXPECT_THAT(now.error().reason, ::testing::HasSubstr(file)) << fact;
        if (damage.becomes && old) {
            EXPECT_THAT(*damage.becomes, ::testing::Contains(now.error().kind)) << fact << ": " << now.error().reason;
        }
    }
}

}  // namespace

const Collector& collector(std::string_view name) {
    for (const Collector* one : all()) {
        if (one->name == name) return *one;
    }
    throw std::invalid_argument("no collector " + std::string(name));
}

const Derivation& derivation(std::string_view name) {
    for (const Derivation* one : derivations()) {
        if (one->name == name) return *one;
    }
    throw std::invalid_argument("no derivation " + std::string(name));
}

Snapshot sweep(std::shared_ptr<const Host> host, const std::vector<std::string>& collector_names,
               const std::vector<std::string>& derivation_names, Site site) {
    std::vector<const Collector*> chosen;
    for (const std::string& name : collector_names) chosen.push_back(&collector(name));
    std::vector<const Derivation*> derived;
    for (const std::string& name : derivation_names) derived.push_back(&derivation(name));
    SweepOptions options;
    options.deadline = std::chrono::seconds(60);  // of a loaded machine under a sanitizer
    options.stall = std::chrono::seconds(60);
    options.site = std::move(site);
    return Sweep(std::move(host), chosen, derived, options).run(Due::all);
}

std::string value(const Snapshot& snapshot, const Entity& entity, std::string_view fact) {
    const Reading& reading = snapshot.get(entity, fact);
    return reading ? print(*reading) : fmt::format("gap({})", name_of(reading.error().kind));
}

std::string value(const Snapshot& snapshot, Kind kind, std::string_view id, std::string_view fact) {
    return value(snapshot, {kind, std::string(id)}, fact);
}

std::string reason(const Snapshot& snapshot, Kind kind, std::string_view id, std::string_view fact) {
    const Reading& reading = snapshot.get({kind, std::string(id)}, fact);
    return reading ? "a value" : reading.error().reason;
}

void expect_complete(const Snapshot& snapshot, const Collector& collector) {
    for (const FactSpec& spec : collector.facts) {
        if (spec.family) continue;
        for (const Entity& entity : snapshot.entities(spec.kind)) {
            const auto index = snapshot.layout().find(entity);
            const auto slot = snapshot.layout().find(*index, spec.name);
            ASSERT_TRUE(slot && snapshot.at(*slot) != nullptr)
                << name_of(spec.kind) << " " << entity.id << " " << spec.name << " is silently absent";
            const Reading& reading = *snapshot.at(*slot);
            if (!reading) {
                EXPECT_FALSE(reading.error().reason.empty()) << entity.id << " " << spec.name;
                continue;
            }
            EXPECT_EQ(name_of(type_of(*reading)), name_of(spec.type)) << entity.id << " " << spec.name;
            const auto* target = std::get_if<Entity>(&*reading);
            EXPECT_TRUE(target == nullptr || target->kind == spec.target) << spec.name;
        }
    }
}

void expect_bad_input_is_survived(const Hosts& host, const std::string& name, const Exceptions& exceptions) {
    const auto listener = std::make_shared<Listener>(host());
    const Snapshot good = sweep(listener, {name});
    const Facts before = facts_of(good);
    const auto names = host()->bundle().moments.front().reads;
    ASSERT_FALSE(listener->reads().empty() && listener->others().empty());
    for (const std::string& file : listener->reads()) {
        if (!names.contains(file)) continue;  // not there in the first place
        for (const Damage& damage : damages()) {
            SCOPED_TRACE(fmt::format("{} {}", file, damage.name));
            const auto damaged = host();
            damage.apply(*damaged, file);
            const Snapshot after = sweep(damaged, {name});
            expect_complete(after, collector(name));
            if (!exceptions.names.contains(file)) expect_explained(before, facts_of(after), damage, file);
        }
    }
    for (const std::string& path : listener->others()) {
        for (const Error& error : {absent(path), denied(path), Error{Errc::not_collected, path + ": not there", {}}}) {
            SCOPED_TRACE(path + ": listed or followed: " + error.what);
            const auto damaged = host();
            damaged->gone(path).error(path, error);
            expect_complete(sweep(damaged, {name}), collector(name));
        }
    }
}

}  // namespace rd::collectors::test
