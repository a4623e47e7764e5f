// SPDX-License-Identifier: GPL-2.0-or-later
// The thread that looks, on a tree whose files change.
#include "daemon/recorder.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "collectors/all.h"
#include "core/host/identity.h"
#include "core/host/live.h"
#include "core/program/files.h"
#include "core/store/reader.h"
#include "tests/unit/support/temp_directory.h"

namespace rd::daemon {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class RecorderTest : public testing::Test {
protected:
    RecorderTest() {
        fs::copy(std::string(RDMADOCTOR_SOURCE_DIR) + "/tests/hosts/made-bare-tree-healthy/tree", root,
                 fs::copy_options::recursive | fs::copy_options::copy_symlinks);
        auto tree = watched_tree(root);
        EXPECT_TRUE(tree) << tree.error().what;
        WatchOptions options;
        options.store = directory / "metrics.db";
        options.deadline = 10s;
        const auto take = [this](std::vector<Happening> some) {
            const std::lock_guard lock(mutex);
            for (Happening& one : some) told.push_back(std::move(one));
        };
        recorder = std::make_unique<Recorder>(std::make_unique<Watch>(std::move(*tree), book, std::move(options)),
                                              100ms, Recorder::Tell{[](const News&) {}, take});
        recorder->start();
        wait([&] { return recorder->sweeps() > 0; });
    }
    ~RecorderTest() override { EXPECT_TRUE(recorder->stop(20s)); }

    template <class Condition>
    static void wait(Condition condition) {
        for (int i = 0; i < 2000 && !condition(); ++i) std::this_thread::sleep_for(5ms);
        EXPECT_TRUE(condition());
    }
    [[nodiscard]] static HostEvent port_error(std::string subject) {
        HostEvent event;
        event.at = current_stamp();
        event.source = "verbs";
        event.name = "PORT_ERR";
        event.subject = std::move(subject);
        return event;
    }
    std::vector<Happening> all_told() {
        const std::lock_guard lock(mutex);
        return told;
    }
    void rename(const std::string& from, const std::string& to) const {
        const std::string links = root + "/sys/class/infiniband/";
        const std::string target = fs::read_symlink(links + from).string();
        const std::string renamed = target.substr(0, target.rfind('/') + 1) + to;
        fs::rename(fs::path(links) / target, fs::path(links) / renamed);
        fs::create_symlink(renamed, links + to);
        fs::remove(links + from);
    }

    TempDirectory directory;
    std::string root = directory / "tree";
    Rulebook book;
    std::mutex mutex;
    std::vector<Happening> told;
    std::unique_ptr<Recorder> recorder;
};

TEST_F(RecorderTest, NamesWhatItKnowsAtOnce) {
    const auto happening = recorder->name(port_error("mlx5_0/1"));
    ASSERT_TRUE(happening);
    EXPECT_EQ(happening->entity, (Entity{Kind::port, "pci-0000:16:00.0/1"}));
}

// udev renames devices after the first look: an event under the new name is about the same port.
TEST_F(RecorderTest, LooksForWhatItDoesNotKnowAndTellsThen) {
    rename("mlx5_0", "rocep22s0");
    EXPECT_FALSE(recorder->name(port_error("rocep22s0/1")));
    EXPECT_TRUE(recorder->name(port_error("mlx5_0/1"))) << "the other does not hold it up";
    wait([&] { return !all_told().empty(); });
    EXPECT_EQ(all_told().at(0).entity, (Entity{Kind::port, "pci-0000:16:00.0/1"}));
    EXPECT_TRUE(recorder->name(port_error("rocep22s0/1")));
    EXPECT_FALSE(recorder->name(port_error("mlx5_0/1"))) << "nothing is called that any more";
}

TEST_F(RecorderTest, WhatIsNeverFoundIsToldAllTheSame) {
    EXPECT_FALSE(recorder->name(port_error("mlx5_7/1")));
    wait([&] { return !all_told().empty(); });
    EXPECT_FALSE(all_told().at(0).entity);
    EXPECT_EQ(all_told().at(0).subject, "mlx5_7/1");
}

TEST_F(RecorderTest, EventsForWhichThereIsNoRoomAreInTheStoreAsLost) {
    const FoldedEvent event{1, port_error("mlx5_0/1"), {}};
    for (int i = 0; i < 100'000; ++i) recorder->opened(event);
    EXPECT_TRUE(recorder->stop(20s));
    const auto reader = store::Reader::open(directory / "metrics.db");
    ASSERT_TRUE(reader) << reader.error().what;
    const auto rows = reader->events({}, 1'000'000);
    ASSERT_TRUE(rows);
    std::int64_t kept = 0, lost = 0;
    for (const store::EventRow& row : *rows) {
        if (row.source == "verbs") kept += row.count;
        if (row.source == "store" && row.name == "lost") lost += std::stol(row.details);
    }
    EXPECT_EQ(kept + lost, 100'000);
}

}  // namespace
}  // namespace rd::daemon
