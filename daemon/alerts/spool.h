// SPDX-License-Identifier: GPL-2.0-or-later
// What is still to be delivered over the network: a directory of numbered JSON files, written by the daemon, which has no network, and
// emptied by rdmadoctor-notify, which has nothing else. Each file comes whole (rename). Its limits hold whatever happens: first goes what
// a later entry on the same alert makes superfluous, then the oldest, counted. Both survive restarts of either program.
//
// It is not synchronised to the disk: that could take the caller seconds, and what a power cut takes is made good by an entry of all
// alerts, with which the daemon begins.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace rd::daemon {

class Spool {
public:
    static constexpr std::string_view kAll =
        "all";  // in place of a fingerprint: makes everything before it superfluous
    static constexpr std::size_t kMostEntry = 4 << 20;

    struct Limits {
        std::size_t entries = 10'000;
        std::uint64_t bytes = 64 << 20;
    };

    // Makes the directory if it is not there; its parent must be. Who writes also removes what a killed writer left half done.
    enum class Use { write, read };
    static Result<Spool> open(std::string directory, Limits limits, Use use);

    // `fingerprint`: 16 hexadecimal digits, or kAll.
    [[nodiscard]] Result<> put(std::string_view fingerprint, std::string_view json);

    // File names, the oldest first, as they are at present.
    [[nodiscard]] Result<std::vector<std::string>> entries() const;
    [[nodiscard]] Result<std::string> read(const std::string& entry) const;
    [[nodiscard]] Result<> remove(const std::string& entry) const;

    [[nodiscard]] std::uint64_t lost() const { return lost_; }  // dropped though nothing later told of the same alert
    [[nodiscard]] const std::string& directory() const { return directory_; }

private:
    struct Held {
        std::string fingerprint;
        std::uint64_t bytes = 0;
    };
    Spool(std::string directory, Limits limits) : directory_(std::move(directory)), limits_(limits) {}
    Result<> scan();
    [[nodiscard]] bool fits(std::size_t more) const;
    void drop_one(std::string_view coming);
    void drop(std::map<std::uint64_t, Held>::iterator entry);

    std::string directory_;
    Limits limits_;
    std::map<std::uint64_t, Held> held_;  // as of the last scan, and what was put since
    std::uint64_t bytes_ = 0, next_ = 1, lost_ = 0;
};

// Replaces the file in one step. `durable`: it is on the disk when this returns.
[[nodiscard]] Result<> write_whole(const std::string& path, std::string_view text, bool durable);
// At most `most` bytes; more is an Error.
[[nodiscard]] Result<std::string> read_whole(const std::string& path, std::size_t most);

}  // namespace rd::daemon
