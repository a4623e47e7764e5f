// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/byte_source.h"

#include <unistd.h>

#include <cerrno>

namespace rd::ingest {
namespace {

constexpr std::size_t kBlock = 64u << 10;

}  // namespace

// Reads until the block is full: a pipe gives what happens to be in it.
Result<std::string_view> ByteSource::fill(std::size_t from) {
    block_.resize(kBlock);
    std::size_t filled = from;
    while (filled < kBlock) {
        const ssize_t got = ::read(file_.get(), block_.data() + filled, kBlock - filled);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return tl::unexpected<Error>(error_from_errno(errno, "it"));
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
    }
    block_.resize(filled);
    return std::string_view(block_);
}

Result<std::string_view> ByteSource::peek() {
    if (peeked_) return std::string_view(block_);
    peeked_ = true;
    return fill(0);
}

Result<std::string_view> ByteSource::next() {
    if (peeked_) {
        peeked_ = false;
        return std::string_view(block_);
    }
    return fill(0);
}

}  // namespace rd::ingest
