// SPDX-License-Identifier: GPL-2.0-or-later
// Text of kernels, drivers and bundles through the parsers of core/base. What is printed must parse to the same again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "core/base/records.h"
#include "core/base/text.h"

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

void numbers(std::string_view text) {
    if (const auto value = rd::parse_integer(text)) require(rd::parse_integer(std::to_string(*value)) == *value);
    if (const auto value = rd::parse_counter(text)) require(*value >= 0 && rd::parse_integer(text) == *value);
    if (const auto value = rd::parse_number(text)) require(rd::leading_number(text) == *value);
    if (const auto value = rd::parse_duration(text)) {
        require(value->count() >= 0 && rd::parse_duration(rd::print_duration(*value)) == *value);
    }
    if (const auto value = rd::parse_size(text)) require(*value >= 0);
    static_cast<void>(rd::parse_hex(text));
    for (const auto& list : {rd::parse_cpulist(text), rd::parse_cpumask(text)}) {
        if (!list) continue;
        require(list->size() <= 65'536);
        for (std::size_t at = 1; at < list->size(); ++at) require((*list)[at - 1] < (*list)[at]);
    }
}

void shapes(std::string_view text) {
    std::size_t size = 0;
    for (const std::string_view part : rd::split(text, ',')) size += part.size() + 1;
    require(size == text.size() + 1);
    for (const std::string_view line : rd::lines(text)) require(line.find('\n') == std::string_view::npos);
    for (const std::string_view word : rd::words(text)) require(!word.empty());
    for (const char c : rd::printable(text, 1'000)) require(c >= ' ' && c <= '~');
    if (rd::is_pci_address(text)) require(text.size() >= 12);
}

void records(std::string_view text) {
    const auto parsed = rd::parse_records(text);
    if (!parsed) return;
    std::string printed;
    for (const rd::Record& record : *parsed) printed += record.text();
    const auto again = rd::parse_records(printed);
    require(again && again->size() == parsed->size());
    for (std::size_t at = 0; at < parsed->size(); ++at) require((*again)[at].fields() == (*parsed)[at].fields());
    require(rd::parse_record(text).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    numbers(text);
    shapes(text);
    records(text);
    return 0;
}
