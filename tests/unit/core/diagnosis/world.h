// SPDX-License-Identifier: GPL-2.0-or-later
// A catalogue of a few facts of every nature, and small hosts made of them.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnosis/expression.h"
#include "core/facts/history.h"

namespace rd::test {

inline constexpr FactSpec kRows[] = {
    {Kind::host, "intent", Type::text, Nature::config, "", "what the operator wants"},
    {Kind::host, "memory", Type::integer, Nature::gauge, "bytes", "memory"},
    {Kind::host, "iommu", Type::boolean, Nature::config, "", "translation is on"},
    {Kind::host, "kernel_log_shapes", Type::integer, Nature::gauge, "shapes", "kernel log"},
    {Kind::host, "application_log_shapes", Type::integer, Nature::gauge, "shapes", "logs"},
    {Kind::device, "fw_version", Type::text, Nature::config, "", "firmware"},
    {Kind::device, "name", Type::text, Nature::config, "", "name"},
    reference(Kind::device, "pci", Kind::pci, "its function"),
    {Kind::pci, "link_width", Type::integer, Nature::gauge, "lanes", "width"},
    {Kind::pci, "link_width_max", Type::integer, Nature::config, "lanes", "width it could have"},
    {Kind::pci, "flags", Type::integer, Nature::config, "", "bits"},
    reference(Kind::pci, "numa", Kind::numa, "its node"),
    {Kind::port, "active_mtu", Type::integer, Nature::config, "bytes", "MTU"},
    {Kind::port, "link_layer", Type::text, Nature::config, "", "layer"},
    {Kind::port, "name", Type::text, Nature::config, "", "name"},
    {Kind::port, "lossless", Type::boolean, Nature::config, "", "derived"},
    {Kind::port, "load", Type::real, Nature::gauge, "Gbit/s", "load"},
    {Kind::port, "busy", Type::real, Nature::percent, "%", "of the last second"},
    {Kind::port, "uptime", Type::integer, Nature::gauge, "seconds", "since up"},
    {Kind::port, "rx_packets", Type::integer, Nature::counter, "packets", "received"},
    {Kind::port, "out_of_sequence", Type::integer, Nature::counter32, "packets", "lost"},
    {Kind::port, "symbol_errors", Type::integer, Nature::saturating16, "", "symbols"},
    family(Kind::port, "raw_", Nature::counter, "", "driver's own"),
    reference(Kind::port, "device", Kind::device, "its device"),
    reference(Kind::port, "netdev", Kind::netdev, "its netdev"),
    {Kind::netdev, "mtu", Type::integer, Nature::config, "bytes", "MTU"},
    {Kind::netdev, "name", Type::text, Nature::config, "", "name"},
    reference(Kind::netdev, "pci", Kind::pci, "its function"),
    {Kind::priority, "pfc_enabled", Type::boolean, Nature::config, "", "PFC"},
    {Kind::priority, "pauses", Type::integer, Nature::counter, "frames", "pause frames"},
    reference(Kind::priority, "netdev", Kind::netdev, "its netdev"),
    reference(Kind::numa, "tenant", Kind::process, "who runs there"),
    {Kind::process, "pinned", Type::integer, Nature::gauge, "bytes", "pinned memory"},
    reference(Kind::process, "device", Kind::device, "where it has queues"),
    {Kind::log, "name", Type::text, Nature::config, "", "whose"},
    {Kind::log, "source", Type::text, Nature::config, "", "whose"},
    {Kind::log, "line", Type::text, Nature::gauge, "", "the last line"},
    {Kind::log, "count", Type::integer, Nature::gauge, "lines", "lines of this shape"},
    {Kind::log, "newer_shapes", Type::integer, Nature::gauge, "shapes", "whose last line came later"},
    {Kind::log, "repeats", Type::integer, Nature::gauge, "lines", "the same word for word"},
    {Kind::log, "at", Type::real, Nature::gauge, "seconds", "when"},
};

inline const Catalog& catalog() {
    static const Catalog instance = [] {
        static const std::span<const FactSpec> tables[] = {kRows};
        return Catalog::build(tables).value();
    }();
    return instance;
}

inline const FactSpec& row(Kind kind, std::string_view name) {
    const FactSpec* const found = catalog().find(kind, name);
    if (found == nullptr) throw std::logic_error("the catalogue of the tests has no " + std::string(name));
    return *found;
}

inline const Entity kHost{Kind::host, ""};
inline const Entity kPort{Kind::port, "p"};
inline const Entity kNetdev{Kind::netdev, "n"};
inline const Entity kDevice{Kind::device, "d"};
inline const Entity kPci{Kind::pci, "0000:41:00.0"};

// Sweeps one after the other; what was put last holds until it is put again or `gone`.
class World {
public:
    World() : history_(std::make_shared<History>(layout_)) {}

    World& put(const Entity& entity, std::string_view name, Value value) {
        say(entity, name, Reading(std::move(value)));
        return *this;
    }
    World& number(const Entity& entity, std::string_view name, std::int64_t value) { return put(entity, name, value); }
    World& text(const Entity& entity, std::string_view name, std::string_view value) {
        return put(entity, name, std::string(value));
    }
    World& gap(const Entity& entity, std::string_view name, GapClass kind, std::string reason = "because") {
        say(entity, name, tl::unexpected(Gap{kind, std::move(reason), ""}));
        return *this;
    }
    World& present(const Entity& entity) {
        present_.push_back(entity);
        return *this;
    }
    World& kind_gap(Kind kind, GapClass why) {
        kind_gaps_.emplace_back(kind, Gap{why, std::string(name_of(kind)) + " not listed", ""});
        return *this;
    }
    World& sweep(std::chrono::nanoseconds passed = std::chrono::seconds(1)) {
        now_ += passed.count();
        Snapshot snapshot(layout_, Stamp{now_, now_ + 1'000'000'000'000});
        for (const Entity& entity : present_) snapshot.present(entity);
        for (const Said& said : said_) {
            if (said.reading) {
                snapshot.present(said.entity);
            }
            snapshot.set(said.entity, *said.spec, said.name, said.reading);
        }
        for (const auto& [kind, gap] : kind_gaps_) snapshot.kind_gap(kind, gap);
        history_->append(std::move(snapshot));
        return *this;
    }
    [[nodiscard]] const History& history() const { return *history_; }

private:
    struct Said {
        Entity entity;
        const FactSpec* spec;
        std::string name;
        Reading reading;
    };

    void say(const Entity& entity, std::string_view name, Reading reading) {
        present_.push_back(entity);
        for (Said& said : said_) {
            if (said.entity == entity && said.name == name) {
                said.reading = std::move(reading);
                return;
            }
        }
        said_.push_back({entity, &row(entity.kind, name), std::string(name), std::move(reading)});
    }

    std::shared_ptr<Layout> layout_ = std::make_shared<Layout>();
    std::shared_ptr<History> history_;
    std::vector<Said> said_;
    std::vector<Entity> present_;
    std::vector<std::pair<Kind, Gap>> kind_gaps_;
    std::int64_t now_ = 0;
};

inline tl::expected<Expression, Diagnostic> compile(std::string_view text, Kind scope = Kind::port,
                                                    const Params& params = {}) {
    return Expression::compile(text, scope, catalog(), params, "r.toml", 1, 1);
}

// The complaint about a text, as printed; "" when there is none.
inline std::string complaint(std::string_view text, Kind scope = Kind::port, const Params& params = {}) {
    const auto compiled = compile(text, scope, params);
    return compiled ? "" : compiled.error().print();
}

inline Outcome outcome(std::string_view text, const World& world, const Entity& subject = kPort,
                       const Params& params = {}) {
    const auto compiled = compile(text, subject.kind, params);
    if (!compiled) throw std::invalid_argument(compiled.error().print());
    return compiled->evaluate(world.history(), subject, params);
}

inline Truth truth(std::string_view text, const World& world, const Entity& subject = kPort,
                   const Params& params = {}) {
    return outcome(text, world, subject, params).truth;
}

// "port.rx_packets" for each piece of evidence or missing fact.
template <class Notes>
std::vector<std::string> names(const Notes& notes) {
    std::vector<std::string> out;
    for (const auto& note : notes) out.push_back(std::string(name_of(note.entity.kind)) + "." + note.fact);
    return out;
}

}  // namespace rd::test

namespace rd {
inline void PrintTo(Truth truth, std::ostream* out) {
    *out << (truth == Truth::yes ? "yes" : truth == Truth::no ? "no" : "unknown");
}
}  // namespace rd
