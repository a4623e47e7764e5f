// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

const std::string kGolden = std::string(RDMADOCTOR_SOURCE_DIR) + "/tests/golden/catalogue.txt";

std::string printed(const Catalog& catalog) {
    std::string out;
    for (const FactSpec* spec : catalog.all()) {
        const std::string type = spec->type == Type::reference ? fmt::format("reference:{}", name_of(spec->target))
                                                               : std::string(name_of(spec->type));
        out += fmt::format("{}.{}{} {} {} {}\n", name_of(spec->kind), spec->name, spec->family ? "*" : "", type,
                           name_of(spec->nature), spec->unit.empty() ? "-" : spec->unit);
    }
    return out;
}

TEST(Catalogue, HasNoFactTwice) {
    const auto built = catalog();
    ASSERT_TRUE(built) << built.error().what;
}

// Rules, exporters and stored samples depend on names, types and natures: a change must be meant.
// RDMADOCTOR_UPDATE_GOLDEN=1 writes the file anew.
TEST(Catalogue, IsAsWrittenDown) {
    const auto built = catalog();
    ASSERT_TRUE(built);
    if (std::getenv("RDMADOCTOR_UPDATE_GOLDEN") != nullptr) std::ofstream(kGolden) << printed(*built);
    std::ifstream file(kGolden);
    std::stringstream golden;
    golden << file.rdbuf();
    EXPECT_EQ(printed(*built), golden.str()) << kGolden << ": RDMADOCTOR_UPDATE_GOLDEN=1 writes it anew";
}

TEST(Catalogue, EveryRowIsNamedAndDocumented) {
    const auto built = catalog();
    ASSERT_TRUE(built);
    for (const FactSpec* spec : built->all()) {
        EXPECT_FALSE(spec->doc.empty()) << spec->name;
        EXPECT_EQ(spec->name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), std::string_view::npos)
            << spec->name;
        EXPECT_TRUE(!is_counter(spec->nature) || spec->type == Type::integer) << spec->name;
    }
}

TEST(Catalogue, DerivationsReadWhatThereIs) {
    const auto built = catalog();
    ASSERT_TRUE(built);
    std::set<std::string> known;
    for (const FactSpec* spec : built->all()) known.insert(fmt::format("{}.{}", name_of(spec->kind), spec->name));
    for (const Derivation* one : derivations()) {
        for (const std::string_view fact : one->reads)
            EXPECT_TRUE(known.contains(std::string(fact))) << one->name << " " << fact;
    }
}

TEST(Catalogue, KnobsWriteWhatThereIs) {
    const auto built = catalog();
    ASSERT_TRUE(built);
    for (const Collector* one : all()) {
        for (const Knob& knob : one->knobs) {
            Kind kind{};
            const std::size_t dot = knob.fact.find('.');
            ASSERT_TRUE(kind_from_name(knob.fact.substr(0, dot), kind)) << knob.fact;
            EXPECT_NE(built->find(kind, knob.fact.substr(dot + 1)), nullptr) << knob.fact;
        }
    }
}

// All collectors and derivations at once: whatever is there, each row ends as a value or a gap.
TEST(Catalogue, NothingIsSilentlyAbsent) {
    for (const Hosts& host : {Hosts(roce_host), Hosts(roce_tree), Hosts(rxe_host)}) {
        std::vector<std::string> collectors, derived;
        for (const Collector* one : all()) collectors.emplace_back(one->name);
        for (const Derivation* one : derivations()) derived.emplace_back(one->name);
        const Snapshot now = sweep(host(), collectors, derived);
        for (const Collector* one : all()) expect_complete(now, *one);
        for (const Derivation* one : derivations()) {
            expect_complete(now, Collector{one->name, one->facts, {}, {}, {}, nullptr});
        }
    }
}

}  // namespace
}  // namespace rd::collectors::test
