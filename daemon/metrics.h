// SPDX-License-Identifier: GPL-2.0-or-later
// A frame as metrics, generic over the catalogue. Pure.
//
//   rdmadoctor_port_rx_bytes_total{entity="pci-0000:41:00.0/1"} 132     a number; facts of the host have no label
//   rdmadoctor_port_raw_total{entity="…",member="np_cnp_handled"} 4      of an open set
//   rdmadoctor_port_info{entity="…",name="mlx5_0/1",netdev="…"} 1        settings that are texts, and references, in one place to join
//   rdmadoctor_port_state{entity="…",state="ACTIVE"} 1                   texts that are states
//   rdmadoctor_gap{kind="port",entity="…",fact="symbol_error",class="no_privilege"} 1
//   rdmadoctor_finding{rule="…",kind="pci",subject="…",name="…",severity="high",state="firing"} 1
//
// What could not be read has no sample, least of all 0: it has a gap. Processes and lines of logs are not exported, because they come
// and go without end; nor are texts that change with the load (who holds queue pairs, the last line of a log).
#pragma once

#include <string>

#include "daemon/exposition.h"
#include "daemon/frame.h"

namespace rd::daemon {

[[nodiscard]] Exposition expose(const Frame& frame);
[[nodiscard]] std::string open_metrics(const Frame& frame);     // application/openmetrics-text; version=1.0.0
[[nodiscard]] std::string prometheus_text(const Frame& frame);  // text/plain; version=0.0.4

}  // namespace rd::daemon
