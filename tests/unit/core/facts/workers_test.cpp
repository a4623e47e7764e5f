// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace rd {
namespace {

using namespace std::chrono_literals;

class Count final : public Job {
public:
    explicit Count(std::atomic<int>& counter) : counter_(counter) {}
    void work() override { ++counter_; }

private:
    std::atomic<int>& counter_;
};

TEST(Workers, RunEveryJobOnceEachRound) {
    std::atomic<int> counter{0};
    std::vector<std::shared_ptr<Job>> jobs;
    for (int i = 0; i < 100; ++i) jobs.push_back(std::make_shared<Count>(counter));
    Workers workers;
    for (int round = 1; round <= 20; ++round) {
        workers.run(jobs, 5s, 1s);
        EXPECT_EQ(counter.load(), 100 * round);
        for (const auto& job : jobs) EXPECT_TRUE(job->finished());
    }
}

}  // namespace
}  // namespace rd
