// SPDX-License-Identifier: GPL-2.0-or-later
// kmsg: the kernel log from its oldest record that is still there, one record a line.
#pragma once

#include <string>
#include <string_view>

#include "core/base/records.h"
#include "core/base/result.h"
#include "core/host/descriptor.h"

namespace rd {

inline constexpr const char* kKmsgPath = "/dev/kmsg";

// The log, opened for reading without waiting. An Error says by its remedy what reading it takes.
[[nodiscard]] Result<Descriptor> open_kmsg(std::string_view object);

class KmsgReader {
public:
    explicit KmsgReader(std::string object) : object_(std::move(object)) {}
    [[nodiscard]] Result<std::string> read();

private:
    [[nodiscard]] Result<> open();

    std::string object_;
    Descriptor log_;
};

// One record as /dev/kmsg hands it out. Escapes (\xNN) in the text are undone. A record whose head does not parse keeps
// its text and has nothing else.
[[nodiscard]] Record decode_kmsg(std::string_view record);

// Cuts whole lines off the front until at most `bytes` and `lines` are left. The newest are what matters.
void keep_newest_lines(std::string& text, std::size_t bytes, std::size_t lines);

}  // namespace rd
