// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/source.h"

#include <algorithm>
#include <utility>

#include "cli/options.h"
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/host/live.h"
#include "core/ingest/source.h"
#include "core/ingest/text_host.h"

namespace rd::cli {
namespace {

std::string name_of(const ingest::IngestedHost& host) { return host.name.empty() ? "unnamed" : host.name; }

std::string list_of(const std::vector<ingest::IngestedHost>& hosts) {
    std::string out;
    for (const ingest::IngestedHost& host : hosts) out += (out.empty() ? "" : ", ") + name_of(host);
    return out;
}

Source source_of(ingest::IngestedHost host, const std::string& from) {
    Source source;
    source.host = ingest::text_host(std::exchange(host.bundle, {}), from);
    source.text = std::move(host);
    return source;
}

// Only the host that is meant; an Error tells which there are.
OrFailure<ingest::Ingested> chosen(ingest::Ingested text, const std::string& name) {
    if (name.empty()) return text;
    const auto found = std::find_if(text.hosts.begin(), text.hosts.end(),
                                    [&](const ingest::IngestedHost& host) { return name_of(host) == name; });
    if (found == text.hosts.end()) {
        return usage_failure("--host: no host '" + printable(name) + "' in it (there is: " + list_of(text.hosts) + ")");
    }
    ingest::IngestedHost one = std::move(*found);
    text.hosts.clear();
    text.hosts.push_back(std::move(one));
    return text;
}

OrFailure<ingest::Ingested> only_one(ingest::Ingested text, const std::string& from) {
    if (text.hosts.size() == 1) return text;
    return usage_failure(from + ": tells of " + std::to_string(text.hosts.size()) +
                         " hosts (choose one with --host: " + list_of(text.hosts) + ")");
}

OrFailure<Sources> sources_of(ingest::Ingested text, const std::string& from) {
    Sources out;
    for (ingest::IngestedHost& host : text.hosts) out.hosts.push_back(source_of(std::move(host), from));
    text.hosts.clear();
    out.text = std::move(text);
    return out;
}

OrFailure<Sources> sources_of(std::unique_ptr<Host> host, const std::string& wanted) {
    if (!wanted.empty() && host->identity().hostname != wanted) {
        return usage_failure("--host: no host '" + printable(wanted) + "' (there is: " + host->identity().hostname +
                             ")");
    }
    Sources out;
    out.hosts.push_back({std::shared_ptr<Host>(std::move(host)), {}});
    return out;
}

OrFailure<ingest::Opened> opened(const SourceOptions& options) {
    Result<ingest::Opened> opened = ingest::open_source(options.from, options.ingest);
    if (opened) return std::move(*opened);
    if (opened.error().code != Errc::not_found) return usage_failure(describe(opened.error()));
    return usage_failure(
        options.from +
        ": no such file or directory (--from takes a bundle, a directory, a text, or - for standard input)");
}

}  // namespace

bool is_live(const std::string& from) { return from == kLive; }

bool is_text(const std::string& from) {
    return !is_live(from) && ingest::kind_of_source(from) == ingest::SourceKind::text;
}

OrFailure<Sources> open_sources(const SourceOptions& options) {
    if (!options.root.empty()) {
        Result<std::unique_ptr<Host>> below = rooted_host(options.root);
        if (!below) return usage_failure(describe(below.error()));
        return sources_of(std::move(*below), options.host);
    }
    return opened(options).and_then([&](ingest::Opened source) {
        if (!source.ingested) return sources_of(std::move(source.host), options.host);
        return chosen(std::move(*source.ingested), options.host).and_then([&](ingest::Ingested text) {
            return sources_of(std::move(text), options.from);
        });
    });
}

OrFailure<Source> open_source(const SourceOptions& options) {
    OrFailure<Sources> sources = open_sources(options);
    if (!sources) return tl::unexpected<Failure>(sources.error());
    if (sources->hosts.size() == 1) return std::move(sources->hosts.front());
    ingest::Ingested text;
    for (Source& source : sources->hosts) text.hosts.push_back(std::move(*source.text));
    return tl::unexpected<Failure>(only_one(std::move(text), options.from).error());
}

OrFailure<Bundle> bundle_of_text(const SourceOptions& options) {
    return opened(options)
        .and_then([&](ingest::Opened source) { return chosen(std::move(*source.ingested), options.host); })
        .and_then([&](ingest::Ingested text) { return only_one(std::move(text), options.from); })
        .map([](ingest::Ingested text) { return std::move(text.hosts.front().bundle); });
}

}  // namespace rd::cli
