// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/store/rollup.h"

#include <algorithm>
#include <bit>

#include "core/facts/counter.h"

namespace rd::store {
namespace {

void put(Bucket& bucket, std::int64_t value, bool real, Nature nature) {
    if (is_counter(nature)) {
        if (bucket.samples == 0) {
            bucket.first = value;
        } else {
            bucket.extra =
                plus(bucket.extra, minus(counter_step(bucket.last, value, nature).amount, minus(value, bucket.last)));
        }
        bucket.last = value;
    } else {
        const double number = real ? std::bit_cast<double>(value) : static_cast<double>(value);
        bucket.least = bucket.samples == 0 ? number : std::min(bucket.least, number);
        bucket.most = bucket.samples == 0 ? number : std::max(bucket.most, number);
        bucket.sum += number;
    }
    ++bucket.samples;
}

void append_reals(std::string& into, const std::vector<Bucket>& buckets, double Bucket::*field) {
    Column column;
    for (const Bucket& one : buckets) {
        column.ticks.push_back(one.number);
        column.values.push_back(std::bit_cast<std::int64_t>(one.*field));
    }
    append(into, column, Packing::zstd);
}

void append_integers(std::string& into, const std::vector<Bucket>& buckets, std::int64_t Bucket::*field) {
    Column column;
    for (const Bucket& one : buckets) {
        column.ticks.push_back(one.number);
        column.values.push_back(one.*field);
    }
    append(into, column, Packing::zstd);
}

// Takes a column and hands its values to the buckets, which the first one makes.
template <class Put>
Result<> take_into(std::string_view& bytes, std::vector<Bucket>& buckets, const Put& put_value) {
    auto column = take_column(bytes);
    if (!column) return tl::unexpected(std::move(column.error()));
    if (buckets.empty()) {
        for (const std::uint32_t number : column->ticks) buckets.emplace_back().number = number;
    }
    if (column->values.size() != buckets.size())
        return fail(Errc::bad_input, "a chunk is damaged: its columns differ in length");
    for (std::size_t i = 0; i < buckets.size(); ++i) put_value(buckets[i], column->values[i]);
    return {};
}

}  // namespace

std::vector<Bucket> fold(const Column& column, const std::vector<Millis>& times, Millis from, Millis length, bool real,
                         Nature nature) {
    std::vector<Bucket> buckets;
    for (std::size_t i = 0; i < column.values.size(); ++i) {
        const auto number = static_cast<std::uint32_t>((times[i] - from) / length);
        if (buckets.empty() || buckets.back().number != number) buckets.emplace_back().number = number;
        put(buckets.back(), column.values[i], real, nature);
    }
    return buckets;
}

Bucket join(const std::vector<Bucket>& buckets, std::uint32_t number, Nature nature) {
    Bucket whole;
    for (const Bucket& one : buckets) {
        if (whole.samples == 0) {
            whole = one;
            continue;
        }
        whole.extra = plus(whole.extra, plus(one.extra, minus(counter_step(whole.last, one.first, nature).amount,
                                                              minus(one.first, whole.last))));
        whole.last = one.last;
        whole.least = std::min(whole.least, one.least);
        whole.most = std::max(whole.most, one.most);
        whole.sum += one.sum;
        whole.samples += one.samples;
    }
    if (!is_counter(nature)) whole.extra = 0;
    whole.number = number;
    return whole;
}

void append(std::string& into, const std::vector<Bucket>& buckets, Nature nature) {
    append_integers(into, buckets, &Bucket::samples);
    if (is_counter(nature)) {
        for (auto field : {&Bucket::first, &Bucket::last, &Bucket::extra}) append_integers(into, buckets, field);
    } else {
        for (auto field : {&Bucket::least, &Bucket::most, &Bucket::sum}) append_reals(into, buckets, field);
    }
}

Result<std::vector<Bucket>> take_buckets(std::string_view& bytes, Nature nature) {
    std::vector<Bucket> buckets;
    const auto integers = [&](std::int64_t Bucket::*field) {
        return take_into(bytes, buckets, [&](Bucket& one, std::int64_t value) { one.*field = value; });
    };
    const auto reals = [&](double Bucket::*field) {
        return take_into(bytes, buckets,
                         [&](Bucket& one, std::int64_t value) { one.*field = std::bit_cast<double>(value); });
    };
    if (auto done = integers(&Bucket::samples); !done) return tl::unexpected(std::move(done.error()));
    if (is_counter(nature)) {
        for (auto field : {&Bucket::first, &Bucket::last, &Bucket::extra}) {
            if (auto done = integers(field); !done) return tl::unexpected(std::move(done.error()));
        }
    } else {
        for (auto field : {&Bucket::least, &Bucket::most, &Bucket::sum}) {
            if (auto done = reals(field); !done) return tl::unexpected(std::move(done.error()));
        }
    }
    return buckets;
}

}  // namespace rd::store
