// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/counters.h"

namespace rd::cli {
namespace {

using collectors::fact_of_counter;

template <class Wanted>
std::vector<CounterUse> counters(const Wanted& wanted) {
    std::vector<CounterUse> found;
    for (const collectors::CounterDriver& driver : collectors::kCounterDrivers) {
        for (const collectors::DriverCounter& counter : driver.counters) {
            if (wanted(driver.driver, counter.name)) {
                found.push_back({driver.driver, counter.name, driver.width, counter.note});
            }
        }
    }
    return found;
}

}  // namespace

std::vector<CounterUse> counters_of_fact(std::string_view fact) {
    return counters([fact](std::string_view, std::string_view name) { return fact_of_counter(name) == fact; });
}

std::vector<CounterUse> counters_called(std::string_view typed) {
    const std::size_t colon = typed.find(':');
    if (colon == std::string_view::npos) {
        return counters([typed](std::string_view, std::string_view name) { return name == typed; });
    }
    const std::string_view driver = typed.substr(0, colon), wanted = typed.substr(colon + 1);
    return counters([&](std::string_view its_driver, std::string_view name) {
        return its_driver == driver && (name == wanted || fact_of_counter(name) == wanted);
    });
}

std::vector<std::string> counter_names() {
    std::vector<std::string> names;
    for (const CounterUse& each : counters([](std::string_view, std::string_view) { return true; })) {
        names.push_back(std::string(each.driver) + ":" + std::string(each.name));
        names.emplace_back(each.name);
    }
    return names;
}

}  // namespace rd::cli
