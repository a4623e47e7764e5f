// SPDX-License-Identifier: GPL-2.0-or-later
// Opens what `--from` names: the live host, what was recorded of one, or what people have of one or several: text, a sos report, a
// sysinfo-snapshot.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/answer.h"
#include "core/host/host.h"
#include "core/ingest/ingest.h"

namespace rd::cli {

[[nodiscard]] bool is_live(const std::string& from);
// What is neither this machine nor a bundle of rdmadoctor or a copied tree: the settings of this machine are not for it.
[[nodiscard]] bool is_text(const std::string& from);

struct Source {
    std::shared_ptr<Host> host;
    std::optional<ingest::IngestedHost> text;  // how it was made of text
};
struct Sources {
    std::vector<Source> hosts;             // never empty
    std::optional<ingest::Ingested> text;  // what belongs to none of its hosts; they are in `hosts`
};

struct SourceOptions {
    std::string from;
    std::string root;  // where the files of the live host are mounted, empty for "/"
    std::string host;  // the one that is meant; empty: all
    ingest::IngestOptions ingest{};
};

[[nodiscard]] OrFailure<Sources> open_sources(const SourceOptions& options);
// For what looks at one host only: a failure when there are several and none is chosen.
[[nodiscard]] OrFailure<Source> open_source(const SourceOptions& options);
// What is made of a text, to be saved.
[[nodiscard]] OrFailure<Bundle> bundle_of_text(const SourceOptions& options);

}  // namespace rd::cli
