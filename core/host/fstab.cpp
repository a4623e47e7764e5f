// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/fstab.h"

#include <algorithm>

#include "core/base/text.h"

namespace rd {
namespace {

constexpr std::string_view kTypes[] = {"nfs", "nfs4", "cifs", "smb3"};
constexpr std::string_view kWords[] = {"rdma", "tcp", "seal", "sign", "noauto", "nosharecache", "multichannel"};
constexpr std::string_view kKeys[] = {"proto=", "port=", "vers=", "nfsvers=", "sec=", "nconnect=", "max_channels="};

bool any_of(std::string_view text, const auto& list) {
    return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

bool is_told(std::string_view option) {
    return any_of(option, kWords) || std::any_of(std::begin(kKeys), std::end(kKeys),
                                                 [option](std::string_view key) { return option.starts_with(key); });
}

// "//user:password@server/share" is an old way to write it.
bool has_password(std::string_view source) { return source.find('@') != std::string_view::npos; }

}  // namespace

Result<std::string> network_mounts(std::string_view text, std::string_view object) {
    std::string answer;
    std::size_t number = 0;
    for (const std::string_view line : lines(text)) {
        ++number;
        const auto fields = words(line);
        if (fields.empty() || fields.front().starts_with('#')) continue;
        if (fields.size() < 3) {
            return fail(Errc::bad_input, std::string(object) + ": line " + std::to_string(number) + ": not a mount");
        }
        if (!any_of(fields[2], kTypes)) continue;
        std::string options;
        for (const std::string_view option : split(fields.size() > 3 ? fields[3] : std::string_view(), ',')) {
            if (is_told(option)) options += (options.empty() ? "" : ",") + std::string(option);
        }
        answer += std::string(has_password(fields[0]) ? std::string_view("-") : fields[0]) + " " +
                  std::string(fields[1]) + " " + std::string(fields[2]) + " " +
                  (options.empty() ? "defaults" : options) + "\n";
    }
    return answer;
}

}  // namespace rd
