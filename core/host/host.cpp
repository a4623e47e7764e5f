// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/host.h"

#include <algorithm>

namespace rd {

void Buffer::assign(std::string_view text) {
    std::copy(text.begin(), text.end(), reserve(text.size()));
    size_ = text.size();
}

char* Buffer::reserve(std::size_t capacity) {
    if (capacity > capacity_) {
        data_ = std::make_unique_for_overwrite<char[]>(capacity);
        capacity_ = capacity;
        size_ = 0;
    }
    return data_.get();
}

Result<std::string> Host::read(std::string_view name) const {
    Buffer buffer;
    return open(name)->read(buffer).map([&] { return std::string(buffer.text()); });
}

}  // namespace rd
