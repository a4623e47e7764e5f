// SPDX-License-Identifier: GPL-2.0-or-later
// A stretch of samples in fewer numbers: what is left of it when the samples are too old to keep. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/facts/catalog.h"
#include "core/store/axis.h"
#include "core/store/columns.h"
#include "core/store/wrapping.h"

namespace rd::store {

// Of one series in one minute or hour.
struct Bucket {
    std::uint32_t number = 0;  // within the stretch
    std::int64_t samples = 0;
    // Counters: first and last value, and how much more was counted between them than their difference (wraps, resets).
    std::int64_t first = 0, last = 0, extra = 0;
    // What goes up and down; integers exactly up to 2^53.
    double least = 0, most = 0, sum = 0;

    // What a counter counted in it.
    [[nodiscard]] std::int64_t increase() const { return plus(minus(last, first), extra); }

    friend bool operator==(const Bucket&, const Bucket&) = default;
};

// `times`: of each sample; buckets are `length` long and numbered from `from`.
[[nodiscard]] std::vector<Bucket> fold(const Column& column, const std::vector<Millis>& times, Millis from,
                                       Millis length, bool real, Nature nature);
// Buckets that follow each other, as one, numbered `number`.
[[nodiscard]] Bucket join(const std::vector<Bucket>& buckets, std::uint32_t number, Nature nature);

void append(std::string& into, const std::vector<Bucket>& buckets, Nature nature);
[[nodiscard]] Result<std::vector<Bucket>> take_buckets(std::string_view& bytes, Nature nature);

}  // namespace rd::store
