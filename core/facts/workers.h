// SPDX-License-Identifier: GPL-2.0-or-later
// Threads for work that may never come back. Normally one thread does one job after the other, because a hand-over costs more than
// the reads of a device; only when a job stalls do further threads take over what waits behind it. A thread that is stuck in the
// kernel cannot be ended: it is left alone, keeps alive what its job needs, and goes home when it comes back.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <span>

namespace rd {

class Job {
public:
    virtual ~Job() = default;
    virtual void work() = 0;

    [[nodiscard]] bool running() const { return state_.load(std::memory_order_acquire) == State::running; }
    [[nodiscard]] bool begun() const {
        const State state = state_.load(std::memory_order_acquire);
        return state == State::running || state == State::finished;
    }
    [[nodiscard]] bool finished() const { return state_.load(std::memory_order_acquire) == State::finished; }

private:
    friend class Workers;
    enum class State { idle, queued, running, finished };
    std::atomic<State> state_{State::idle};
};

class Workers {
public:
    Workers();
    ~Workers();  // asks idle threads to end; does not wait for busy ones
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    // Until all jobs have finished or `deadline` has passed. Jobs that had not been begun by then are not begun later.
    void run(std::span<const std::shared_ptr<Job>> jobs, std::chrono::nanoseconds deadline,
             std::chrono::nanoseconds stall);

private:
    struct Shared;
    static void thread(const std::shared_ptr<Shared>& shared);
    void start_threads(std::size_t count);

    std::shared_ptr<Shared> shared_;
};

}  // namespace rd
