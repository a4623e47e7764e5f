// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as a configuration file, and as environment and command line of a process.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/base/records.h"
#include "core/host/environment.h"
#include "core/host/settings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const auto format : {rd::SettingsFormat::ini, rd::SettingsFormat::yaml, rd::SettingsFormat::toml}) {
        const auto answer = rd::pick_setting(format, "a", text, "file");
        if (answer && !rd::parse_records(*answer)) std::abort();
    }
    if (!rd::parse_record(rd::known_variables(text))) std::abort();
    if (!rd::parse_records(rd::option_values(text, "-a"))) std::abort();
    return 0;
}
