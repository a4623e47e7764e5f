// SPDX-License-Identifier: GPL-2.0-or-later
// The metrics of a recorded host (or of a frame that has every row of the catalogue), for programs that judge their form.
//
//     metrics_text SOURCE|--catalogue OPEN_METRICS_FILE PROMETHEUS_FILE
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "collectors/all.h"
#include "core/facts/sweep.h"
#include "core/host/bundle.h"
#include "core/host/live.h"
#include "daemon/metrics.h"
#include "tests/unit/support/frame.h"

namespace {

rd::Result<std::unique_ptr<rd::Host>> open(const std::string& source) {
    if (!std::filesystem::exists(source + "/manifest.toml")) return rd::tree_host(source);
    auto bundle = rd::load_bundle(source);
    if (!bundle) return tl::unexpected(std::move(bundle.error()));
    return rd::replay_host(std::move(*bundle), source);
}

rd::Value some(const rd::FactSpec& spec) {
    switch (spec.type) {
        case rd::Type::boolean:
            return true;
        case rd::Type::integer:
            return std::int64_t{7};
        case rd::Type::real:
            return 0.25;
        case rd::Type::text:
            return std::string("a \"text\"\\\n");
        case rd::Type::reference:
            break;
    }
    return rd::Entity{spec.target, "x"};
}

rd::daemon::Frame whole_catalogue(const rd::Catalog& catalog) {
    rd::Snapshot snapshot(std::make_shared<rd::Layout>(), {1'000'000'000, 1'764'547'200'000'000'000});
    for (const rd::FactSpec* spec : catalog.all()) {
        for (const char* id : {"a", "b"}) {
            const rd::Entity entity{spec->kind, spec->kind == rd::Kind::host ? "" : id};
            const std::string name = std::string(spec->name) + (spec->family ? "some_thing" : "");
            snapshot.present(entity);
            snapshot.set(entity, *spec, name, some(*spec));
        }
    }
    return rd::daemon::frame_of(snapshot, {});
}

rd::Result<rd::daemon::Frame> look(const std::string& source) {
    auto opened = open(source);
    if (!opened) return tl::unexpected(std::move(opened.error()));
    const std::shared_ptr<rd::Host> host = std::move(*opened);
    rd::Sweep sweep(host, rd::collectors::all(), rd::collectors::derivations(), {});
    rd::Snapshot snapshot = sweep.run(rd::Due::all);
    while (host->advance({})) snapshot = sweep.run(rd::Due::all);
    return rd::daemon::frame_of(snapshot, host->identity());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        fmt::print(stderr, "usage: metrics_text SOURCE|--catalogue OPEN_METRICS_FILE PROMETHEUS_FILE\n");
        return 64;
    }
    const auto catalog = rd::collectors::catalog();
    if (!catalog) {
        fmt::print(stderr, "{}\n", catalog.error().what);
        return 70;
    }
    const std::string source = argv[1];
    const auto frame = source == "--catalogue" ? whole_catalogue(*catalog) : look(source);
    if (!frame) {
        fmt::print(stderr, "{}\n", frame.error().what);
        return 70;
    }
    // Of one look: what looking costs differs from one to the next.
    const bool written = (std::ofstream(argv[2]) << rd::daemon::open_metrics(*frame)).flush() &&
                         (std::ofstream(argv[3]) << rd::daemon::prometheus_text(*frame)).flush();
    return written ? 0 : 70;
}
