// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the pieces of a bundle, trusting nothing: names, types, sizes and numbers are checked before anything is
// kept, and nothing is written anywhere. Private to core/host.
#pragma once

#include <string>
#include <string_view>

#include "core/host/bundle_format.h"
#include "core/host/descriptor.h"

struct archive;

namespace rd {

// Collects pieces and enforces the limits that hold for directories and archives alike.
class PieceBox {
public:
    // Before the text of an entry is read.
    [[nodiscard]] Result<> check_name(std::string_view name);
    [[nodiscard]] Result<> add(std::string name, std::string text);
    [[nodiscard]] Pieces take() { return std::move(pieces_); }

private:
    Pieces pieces_;
    std::size_t entries_ = 0;
    std::size_t bytes_ = 0;
};

[[nodiscard]] Result<Pieces> read_directory(Descriptor directory);
// tar, tar.gz, tar.zst. From an open file, or from memory.
[[nodiscard]] Result<Pieces> read_archive(Descriptor file);
[[nodiscard]] Result<Pieces> read_archive(std::string_view bytes);
// An archive that was made by packing a bundle directory has all pieces below one folder; it is taken off.
[[nodiscard]] Pieces without_folder(Pieces pieces);

}  // namespace rd
