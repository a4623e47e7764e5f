// SPDX-License-Identifier: GPL-2.0-or-later
// One file, read again and again. Private to core/host.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/host/descriptor.h"
#include "core/host/host.h"

namespace rd {

class Root;

class alignas(64) FileHandle final : public Handle {
public:
    FileHandle(std::shared_ptr<const Root> root, std::string path);
    Result<> read(Buffer& into) override;

private:
    // How the end of an answer is known, and whether the descriptor may serve the next read too.
    enum class Kind : std::uint8_t {
        attribute,  // its size is known: a short read is the whole answer
        stream,     // made while it is read: only an empty read ends it
        plain,      // on a disk: another file may take its name, which its descriptor does not notice. Not in a copied
                    // tree, which holds one moment, so that its files are served like the kernel's
        waiting,    // FIFO or device (a socket cannot be opened): may have nothing to say, ever
    };

    [[nodiscard]] int reopen();
    [[nodiscard]] int read_open(Buffer& into) const;
    [[nodiscard]] Error describe(int errnum) const;

    // What a read that goes well needs, first and in one cache line.
    Descriptor file_;
    Kind kind_ = Kind::plain;
    bool is_fifo_ = false;
    std::shared_ptr<const Root> root_;
    std::string path_;
};

}  // namespace rd
