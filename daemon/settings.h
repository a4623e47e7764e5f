// SPDX-License-Identifier: GPL-2.0-or-later
// The tables [daemon], [store] and [api] of rdmadoctor.toml, which lists every key with its default.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/host/events/source.h"
#include "core/program/files.h"
#include "core/store/store.h"

namespace rd::daemon {

struct Settings {
    std::chrono::nanoseconds interval =
        std::chrono::seconds(1);  // between sweeps; what is read less often keeps its own cadence
    ContextPolicy contexts = ContextPolicy::automatic;

    std::string store = "/var/lib/rdmadoctor/store/metrics.db";  // empty: nothing is kept
    store::Limits limits;

    std::string socket = kApiSocket;
    std::string group = "rdmadoctor";      // who may read it
    std::string control = kControlSocket;  // for orders; empty: none are taken
    std::uint16_t metrics_port = 0;        // of 127.0.0.1; 0: none
    std::string textfile;                  // metrics as a file; empty: none
};

// `origin` names the file in complaints. Tables that are not the daemon's are left to their readers.
[[nodiscard]] Result<Settings> parse_settings(std::string_view text, std::string_view origin);

}  // namespace rd::daemon
