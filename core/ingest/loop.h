// SPDX-License-Identifier: GPL-2.0-or-later
// Loops over words that are written out: "for i in 160 161; do cat /proc/irq/$i/smp_affinity_list; done" prints what the commands print of
// which it is short.
#pragma once

#include <string>
#include <string_view>

namespace rd::ingest {

// The commands of such a loop in a row; the text itself where it is none, or where its words are not told ("*.txt", "$(ls)").
[[nodiscard]] std::string unrolled(std::string_view text);

}  // namespace rd::ingest
