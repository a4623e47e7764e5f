// SPDX-License-Identifier: GPL-2.0-or-later
// That one process at a time writes a store, and that it writes the file which has the name. Beside the file lies NAME.lock, which is empty
// and stays: whoever holds its lock (flock) is the writer, and a process that ends, however, holds nothing.
#pragma once

#include <sys/types.h>

#include <string>

#include "core/base/result.h"

namespace rd::store {

class Claim {
public:
    // timed_out: another process writes this store. bad_input is never said of it: nothing that is not ours is to be set aside.
    // Where no lock can be made for another reason there is none: the database will say why it cannot be written there.
    [[nodiscard]] static Result<Claim> take(const std::string& path);
    Claim(Claim&& other) noexcept;
    Claim& operator=(Claim&& other) noexcept;
    ~Claim();

    // The file that has the name now is the one.
    void remember();
    // An Error when another one has the name, or none.
    [[nodiscard]] Result<> check() const;

private:
    Claim(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
    std::string path_;
    int lock_;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

}  // namespace rd::store
