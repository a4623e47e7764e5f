// SPDX-License-Identifier: GPL-2.0-or-later
#include "collectors/common/mounts.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace rd::collectors {

bool Mount::has(std::string_view word) const {
    const auto list = split(options, ',');
    return std::find(list.begin(), list.end(), word) != list.end();
}

Result<std::vector<Mount>> parse_mounts(std::string_view file, std::string_view text) {
    std::vector<Mount> mounts;
    for (const std::string_view line : lines(text)) {
        const auto fields = words(line);
        if (fields.empty() || fields.front().starts_with('#')) continue;
        // The options of a line of fstab may be left out.
        if (fields.size() < 3) {
            return fail(Errc::bad_input, fmt::format("{}: not a mount: '{}'", file, printable(trim(line))));
        }
        mounts.push_back({std::string(fields[0]), std::string(fields[1]), std::string(fields[2]),
                          std::string(fields.size() > 3 ? fields[3] : "defaults")});
    }
    return mounts;
}

Result<std::vector<Mount>> read_mounts(const Host& host, const std::string& file) {
    const auto text = host.read(file);
    if (!text) return tl::unexpected<Error>(text.error());
    return parse_mounts(file, *text);
}

std::string listed(std::vector<std::string> found) {
    constexpr std::size_t kMost = 32;
    std::string text;
    std::vector<std::string> seen;
    for (std::string& word : found) {
        if (std::find(seen.begin(), seen.end(), word) != seen.end()) continue;
        if (seen.size() == kMost) return text + " more";
        text += fmt::format("{}{}", text.empty() ? "" : " ", printable(word, 200));
        seen.push_back(std::move(word));
    }
    return text.empty() ? "none" : text;
}

}  // namespace rd::collectors
