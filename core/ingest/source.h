// SPDX-License-Identifier: GPL-2.0-or-later
// What `--from SOURCE` may name. The table of recognisers in source.cpp is the one place where a kind of source is added.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/host/host.h"
#include "core/ingest/ingest.h"

namespace rd::ingest {

// One of the two: a host that answers itself (live, a bundle, a copied tree), or what was made of text.
struct Opened {
    std::unique_ptr<Host> host;
    std::unique_ptr<Ingested> ingested;
};

enum class SourceKind { live, recorded, text };  // recorded: a bundle or a copied tree

// What `spec` would be opened as. Of what cannot be opened: recorded.
[[nodiscard]] SourceKind kind_of_source(const std::string& spec);

// "" or "live": this machine. "-": text on standard input. Else the path of a bundle (directory or archive), of a directory with
// sys/ or proc/ below it, of a sos report or a sysinfo-snapshot (directory or archive), of a text, compressed or not. Anything else is
// an Error that says what is understood; not_found where there is nothing of that name.
[[nodiscard]] Result<Opened> open_source(const std::string& spec, const IngestOptions& options = {});

}  // namespace rd::ingest
