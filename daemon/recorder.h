// SPDX-License-Identifier: GPL-2.0-or-later
// The thread that looks: once an interval, at once when something has happened, and in between at what others ask of it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "daemon/textfile.h"
#include "daemon/watch.h"

namespace rd::daemon {

class Recorder final : public FrameSource {
public:
    struct Tell {
        // On the recorder's thread; must not block.
        std::function<void(News)> news;
        std::function<void(std::vector<Happening>)> happenings;
    };
    Recorder(std::unique_ptr<Watch> watch, std::chrono::nanoseconds interval, Tell tell,
             Textfile textfile = Textfile(""));
    ~Recorder() override;

    void start();
    // Ends the run and writes what is held. A thread that is stuck in the kernel is not waited for longer than this: false, and then
    // this object must be left alone until the process ends.
    bool stop(std::chrono::nanoseconds most);

    // From any thread.
    // What it is about, where that is known: who tells of it need not wait for a sweep. Else it is told when a sweep has
    // found it, or two did not. What was told before it is told by then.
    [[nodiscard]] std::optional<Happening> name(const HostEvent& event);
    // One of something that a sweep would see differently now has it look soon.
    void opened(const FoldedEvent& event);
    void closed(const FoldedEvent& event);
    void request(std::function<void(std::shared_ptr<const Frame>)> take) override;

    // How many turns the thread has taken: a watchdog looks whether it goes on.
    [[nodiscard]] std::uint64_t turns() const { return turns_; }
    [[nodiscard]] std::uint64_t sweeps() const { return sweeps_; }

private:
    struct Inbox {
        std::vector<FoldedEvent> opened, closed;
        std::vector<HostEvent> unnamed;  // stay here while it is looked for what they are about
        std::vector<std::function<void(std::shared_ptr<const Frame>)>> requests;
        bool soon = false;
        std::uint64_t refused = 0;  // events, or their counts, for which there was no room
    };
    void run();
    void work(Inbox inbox);
    void tell(const std::vector<HostEvent>& unnamed);
    void look(Due due);
    // Until `due` (boot clock) or until somebody wants something; what there is then.
    [[nodiscard]] Inbox wait(std::int64_t due);

    std::unique_ptr<Watch> watch_;
    std::chrono::nanoseconds interval_;
    Tell tell_;
    Textfile textfile_;  // written here: this is the thread that may wait for a disk
    std::mutex mutex_;
    std::condition_variable wake_, ended_;
    Inbox inbox_;
    std::shared_ptr<const Names> names_;
    bool stopping_ = false, over_ = false;
    std::atomic<std::uint64_t> turns_ = 0, sweeps_ = 0;
    std::int64_t last_look_ = 0, last_full_ = 0;  // boot clock
    std::thread thread_;
};

}  // namespace rd::daemon
