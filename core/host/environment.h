// SPDX-License-Identifier: GPL-2.0-or-later
// Of what a process was started with (environment, command line) only what steers RDMA or was asked for by name: the rest may be anything,
// and is somebody's secret. Private to core/host.
#pragma once

#include <string>
#include <string_view>

namespace rd {

// A variable whose value may be told: by a list of beginnings, without those whose names sound like a secret.
[[nodiscard]] bool is_known_variable(std::string_view name);
// One record with NAME=VALUE of the known ones, from the text of /proc/PID/environ.
[[nodiscard]] std::string known_variables(std::string_view environ);

// An option that may be asked for: '-' or "--", letters, digits, and '-' or '_' between them.
[[nodiscard]] bool is_option(std::string_view name);
// One record (value) for each time the option stands in the text of /proc/PID/cmdline, as "-c VALUE" or "--config=VALUE".
[[nodiscard]] std::string option_values(std::string_view cmdline, std::string_view option);

}  // namespace rd
