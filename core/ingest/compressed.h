// SPDX-License-Identifier: GPL-2.0-or-later
// Archives and compressed texts, read with libarchive from the front to the end. Nothing is unpacked to disk.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/ingest/byte_source.h"

namespace rd::ingest {

enum class Packing { none, compressed, archive };  // compressed: one text; archive: tar, compressed or not

[[nodiscard]] bool is_packed(std::string_view start);  // by its first bytes

struct Entry {
    enum class Kind { file, link, other };
    Kind kind = Kind::file;
    std::string name;    // without "./" before it
    std::string target;  // of a symbolic link, as it stands
};

// Takes what a collection holds, entry by entry.
class Entries {
public:
    virtual ~Entries() = default;
    // Whether the text of this file is wanted; called once for each entry, of whatever kind. An Error ends the reading.
    [[nodiscard]] virtual Result<bool> entry(const Entry& entry) = 0;
    virtual void data(std::string_view block) = 0;  // of a file that is wanted, block by block
    virtual void end() = 0;                         // of it
};

// A compressed text comes as one entry without a name.
[[nodiscard]] Result<> read_packed(ByteSource& bytes, Entries& entries);
// A directory; links in it are not followed.
[[nodiscard]] Result<> read_folder(Descriptor directory, Entries& entries);

// Absolute and ".." names, names that are too long: of a hostile archive. `counted`: the entries so far.
[[nodiscard]] Result<> check_entry_name(std::string_view name, std::size_t counted);

inline constexpr std::size_t kMostEntries = 400'000;

}  // namespace rd::ingest
