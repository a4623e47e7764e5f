// SPDX-License-Identifier: GPL-2.0-or-later
// A host for somebody who may not read everything: what the inner host refuses for want of privilege is taken from a bundle that somebody
// with more rights leaves now and again (rdmadoctor-probe.service), so that this program needs no such rights.
//
// Taken are settings and measures, which hold for minutes. Counters are not: they would stand still until the next bundle comes and then
// seem to have gone in a second what they went in ten minutes. They stay the gap that they are. So does everything while there is no bundle of
// this boot that is young enough, and the remedy says how to get one.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "core/host/host.h"

namespace rd {

struct ProbeSource {
    std::string bundle;  // replaced as a whole, by a rename
    std::chrono::nanoseconds most_age = std::chrono::minutes(30);
    std::chrono::nanoseconds look_again = std::chrono::seconds(5);  // for a new bundle
};

[[nodiscard]] std::unique_ptr<Host> probed_host(std::shared_ptr<Host> inner, ProbeSource source);

}  // namespace rd
