// SPDX-License-Identifier: GPL-2.0-or-later
// A program of the site's that is run for each action, with the action as JSON on its standard input. The only place in which this
// project runs a program. There is no shell and there are no arguments: nothing that a name holds can become a command. Its environment
// has PATH and LANG and nothing of ours, its directory is "/", and it leads a process group of its own, of which nothing is left when it
// has ended or its time is over (SIGTERM, then SIGKILL).
//
// Nothing here waits. Who calls waits for fd() to be readable, or until due(), and then calls tick().
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/host/descriptor.h"
#include "daemon/alerts/config.h"

namespace rd::daemon {

class Hook {
public:
    static constexpr std::size_t kMostOutput = 4096;                // of each run; the rest is read and thrown away
    static constexpr nanoseconds kGrace = std::chrono::seconds(2);  // between SIGTERM and SIGKILL

    // What there is to be said of a run that is over, could not be begun, or was given up because too many waited. Why it could not be
    // begun is said once for as long as it lasts.
    struct Ended {
        bool ok = false;
        std::string how;     // "exit status 0", "ended by signal 9", "not ended within 10s"
        std::string output;  // of both streams, as it came: escape before showing
    };

    // The program is looked at before each run (check_program), not here: what is changed later counts as well.
    static Result<Hook> open(const HookConfig& config);
    Hook(Hook&&) noexcept;
    Hook& operator=(Hook&&) = delete;
    ~Hook();  // ends what runs

    // Now, or when one of those that run has ended. `now`: of any clock that does not step, the same in all calls.
    void start(std::string payload, std::int64_t now);
    [[nodiscard]] int fd() const { return ready_.get(); }
    [[nodiscard]] std::optional<std::int64_t> due() const;
    std::vector<Ended> tick(std::int64_t now);

    [[nodiscard]] std::size_t running() const { return runs_.size(); }
    [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

private:
    struct Run {
        pid_t pid = 0;
        Descriptor process, output;
        std::string text;
        std::int64_t deadline = 0;
        bool terminated = false, killed = false;
    };

    explicit Hook(HookConfig config, Descriptor ready) : config_(std::move(config)), ready_(std::move(ready)) {}
    void begin(std::int64_t now);
    Result<> spawn(const std::string& payload, std::int64_t now);
    bool watch(int fd, pid_t pid);
    static void read_output(Run& run);
    static bool reap(Run& run, Ended& ended);
    void enforce(Run& run, std::int64_t now) const;

    HookConfig config_;
    Descriptor ready_;  // epoll
    std::map<pid_t, Run> runs_;
    std::deque<std::string> waiting_;
    std::vector<Ended> ended_;
    std::string refused_;        // why the last one could not be begun
    std::uint64_t dropped_ = 0;  // because too many waited, and not yet said
};

}  // namespace rd::daemon
