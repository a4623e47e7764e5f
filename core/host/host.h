// SPDX-License-Identifier: GPL-2.0-or-later
// Room core/host: the only door to the state of the machine. It reads, lists, follows links and writes; it decodes to
// text and no further: what a value means is for the collectors, whether it is good for the rules.
//
// A name is an absolute path ("/sys/class/net/ens1f0/mtu") or `subject/argument` for state that is no file
// ("dcb.pfc/ens1f0", "rdma.stat/mlx5_0/1", "pci.config/0000:41:00.0"); see subjects.h. Subject answers are in the
// text form of core/base/records.h.
//
// Three implementations: live (live.h), recording (a decorator that remembers what was asked, recording.h) and replay
// (served from a bundle, replay.h). A `const Host&` cannot write. Event descriptors and the workload's data path are
// not state and do not come through this door.
//
// Threads: `open`, `read`, `list` and `link` may be called from several threads at once on one Host; one Handle is
// used by one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace rd {

// Both clocks, taken together. Rates use `boot_ns` (CLOCK_BOOTTIME: counts suspend, never stepped); people read `wall_ns`.
struct Stamp {
    std::int64_t boot_ns = 0;
    std::int64_t wall_ns = 0;

    friend bool operator==(const Stamp&, const Stamp&) = default;
};

// Who answered, and with what rights: a gap "no privilege" means nothing without it. Saved in every bundle.
struct HostIdentity {
    std::string source;  // "live", or what was opened: bundle or directory
    std::string hostname;
    std::string kernel;   // uname -r
    std::string machine;  // uname -m
    std::string boot_id;  // /proc/sys/kernel/random/boot_id
    std::uint32_t uid = 0;
    std::uint64_t capabilities = 0;  // CapEff of the reader, as in /proc/self/status
    bool hypervisor = false;         // the CPU says it is virtual
};

// Bytes of one answer, reused from read to read so that a hot path does not allocate.
class Buffer {
public:
    [[nodiscard]] std::string_view text() const { return {data_.get(), size_}; }
    void assign(std::string_view text);
    // Space for at least `capacity` bytes; contents are not kept when it grows.
    char* reserve(std::size_t capacity);
    [[nodiscard]] std::size_t capacity() const { return capacity_; }
    void resize(std::size_t size) { size_ = size; }  // size <= capacity()

private:
    std::unique_ptr<char[]> data_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

// A name prepared for reading again and again. A failed read leaves the handle usable: the next read tries anew
// (a file that vanished and came back is found again).
class Handle {
public:
    virtual ~Handle() = default;
    [[nodiscard]] virtual Result<> read(Buffer& into) = 0;
};

class Host {
public:
    virtual ~Host() = default;

    // Never fails for a name that cannot be read now: the reason comes out of Handle::read, each time.
    [[nodiscard]] virtual std::unique_ptr<Handle> open(std::string_view name) const = 0;
    // Names in a directory, sorted, without "." and "..". A path only.
    [[nodiscard]] virtual Result<std::vector<std::string>> list(std::string_view path) const = 0;
    // Where a symbolic link finally leads (realpath), as an absolute path within the host. A path only.
    [[nodiscard]] virtual Result<std::string> link(std::string_view path) const = 0;
    [[nodiscard]] virtual Result<> write(std::string_view name, std::string_view text) = 0;

    [[nodiscard]] virtual Stamp now() const = 0;
    [[nodiscard]] virtual const HostIdentity& identity() const = 0;
    // Goes to the next moment: live waits `interval`; replay turns to the next recorded sweep and ignores it.
    // false: there is no further moment (the bundle ends; a bare directory has one).
    [[nodiscard]] virtual bool advance(std::chrono::nanoseconds interval) = 0;

    [[nodiscard]] Result<std::string> read(std::string_view name) const;
};

// No single answer may be larger: a 10 MB "mtu" is a fault, not a value. /proc/interrupts of 256 CPUs and 2,000 vectors is 6 MB.
inline constexpr std::size_t kMaxAnswer = 8u << 20;

}  // namespace rd
