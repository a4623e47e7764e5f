// SPDX-License-Identifier: GPL-2.0-or-later
// Where the pieces of a bundle are written: a directory or an archive with a name beside the target's. Private to
// core/host.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/host/bundle_format.h"

namespace rd {

class Sink {
public:
    virtual ~Sink() = default;
    [[nodiscard]] virtual Result<> add(std::string_view piece, std::string_view text) = 0;
    // Everything is on the disk when this succeeds.
    [[nodiscard]] virtual Result<> finish() = 0;
    [[nodiscard]] virtual const std::string& path() const = 0;
};

// By the end of the target's name. Errors of these and of the sinks do not name the target: the caller puts it before them.
[[nodiscard]] Result<std::unique_ptr<Sink>> make_sink(const std::string& target);
[[nodiscard]] Result<std::unique_ptr<Sink>> directory_sink(const std::string& target);
// An Error for names that end like an archive which make_sink would not write.
[[nodiscard]] Result<> check_ending(std::string_view target);

// Why nothing could be made beside the target: the folder, the reason, what to do.
[[nodiscard]] Error no_place(int errnum, const std::string& target);
[[nodiscard]] Error not_written(int errnum);
// The folder that holds the target; "." for a bare name.
[[nodiscard]] std::string folder_of(const std::string& target);

}  // namespace rd
