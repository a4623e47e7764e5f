// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes through the scrubber: the first line is the name of the host, the rest are answers, "name NUL text NUL". Scrubbing twice
// must work, and nothing may grow beyond what the longest replacements make of the shortest originals.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "core/base/text.h"
#include "core/host/scrub.h"

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

std::size_t size_of(const rd::Bundle& bundle) {
    std::size_t size = bundle.identity.hostname.size();
    for (const auto& [name, answer] : bundle.moments.front().reads) size += name.size() + (answer ? answer->size() : 0);
    return size;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const std::size_t line = std::min(bytes.find('\n'), bytes.size());
    rd::Bundle bundle;
    bundle.identity.hostname = bytes.substr(0, line);
    rd::Moment& moment = bundle.moments.emplace_back();
    const auto parts = rd::split(bytes.substr(line), '\0');
    for (std::size_t at = 0; at + 1 < parts.size(); at += 2)
        moment.reads.emplace(parts[at], std::string(parts[at + 1]));
    moment.links.emplace("/link", std::string(parts.back()));
    const std::size_t answers = moment.reads.size();
    const rd::Bundle once = rd::scrub(bundle), twice = rd::scrub(once);
    require(once.scrubbed && once.moments.size() == 1 && once.moments.front().reads.size() <= answers);
    require(size_of(once) <= 16 * (size_of(bundle) + 16) && size_of(twice) <= 16 * (size_of(once) + 16));
    return 0;
}
