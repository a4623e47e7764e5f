// SPDX-License-Identifier: GPL-2.0-or-later
// A host made of text. It answers as a replayed bundle does, and of what is not in the text it says what to paste to have it there: a
// name in /sys would help nobody who has only what was sent to them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/host/bundle.h"

namespace rd::ingest {

[[nodiscard]] std::unique_ptr<Host> text_host(Bundle bundle, std::string source);

// "paste `ethtool -S eth2`" for ethtool.stats/eth2.
[[nodiscard]] std::string remedy_for(std::string_view name);

}  // namespace rd::ingest
