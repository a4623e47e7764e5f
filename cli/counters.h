// SPDX-License-Identifier: GPL-2.0-or-later
// The counters that drivers have, by the names that people find in hw_counters/ and in logs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collectors/common/counter_drivers.h"

namespace rd::cli {

struct CounterUse {
    std::string_view driver;
    std::string_view name;
    std::string_view width;
    std::string_view note;
};

// What `fact` of a port is in each driver.
[[nodiscard]] std::vector<CounterUse> counters_of_fact(std::string_view fact);
// "mlx5:out_of_sequence" or "tcpInOptErrors": the counters of that name, or of the driver that count the fact of that name.
[[nodiscard]] std::vector<CounterUse> counters_called(std::string_view typed);
[[nodiscard]] std::vector<std::string> counter_names();

}  // namespace rd::cli
