// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/footprint.h"

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace rd::daemon {
namespace {

// What is freed at the end of the heap and less than this is kept: a frame or a flush may take some MiB for a moment. Set once, it also
// keeps large pieces out of the heap for good.
constexpr int kKeptFree = 256 << 10;

// Of one object: its segments that nobody writes to. The others hold what the linker and the program have put there.
int drop_pages(dl_phdr_info* object, std::size_t, void*) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = object->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
        const std::uintptr_t from = (object->dlpi_addr + segment.p_vaddr) / page * page;
        const std::uintptr_t to = object->dlpi_addr + segment.p_vaddr + segment.p_memsz;
        // It is about memory only: where the kernel will not, nothing is lost.
        (void)::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
    }
    return 0;
}

}  // namespace

void keep_little_memory() {
    // Two threads that hand memory to each other and to the API's: an arena for each would hold as much again.
    ::mallopt(M_ARENA_MAX, 1);
    ::mallopt(M_TRIM_THRESHOLD, kKeptFree);
}

void give_back_what_is_idle() {
    ::malloc_trim(0);
    ::dl_iterate_phdr(drop_pages, nullptr);
}

}  // namespace rd::daemon
