// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/api/frames.h"

#include <mutex>
#include <utility>
#include <vector>

namespace rd::daemon {

struct Frames::Desk {
    struct Waiting {
        Take take;
        std::int64_t until_ns;
    };
    std::mutex mutex;
    std::vector<Waiting> waiting;
    bool asked = false;
    bool closed = false;

    // Called with the mutex held all along: after close() has got it, nobody is being served any more.
    void serve(const std::shared_ptr<const Frame>& frame) {
        for (const Waiting& one : std::exchange(waiting, {})) one.take(frame);
    }
};

// The recorder's obligation. If it lets it go without a frame, the next one who comes asks anew.
struct Frames::Turn {
    explicit Turn(std::shared_ptr<Desk> of) : desk(std::move(of)) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
        if (served) return;
        const std::lock_guard lock(desk->mutex);
        desk->asked = false;
    }
    void serve(const std::shared_ptr<const Frame>& frame) {
        const std::lock_guard lock(desk->mutex);
        served = true;
        desk->asked = false;
        desk->serve(frame);
    }
    std::shared_ptr<Desk> desk;
    bool served = false;
};

Frames::Frames(FrameSource& source) : source_(source), desk_(std::make_shared<Desk>()) {}

void Frames::wait(Take take, std::int64_t until_ns) {
    {
        const std::lock_guard lock(desk_->mutex);
        if (desk_->closed) {
            take(nullptr);
            return;
        }
        desk_->waiting.push_back({std::move(take), until_ns});
        if (std::exchange(desk_->asked, true)) return;
    }
    source_.request(
        [turn = std::make_shared<Turn>(desk_)](const std::shared_ptr<const Frame>& frame) { turn->serve(frame); });
}

void Frames::expire(std::int64_t now_ns) {
    const std::lock_guard lock(desk_->mutex);
    std::erase_if(desk_->waiting, [&](const Desk::Waiting& one) {
        if (one.until_ns > now_ns) return false;
        one.take(nullptr);
        return true;
    });
}

void Frames::close() {
    const std::lock_guard lock(desk_->mutex);
    desk_->closed = true;
    desk_->serve(nullptr);
}

}  // namespace rd::daemon
