// SPDX-License-Identifier: GPL-2.0-or-later
// The memory of a pluggable module, which its maker wrote, and lines of the kernel log. Bytes of the input are the memory, from page to
// page, and may end anywhere.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "collectors/common/kernel_log.h"
#include "core/host/module.h"

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

void module_memory(const std::uint8_t* data, std::size_t size) {
    const auto fetch = [&](const rd::ModulePiece& piece) -> rd::Answer<rd::ModuleBytes> {
        const std::size_t begin = piece.offset < 128 ? piece.offset : piece.offset + 128u * (piece.page % 4);
        if (begin >= size) return rd::refused(EIO);
        rd::ModuleBytes bytes;
        for (std::size_t i = begin; i < size && bytes.size() < piece.length; ++i) {
            bytes.push_back(static_cast<std::byte>(data[i]));
        }
        return bytes;
    };
    const auto text = rd::describe_module(fetch);
    if (!text) return;
    const auto record = rd::parse_record(*text);
    require(record && record->text() == *text);
}

void kernel_log(std::string_view text) {
    rd::Record record;
    record.set("facility", "0");
    record.set("us", "1");
    record.set("text", text);
    const rd::collectors::KernelLog log =
        rd::collectors::read_kernel_log({record, record}, {{"mlx5_0", "0000:41:00.0"}});
    require(log.lines == 2);
    for (const auto& [address, tallies] : log.by_address) {
        require(address.size() == 12);
        for (const rd::collectors::LogTally& tally : tallies.of) require(tally.count <= 2);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    module_memory(data, size);
    kernel_log({reinterpret_cast<const char*>(data), size});
    return 0;
}
