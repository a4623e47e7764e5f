// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as pasted text: it ends, it names no file outside the host, and what it gives is a bundle that can be served.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/ingest/ingest.h"
#include "core/ingest/text_host.h"

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

void look_at(const rd::Bundle& bundle) {
    require(!bundle.moments.empty());
    for (std::size_t i = 0; i < bundle.moments.size(); ++i) {
        const rd::Moment& moment = bundle.moments[i];
        require(i == 0 || moment.stamp.boot_ns > bundle.moments[i - 1].stamp.boot_ns);
        for (const auto& [name, answer] : moment.reads) {
            require(!name.empty());
            require(!answer || answer->size() <= rd::kMaxAnswer);
        }
    }
    const auto host = rd::ingest::text_host(bundle, "fuzz");
    do {
        for (const char* const path : {"/sys/class/net", "/sys/class/infiniband", "/sys/bus/pci/devices", "/"}) {
            static_cast<void>(host->list(path));
        }
        static_cast<void>(host->read("kmsg"));
    } while (host->advance(std::chrono::seconds(1)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const rd::ingest::Ingested found = rd::ingest::ingest_text(text);
    require(found.unrecognised_lines <= found.lines);
    for (const rd::ingest::IngestedHost& host : found.hosts) look_at(host.bundle);
    return 0;
}
