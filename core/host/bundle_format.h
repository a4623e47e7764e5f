// SPDX-License-Identifier: GPL-2.0-or-later
// The pieces of a bundle (manifest.toml, t0/…, t1/…) as text, apart from where they lie. Private to core/host.
//
// A piece is named by printable ASCII only. In its name every other byte, '%', and what would not survive as a file
// name (a component ".", "..", one that is empty, or a first one that is called like a table) is written %XX. In the
// tables values, links, lists, errors and gone the control characters and '%' are written so.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/host/bundle.h"

namespace rd {

inline constexpr std::size_t kMaxPieces = 200'000;
inline constexpr std::size_t kMaxBundleBytes = 256u << 20;
inline constexpr std::size_t kMaxMoments = 1000;
inline constexpr std::size_t kMaxRebuiltBytes = 512u << 20;  // all moments together, differences applied
inline constexpr std::size_t kMaxLine = 1u << 20;
inline constexpr std::size_t kMaxPieceName = 4096;
inline constexpr std::string_view kManifest = "manifest.toml";
inline constexpr std::string_view kRecordAgain = "record it again with `rdmadoctor record DIR`";

// Names of links and lists in the tables errors and gone.
inline constexpr std::string_view kLinkMark = "link:";
inline constexpr std::string_view kListMark = "list:";

using Pieces = std::map<std::string, std::string, std::less<>>;

// "/sys/class" ↔ "sys/class", "dcb.pfc/ens1f0" ↔ "@/dcb.pfc/ens1f0". There is one way to write a name: other spellings
// are refused, so that no two pieces can mean the same.
[[nodiscard]] std::string piece_of(std::string_view name);
[[nodiscard]] Result<std::string> name_of_piece(std::string_view piece);

[[nodiscard]] std::string escape_field(std::string_view field);
// Calls `take` with the fields of each line that is not empty, and puts the number of the line before its Error.
[[nodiscard]] Result<> each_line(std::string_view text, const std::function<Result<>(std::vector<std::string>)>& take);

// What the manifest says of the other pieces, so that an incomplete copy is noticed.
struct Contents {
    std::size_t pieces = 0;       // 0: it does not say, as one written by hand
    std::vector<bool> unchanged;  // by moment: nothing differs from the one before, and there is no folder
};

[[nodiscard]] std::string print_manifest(const Bundle& bundle, const Contents& contents);
[[nodiscard]] Result<Bundle> parse_manifest(std::string_view text, Contents& contents);

// Pieces → bundle with complete moments. An Error names the piece and the line.
[[nodiscard]] Result<Bundle> assemble(Pieces pieces);

// Bundle → pieces, each moment as what differs from the one before; the manifest is not among them.
struct PieceView {
    std::string name;
    std::string_view answer;  // into the bundle
    std::string table;        // made for this piece; one of the two is empty

    [[nodiscard]] std::string_view text() const { return table.empty() ? answer : std::string_view(table); }
};
[[nodiscard]] std::vector<PieceView> take_apart(const Bundle& bundle);
[[nodiscard]] Contents contents_of(const std::vector<PieceView>& pieces, std::size_t moments);

}  // namespace rd
