// SPDX-License-Identifier: GPL-2.0-or-later
// Anybody on the wire can send an LLDP frame.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "core/host/lldp.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto record = rd::decode_lldp({data, size});
    if (record && !rd::parse_records(record->text())) std::abort();  // what is handed over can be taken apart
    return 0;
}
