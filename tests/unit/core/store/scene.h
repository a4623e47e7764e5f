// SPDX-License-Identifier: GPL-2.0-or-later
// A store in a directory of its own, one entity, and sweeps one can write as numbers.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "core/store/reader.h"
#include "core/store/store.h"
#include "tests/unit/core/store/failing_disk.h"
#include "tests/unit/support/temp_directory.h"

namespace rd::store {

inline const Entity kEntity{Kind::netdev, "pci-0000:41:00.0/0"};
inline constexpr FactSpec kPackets{Kind::netdev, "rx_packets", Type::integer, Nature::counter, "packets", ""};
inline constexpr FactSpec kTemperature{Kind::netdev, "temperature", Type::real, Nature::gauge, "celsius", ""};
inline constexpr FactSpec kName{Kind::netdev, "name", Type::text, Nature::config, "", ""};

// How one series stood then, by the simplest way there is; nothing when it had not been seen yet.
inline Result<std::optional<StateRow>> at(const Reader& reader, const SeriesRow& of, std::int64_t wall_ns) {
    std::optional<StateRow> found;
    const auto changes = reader.states(of, {wall_ns, wall_ns}, 1);
    if (!changes) return tl::unexpected(changes.error());
    if (!changes->empty()) found = changes->back();
    if (!of.sampled() || (found && !found->reading)) return found;
    // Between two sweeps, or where slower series are read once a minute, the last sample is a little older.
    const auto near = reader.samples(of, {wall_ns - 7'200'000'000'000, wall_ns});
    if (!near) return tl::unexpected(near.error());
    if (near->empty()) return std::optional<StateRow>{};
    const SamplePoint& last = near->back();
    const Value value = of.type == Type::real ? Value(last.value) : Value(static_cast<std::int64_t>(last.value));
    return StateRow{last.at_ns, Reading(value)};
}

class Scene {
protected:
    [[nodiscard]] std::string path() const { return directory.path() + "/metrics.db"; }
    [[nodiscard]] std::int64_t wall_ns() const { return now.wall_ns; }

    void open() {
        store.reset();
        auto opened = Store::open(path(), "boot", now, limits, {});
        ASSERT_TRUE(opened) << opened.error().what;
        store = std::move(*opened);
    }

    Result<> sweep_result(std::int64_t packets, double temperature, const std::string& name, int seconds = 1) {
        Snapshot snapshot(layout, now);
        if (there) {
            snapshot.present(kEntity);
            if (gap) {
                snapshot.gap(kEntity, kPackets, *gap);
            } else {
                snapshot.put(kEntity, kPackets, packets);
            }
            snapshot.put(kEntity, kTemperature, temperature);
            snapshot.put(kEntity, kName, name);
        }
        auto done = store->append(snapshot);
        pass(seconds * 1000);
        return done;
    }
    void sweep(std::int64_t packets, double temperature, const std::string& name, int seconds = 1) {
        const auto done = sweep_result(packets, temperature, name, seconds);
        ASSERT_TRUE(done) << done.error().what;
    }
    void pass(Millis ms) {
        now.boot_ns += ms * 1'000'000;
        now.wall_ns += ms * 1'000'000;
    }

    [[nodiscard]] Event event(std::string name, std::string subject) const {
        Event made;
        made.at = now;
        made.source = "verbs";
        made.name = std::move(name);
        made.subject = std::move(subject);
        made.entity = kEntity;
        return made;
    }

    [[nodiscard]] Reader read() const {
        auto reader = Reader::open(path());
        EXPECT_TRUE(reader);
        return std::move(*reader);
    }
    static SeriesRow series(const Reader& reader, std::string_view fact) {
        auto found = reader.find(kEntity, fact);
        EXPECT_TRUE(found && *found) << fact;
        return found && *found ? **found : SeriesRow{};
    }
    [[nodiscard]] std::int64_t count(std::string_view from) const {
        auto database = Database::open(path(), Database::Mode::read);
        EXPECT_TRUE(database);
        return database->integer("SELECT count(*) FROM " + std::string(from)).value_or(-1);
    }

    FailingDisk disk;
    TempDirectory directory;
    Limits limits;
    std::shared_ptr<Layout> layout = std::make_shared<Layout>();
    Stamp now{5'000'000'000, 1'764'547'200'000'000'000};  // an hour begins
    std::unique_ptr<Store> store;
    std::optional<Gap> gap;
    bool there = true;
};

}  // namespace rd::store
