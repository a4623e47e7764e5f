// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/workers.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

#include "core/host/clock.h"

namespace rd {
namespace {

// However many devices hang, we do not add more threads than this to the trouble.
constexpr std::size_t kMostThreads = 64;

}  // namespace

struct Workers::Shared {
    std::mutex mutex;
    std::condition_variable work, progress;
    std::deque<std::shared_ptr<Job>> queue;
    std::size_t idle = 0, threads = 0;
    std::size_t unfinished = 0;  // of the present round
    std::uint64_t round = 0;
    std::uint64_t finished = 0;  // ever
    bool stop = false;
};

Workers::Workers() : shared_(std::make_shared<Shared>()) {}

Workers::~Workers() {
    {
        const std::lock_guard lock(shared_->mutex);
        shared_->stop = true;
        shared_->queue.clear();
    }
    shared_->work.notify_all();
}

void Workers::thread(const std::shared_ptr<Shared>& shared) {
    std::unique_lock lock(shared->mutex);
    for (;;) {
        if (shared->queue.empty()) {
            if (shared->stop || shared->idle > 0) break;  // one waiting thread is enough
            ++shared->idle;
            shared->work.wait(lock, [&] { return shared->stop || !shared->queue.empty(); });
            --shared->idle;
            continue;
        }
        const std::shared_ptr<Job> job = std::move(shared->queue.front());
        shared->queue.pop_front();
        const std::uint64_t round = shared->round;
        job->state_.store(Job::State::running, std::memory_order_release);
        lock.unlock();
        job->work();
        job->state_.store(Job::State::finished, std::memory_order_release);
        lock.lock();
        ++shared->finished;
        // A job that comes back after its round has been given up counts for nobody.
        if (round == shared->round && --shared->unfinished == 0) shared->progress.notify_all();
    }
    --shared->threads;
}

void Workers::start_threads(std::size_t count) {
    for (std::size_t i = 0; i < count && shared_->threads < kMostThreads; ++i) {
        try {
            std::thread([shared = shared_] { thread(shared); }).detach();
        } catch (const std::system_error&) {
            return;  // no more threads to be had: what waits becomes a gap at the deadline
        }
        ++shared_->threads;
    }
}

void Workers::run(std::span<const std::shared_ptr<Job>> jobs, std::chrono::nanoseconds deadline,
                  std::chrono::nanoseconds stall) {
    if (jobs.empty()) return;
    const std::int64_t end = steady_ns() + deadline.count();
    std::unique_lock lock(shared_->mutex);
    ++shared_->round;
    shared_->unfinished = jobs.size();
    for (const auto& job : jobs) {
        job->state_.store(Job::State::queued, std::memory_order_release);
        shared_->queue.push_back(job);
    }
    if (shared_->idle > 0) {
        shared_->work.notify_one();
    } else {
        start_threads(1);
    }
    std::uint64_t finished = shared_->finished;
    while (shared_->unfinished > 0) {
        const std::int64_t left = end - steady_ns();
        if (left <= 0) break;
        shared_->progress.wait_for(lock, std::min(stall, std::chrono::nanoseconds(left)),
                                   [&] { return shared_->unfinished == 0; });
        if (shared_->unfinished > 0 && shared_->finished == finished && !shared_->queue.empty()) {
            start_threads(shared_->queue.size());
        }
        finished = shared_->finished;
    }
    for (const auto& job : shared_->queue) job->state_.store(Job::State::idle, std::memory_order_release);
    shared_->queue.clear();
    ++shared_->round;
}

}  // namespace rd
