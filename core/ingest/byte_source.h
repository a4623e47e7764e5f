// SPDX-License-Identifier: GPL-2.0-or-later
// Bytes of a file or of standard input, from the front, of which the first may be looked at before they are taken.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/host/descriptor.h"

namespace rd::ingest {

class ByteSource {
public:
    explicit ByteSource(Descriptor file) : file_(std::move(file)) {}

    // The first bytes, as many as there are up to 64 KiB; they are still there for `next`.
    [[nodiscard]] Result<std::string_view> peek();
    // The next block; empty at the end. The view holds until the next call.
    [[nodiscard]] Result<std::string_view> next();

private:
    [[nodiscard]] Result<std::string_view> fill(std::size_t from);

    Descriptor file_;
    std::string block_;
    bool peeked_ = false;
};

}  // namespace rd::ingest
