// SPDX-License-Identifier: GPL-2.0-or-later
// Bundles from strangers. The first byte chooses: 'a': the rest are the bytes of an archive; else: the rest are pieces,
// "name NUL text NUL", which reaches the tables and the manifest without the checksums of tar in the way.
// What loads must be the same after it was taken apart and put together again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "core/base/text.h"
#include "core/host/bundle_reader.h"
#include "core/host/replay.h"

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

rd::Result<rd::Pieces> pieces_of(std::string_view bytes) {
    if (!bytes.empty() && bytes.front() == 'a') return rd::read_archive(bytes.substr(1));
    rd::PieceBox box;
    const auto parts = rd::split(bytes.substr(bytes.empty() ? 0 : 1), '\0');
    for (std::size_t at = 0; at + 1 < parts.size(); at += 2) {
        auto added = box.check_name(parts[at]).and_then(
            [&] { return box.add(std::string(parts[at]), std::string(parts[at + 1])); });
        if (!added) return tl::unexpected<rd::Error>(added.error());
    }
    return box.take();
}

void round_trip(const rd::Bundle& bundle) {
    const auto views = rd::take_apart(bundle);
    const rd::Contents contents = rd::contents_of(views, bundle.moments.size());
    rd::Pieces pieces{{std::string(rd::kManifest), rd::print_manifest(bundle, contents)}};
    for (const rd::PieceView& view : views) {
        if (view.text().size() > rd::kMaxAnswer) return;  // would not be saved
        require(pieces.emplace(view.name, view.text()).second);
    }
    const auto again = rd::assemble(std::move(pieces));
    require(again.has_value() && again->moments.size() == bundle.moments.size());
    for (std::size_t at = 0; at < bundle.moments.size(); ++at) {
        require(again->moments[at].stamp == bundle.moments[at].stamp);
        require(again->moments[at].reads == bundle.moments[at].reads);
        require(again->moments[at].links == bundle.moments[at].links);
        require(again->moments[at].lists == bundle.moments[at].lists);
    }
}

void ask(const rd::Moment& moment) {
    rd::Buffer buffer;
    for (const auto& [name, answer] : moment.reads) {
        require(rd::answer_read(moment, name, buffer).has_value() == answer.has_value());
        static_cast<void>(rd::answer_list(moment, name.substr(0, name.rfind('/'))));
    }
    static_cast<void>(rd::answer_list(moment, "/"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto bundle = pieces_of(bytes).map(rd::without_folder).and_then(rd::assemble);
    if (!bundle) return 0;
    round_trip(*bundle);
    ask(bundle->moments.front());
    return 0;
}
