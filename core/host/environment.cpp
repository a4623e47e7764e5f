// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/environment.h"

#include <algorithm>

#include "core/base/records.h"
#include "core/base/text.h"
#include "core/host/settings.h"

namespace rd {
namespace {

// UCX, NCCL, libfabric, Mooncake, DAOS (D_, CRT_, OFI_, SWIM_), Open MPI, rdma-core and its providers, 3FS.
constexpr std::string_view kBeginnings[] = {"UCX_",    "NCCL_", "RCCL_", "FI_",       "MC_",    "D_",
                                            "CRT_",    "OFI_",  "SWIM_", "OMPI_MCA_", "RDMAV_", "IBV_",
                                            "RDMA_CM", "MLX5_", "MLX4_", "HF3FS_",    "IRDMA_"};

constexpr std::size_t kLongestName = 100, kLongestValue = 1024, kMostVariables = 512;

// An address with a name and a password in it (the MinIO client keeps some in MC_HOST_…).
bool has_password(std::string_view value) {
    const std::size_t scheme = value.find("://");
    return scheme != std::string_view::npos && value.find('@', scheme) != std::string_view::npos;
}

}  // namespace

bool is_known_variable(std::string_view name) {
    return name.size() <= kLongestName && !sounds_secret(name) &&
           std::all_of(name.begin(), name.end(),
                       [](char c) {
                           return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                                  c == '_';
                       }) &&
           std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                       [name](std::string_view beginning) { return name.starts_with(beginning); });
}

std::string known_variables(std::string_view environ) {
    Record record;
    for (const std::string_view entry : split(environ, '\0')) {
        const std::size_t equals = entry.find('=');
        if (equals == std::string_view::npos || !is_known_variable(entry.substr(0, equals))) continue;
        const std::string_view value = entry.substr(equals + 1);
        if (has_password(value)) continue;
        record.set(entry.substr(0, equals), value.substr(0, kLongestValue));
        if (record.fields().size() == kMostVariables) break;
    }
    return record.empty() ? std::string() : record.text();
}

bool is_option(std::string_view name) {
    const std::size_t dashes = name.starts_with("--") ? 2 : 1;
    return name.starts_with('-') && name.size() > dashes && name.size() <= kLongestName && !sounds_secret(name) &&
           std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dashes), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                      c == '_';
           });
}

std::string option_values(std::string_view cmdline, std::string_view option) {
    const auto arguments = split(cmdline, '\0');
    std::string answer;
    const auto take = [&](std::string_view value) {
        if (value.empty() || value.size() > kLongestValue || has_password(value)) return;
        Record record;
        record.set("value", value);
        answer += record.text();
    };
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const std::string_view argument = arguments[i];
        if (argument == option && i + 1 < arguments.size()) {
            take(arguments[++i]);
        } else if (argument.size() > option.size() && argument.starts_with(option) && argument[option.size()] == '=') {
            take(argument.substr(option.size() + 1));
        }
    }
    return answer;
}

}  // namespace rd
