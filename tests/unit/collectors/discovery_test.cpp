// SPDX-License-Identifier: GPL-2.0-or-later
// What all collectors ask of a host grows as the host does, and not as its square: a host with twice the adapters is asked twice as
// much. The time it takes is measured in tests/bench.
#include "tests/unit/collectors/support.h"
#include "tests/unit/support/large_host.h"
#include "tests/unit/support/passing_host.h"

namespace rd::collectors::test {
namespace {

struct Asked {
    std::size_t calls = 0, names = 0;  // names: given by listings
};

class CountingHost final : public PassingHost {
public:
    using PassingHost::PassingHost;

    [[nodiscard]] std::unique_ptr<Handle> open(std::string_view name) const override {
        ++asked_.calls;
        return PassingHost::open(name);
    }
    [[nodiscard]] Result<std::vector<std::string>> list(std::string_view path) const override {
        ++asked_.calls;
        auto names = PassingHost::list(path);
        if (names) asked_.names += names->size();
        return names;
    }
    [[nodiscard]] Result<std::string> link(std::string_view path) const override {
        ++asked_.calls;
        return PassingHost::link(path);
    }

    [[nodiscard]] const Asked& asked() const { return asked_; }

private:
    mutable Asked asked_;
};

Asked asked_by(const Collector& collector, int functions) {
    const CountingHost host(large_host(functions));
    Plan plan{std::string(collector.name)};
    collector.discover(host, plan);
    Asked asked = host.asked();
    asked.calls += plan.reads.size();  // what it says is to be read counts as well: some look for nothing else
    return asked;
}

TEST(Discovery, AsksTwiceAsMuchOfAHostTwiceAsLarge) {
    constexpr int kFunctions = 64;
    for (const Collector* collector : all()) {
        SCOPED_TRACE(collector->name);
        const Asked one = asked_by(*collector, kFunctions), two = asked_by(*collector, 2 * kFunctions);
        EXPECT_GT(one.calls, 0U);
        EXPECT_LE(two.calls, 2 * one.calls + 8);
        EXPECT_LE(two.names, 2 * one.names + 8);
    }
}

}  // namespace
}  // namespace rd::collectors::test
