// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/core/store/failing_disk.h"

#include <signal.h>
#include <sqlite3.h>

#include <cstring>
#include <limits>
#include <new>

namespace rd::store {
namespace {

std::int64_t g_left = std::numeric_limits<std::int64_t>::max(), g_writes = 0;
bool g_kill = false, g_full = false;
sqlite3_vfs* g_real = nullptr;
sqlite3_vfs g_vfs;

struct File {
    sqlite3_file base;
    [[nodiscard]] sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};
File* of(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
const sqlite3_io_methods& methods(sqlite3_file* file) { return *of(file)->real()->pMethods; }

bool dead() {
    if (g_left <= 0 && g_kill) ::raise(SIGKILL);
    return g_left <= 0;
}

bool grows(sqlite3_file* file, int size, sqlite3_int64 at) {
    sqlite3_int64 now = 0;
    return methods(file).xFileSize(of(file)->real(), &now) != SQLITE_OK || at + size > now;
}

int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 at) {
    ++g_writes;
    if (dead() || (g_full && grows(file, size, at))) return SQLITE_FULL;
    --g_left;
    return methods(file).xWrite(of(file)->real(), data, size, at);
}

const sqlite3_io_methods kMethods = {
    2,
    [](sqlite3_file* f) { return methods(f).xClose(of(f)->real()); },
    [](sqlite3_file* f, void* data, int size, sqlite3_int64 at) {
        return methods(f).xRead(of(f)->real(), data, size, at);
    },
    write,
    [](sqlite3_file* f, sqlite3_int64 size) { return methods(f).xTruncate(of(f)->real(), size); },
    [](sqlite3_file* f, int flags) { return dead() ? SQLITE_IOERR_FSYNC : methods(f).xSync(of(f)->real(), flags); },
    [](sqlite3_file* f, sqlite3_int64* size) { return methods(f).xFileSize(of(f)->real(), size); },
    [](sqlite3_file* f, int lock) { return methods(f).xLock(of(f)->real(), lock); },
    [](sqlite3_file* f, int lock) { return methods(f).xUnlock(of(f)->real(), lock); },
    [](sqlite3_file* f, int* out) { return methods(f).xCheckReservedLock(of(f)->real(), out); },
    [](sqlite3_file* f, int op, void* arg) { return methods(f).xFileControl(of(f)->real(), op, arg); },
    [](sqlite3_file* f) { return methods(f).xSectorSize(of(f)->real()); },
    [](sqlite3_file* f) { return methods(f).xDeviceCharacteristics(of(f)->real()); },
    [](sqlite3_file* f, int page, int size, int extend, void volatile** out) {
        return methods(f).xShmMap(of(f)->real(), page, size, extend, out);
    },
    [](sqlite3_file* f, int offset, int n, int flags) { return methods(f).xShmLock(of(f)->real(), offset, n, flags); },
    [](sqlite3_file* f) { methods(f).xShmBarrier(of(f)->real()); },
    [](sqlite3_file* f, int remove) { return methods(f).xShmUnmap(of(f)->real(), remove); },
    nullptr,
    nullptr,
};

int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
    const int code = g_real->xOpen(g_real, name, of(file)->real(), flags, out);
    file->pMethods = of(file)->real()->pMethods == nullptr ? nullptr : &kMethods;
    return code;
}

}  // namespace

FailingDisk::FailingDisk() {
    g_real = sqlite3_vfs_find(nullptr);
    g_vfs = *g_real;
    g_vfs.zName = "failing-disk";
    g_vfs.szOsFile = int(sizeof(File)) + g_real->szOsFile;
    g_vfs.xOpen = open;
    sqlite3_vfs_register(&g_vfs, 1);
    g_writes = 0;
    make_room();
}

FailingDisk::~FailingDisk() {
    sqlite3_vfs_unregister(&g_vfs);
    sqlite3_vfs_register(g_real, 1);
}

void FailingDisk::fail_after(std::int64_t writes) { g_left = writes; }
void FailingDisk::kill_after(std::int64_t writes) {
    g_left = writes;
    g_kill = true;
}
void FailingDisk::fill() { g_full = true; }
void FailingDisk::make_room() {
    g_left = std::numeric_limits<std::int64_t>::max();
    g_full = false;
}
std::int64_t FailingDisk::writes() const { return g_writes; }

}  // namespace rd::store
