// SPDX-License-Identifier: GPL-2.0-or-later
// Rows into values. Private to the reader.
#pragma once

#include <bit>

#include "core/store/reader.h"

namespace rd::store {

inline SeriesRow series_row(const Statement& row) {
    SeriesRow series;
    series.id = row.integer(0);
    static_cast<void>(kind_from_name(row.text(1), series.entity.kind));
    series.entity.id = row.text(2);
    series.fact = row.text(3);
    series.type = Type::text;  // where the name is none that this version knows
    static_cast<void>(type_from_name(row.text(4), series.type));
    static_cast<void>(nature_from_name(row.text(5), series.nature));
    series.unit = row.text(6);
    return series;
}

inline double number(std::int64_t bits, Type type) {
    return type == Type::real ? std::bit_cast<double>(bits) : static_cast<double>(bits);
}

}  // namespace rd::store
