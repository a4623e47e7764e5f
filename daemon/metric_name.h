// SPDX-License-Identifier: GPL-2.0-or-later
// What a row of the catalogue is called as a metric: rdmadoctor_<kind>_<fact>[_<base unit>].
//
// Units are Prometheus's base units: seconds, bytes (a rate of Gbit/s is bytes per second, as node_exporter's network speed is),
// ratios of 1, celsius, volts, amperes, watts, hertz, transfers per second. What counts things ("packets", "lanes") has no unit in its
// name beyond what the fact's own name says.
#pragma once

#include <string>

#include "core/facts/catalog.h"

namespace rd::daemon {

struct MetricName {
    std::string name;  // without _total and _info
    std::string unit;  // base unit, empty for none
    // Base units = fact × `times` ÷ `by`; both whole, so that 123 µs become 0.000123 s and not a neighbour of it.
    double times = 1, by = 1;

    [[nodiscard]] bool converts() const { return times != 1 || by != 1; }
};

[[nodiscard]] MetricName metric_name(const FactSpec& spec);

}  // namespace rd::daemon
