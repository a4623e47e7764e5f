// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as a pattern and a line of a log: the pattern compiles or complains, both ways of matching agree, names stay within the line.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/base/log_line.h"
#include "core/diagnosis/rulebook.h"

namespace {

void check(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t end = std::min(input.find('\n'), size);
    const std::string_view line = end == size ? std::string_view{} : input.substr(end + 1);
    for (const std::string_view name : rd::names_in_line(line)) check(line.find(name) != std::string_view::npos);
    check(rd::log_shape(line).size() <= line.size());
    (void)rd::pci_addresses_in(line);
    (void)rd::may_concern_rdma(line);
    (void)rd::sounds_like_trouble(line);
    const bool proven_matches = rd::proven_log_pattern(input.substr(0, end)).matches(line);
    auto pattern = rd::compile_log_pattern(input.substr(0, end));
    if (!pattern) {
        check(!pattern.error().message.empty());
        return 0;
    }
    const bool matches = pattern->matches(line);
    check(matches == pattern->match(line).has_value());
    check(matches == proven_matches);
    rd::Rule rule;
    rule.logs.push_back(std::move(*pattern));
    const rd::LogMatcher matcher({rule});
    check(matcher.matches(line) == matches);
    check(matcher.match(line).size() == (matches ? 1u : 0u));
    return 0;
}
