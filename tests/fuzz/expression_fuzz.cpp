// SPDX-License-Identifier: GPL-2.0-or-later
// Any text as a condition: compiled, and evaluated on a small history with values, gaps and counters of every nature.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "core/diagnosis/expression.h"
#include "core/diagnosis/node.h"

namespace {

using namespace rd;

constexpr FactSpec kRows[] = {
    {Kind::host, "intent", Type::text, Nature::config, "", ""},
    {Kind::port, "mtu", Type::integer, Nature::config, "bytes", ""},
    {Kind::port, "layer", Type::text, Nature::config, "", ""},
    {Kind::port, "up", Type::boolean, Nature::config, "", ""},
    {Kind::port, "load", Type::real, Nature::gauge, "Gbit/s", ""},
    {Kind::port, "busy", Type::real, Nature::percent, "%", ""},
    {Kind::port, "age", Type::integer, Nature::gauge, "seconds", ""},
    {Kind::port, "rx", Type::integer, Nature::counter, "packets", ""},
    {Kind::port, "lost", Type::integer, Nature::counter32, "packets", ""},
    {Kind::port, "errors", Type::integer, Nature::saturating8, "", ""},
    reference(Kind::port, "netdev", Kind::netdev, ""),
    {Kind::netdev, "mtu", Type::integer, Nature::config, "bytes", ""},
    {Kind::netdev, "firmware", Type::text, Nature::config, "", ""},
    reference(Kind::priority, "port", Kind::port, ""),
    {Kind::priority, "pfc", Type::boolean, Nature::config, "", ""},
};

struct Fixture {
    Catalog catalog;
    std::shared_ptr<Layout> layout = std::make_shared<Layout>();
    History history{layout};
    Entity port{Kind::port, "p"};

    Fixture() {
        const std::span<const FactSpec> tables[] = {kRows};
        catalog = Catalog::build(tables).value();
        for (std::int64_t i = 0; i < 4; ++i) append(i);
    }

    void append(std::int64_t i) {
        Snapshot now(layout, Stamp{i * 1'000'000'000, i});
        const Entity netdev{Kind::netdev, "n"};
        const auto put = [&](const Entity& entity, std::string_view name, Value value) {
            now.put(entity, *catalog.find(entity.kind, name), std::move(value));
        };
        put(port, "mtu", 1024 * i);
        put(port, "layer", std::string("Ethernet"));
        put(port, "up", i % 2 == 0);
        put(port, "load", 0.5 * static_cast<double>(i));
        now.gap(port, *catalog.find(Kind::port, "busy"), Gap{GapClass::no_privilege, "no", ""});
        put(port, "rx", INT64_MAX - 3 + i);
        put(port, "lost", (4294967290 + i * 5) % 4294967296);
        put(port, "errors", 250 + i * 5 / 3);
        put(port, "netdev", netdev);
        put(netdev, "firmware", std::string("28.39.1002 (MT)"));
        for (const char* id : {"0", "1", "2"}) {
            const Entity priority{Kind::priority, id};
            put(priority, "port", port);
            if (*id != '2') put(priority, "pfc", *id == '0');
        }
        now.kind_gap(Kind::process, Gap{GapClass::error, "no", ""});
        history.append(std::move(now));
    }
};

void check(bool good) {
    if (!good) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Fixture fixture;
    static const Params params{
        {"n", std::int64_t{3}}, {"x", 0.0}, {"w", std::string("2s")}, {"t", std::string("Ethernet")}, {"b", true}};
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const Kind scope : {Kind::port, Kind::host}) {
        const auto expression = Expression::compile(text, scope, fixture.catalog, params, "f", 3, 5);
        if (!expression) {
            check(!expression.error().message.empty() && expression.error().line >= 3 &&
                  expression.error().column >= 1);
            continue;
        }
        const Entity subject = scope == Kind::host ? Entity{Kind::host, ""} : fixture.port;
        const Outcome outcome = expression->evaluate(fixture.history, subject, params);
        check((outcome.truth == Truth::unknown) == !outcome.missing.empty());
        // What is printed means the same.
        const std::string printed = print(expression->root());
        const auto again = Expression::compile(printed, scope, fixture.catalog, params, "f", 1, 1);
        if (printed.size() <= kMaxLength)
            check(again && again->evaluate(fixture.history, subject, params).truth == outcome.truth);
    }
    return 0;
}
