// SPDX-License-Identifier: GPL-2.0-or-later
// Those who wait for a frame. However many ask, the recorder is asked once; who has waited too long gets none.
#pragma once

#include <functional>
#include <memory>

#include "daemon/frame.h"

namespace rd::daemon {

class Frames {
public:
    explicit Frames(FrameSource& source);
    ~Frames() { close(); }
    Frames(const Frames&) = delete;
    Frames& operator=(const Frames&) = delete;

    // `take` is called once: with the frame on the recorder's thread, or with nothing on that of expire() or close(). It must not block
    // and not call back.
    using Take = std::function<void(std::shared_ptr<const Frame>)>;
    void wait(Take take, std::int64_t until_ns);
    void expire(std::int64_t now_ns);  // both: core/host/clock.h
    // From now on nobody waits: everybody gets nothing, at once.
    void close();

private:
    struct Desk;
    struct Turn;
    FrameSource& source_;
    std::shared_ptr<Desk> desk_;  // outlives us in the recorder's hands
};

}  // namespace rd::daemon
