// SPDX-License-Identifier: GPL-2.0-or-later
// Files that older programs wrote lie in forms/N.db, N the form of their tables. RDMADOCTOR_UPDATE_GOLDEN=1 writes that of the present
// form where there is none; one that is there is never written anew, for files of that form are out in the world.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "core/store/schema.h"
#include "tests/unit/core/store/scene.h"

namespace rd::store {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

std::string form(std::size_t number) {
    return fmt::format("{}/tests/unit/core/store/forms/{}.db", RDMADOCTOR_SOURCE_DIR, number);
}

class MigrationTest : public testing::Test, protected Scene {
protected:
    // Two packed hours and a begun one, a gap, a renaming, events and a finding that goes on.
    void fill() {
        open();
        for (int i = 0; i < 125; ++i) {
            gap =
                i >= 30 && i < 40 ? std::optional(Gap{GapClass::timed_out, "no answer within 2 s", ""}) : std::nullopt;
            sweep(i * 1000, 20 + i % 7, i < 70 ? "ens1f0" : "eth2", 60);
        }
        ASSERT_TRUE(store->maintain());
        const std::array events{event("PORT_ERR", "mlx5_0/1"), event("PORT_ACTIVE", "mlx5_0/1")};
        ASSERT_TRUE(store->add(events));
        ASSERT_TRUE(store->close());
        store.reset();
    }

    void copy(std::size_t number) const {
        std::filesystem::copy_file(form(number), path(), std::filesystem::copy_options::overwrite_existing);
    }
    [[nodiscard]] std::int64_t ask(const char* what) const {
        auto database = Database::open(path(), Database::Mode::read);
        EXPECT_TRUE(database);
        return database->integer(what).value_or(-1);
    }
};

TEST_F(MigrationTest, FilesOfAllFormsAreReadAndWrittenOn) {
    const std::size_t newest = migrations().size();
    if (std::getenv("RDMADOCTOR_UPDATE_GOLDEN") != nullptr && !std::filesystem::exists(form(newest))) {
        fill();
        std::filesystem::create_directories(std::filesystem::path(form(newest)).parent_path());
        std::filesystem::copy_file(path(), form(newest));
    }
    const Stamp begin = Stamp{5'000'000'000, 1'764'547'200'000'000'000};
    for (std::size_t number = 1; number <= newest; ++number) {
        SCOPED_TRACE(form(number));
        copy(number);
        now = begin;
        pass(126 * 60'000);
        open();
        EXPECT_THAT(store->notes(), testing::IsEmpty());
        gap.reset();
        sweep(1'000'000, 33, "eth2", 60);
        ASSERT_TRUE(store->close());
        store.reset();
        const Reader reader = read();
        const auto packets = reader.samples(series(reader, "rx_packets"), {});
        ASSERT_TRUE(packets);
        ASSERT_THAT(*packets, SizeIs(125 - 10 + 1));
        EXPECT_EQ(packets->front().value, 0);
        EXPECT_EQ((*packets)[114].value, 124'000);
        EXPECT_EQ((*packets)[114].at_ns, begin.wall_ns + 124 * 60'000'000'000);
        EXPECT_EQ(packets->back().value, 1'000'000);
        const auto names = reader.states(series(reader, "name"), {}, 10'000);
        ASSERT_TRUE(names);
        ASSERT_THAT(*names, SizeIs(2));
        EXPECT_EQ(ask("SELECT count(*) FROM event WHERE source = 'verbs'"), 2);
        EXPECT_EQ(ask("PRAGMA user_version"), std::int64_t(newest));
    }
}

// Steps such as a later program may have: a column that is filled in, and an index.
const std::array<std::string_view, 2> kLater{
    "ALTER TABLE event ADD COLUMN device TEXT NOT NULL DEFAULT ''; UPDATE event SET device = subject;"
    "UPDATE chunk SET data = data || x'00'",
    "CREATE INDEX event_device ON event (device); CREATE TABLE alert (id INTEGER PRIMARY KEY)",
};

TEST_F(MigrationTest, AKillAtAnyWriteLeavesOneFormOrTheNext) {
    std::vector<std::string_view> steps{migrations().begin(), migrations().end()};
    const auto begin = std::int64_t(steps.size());
    steps.insert(steps.end(), kLater.begin(), kLater.end());
    std::set<std::int64_t> left;
    bool killed = true;
    for (std::int64_t writes = 0; killed; ++writes) {
        for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path() + suffix);
        copy(migrations().size());
        const pid_t child = ::fork();
        if (child == 0) {
            disk.kill_after(writes);
            auto database = Database::open(path(), Database::Mode::write);
            if (!database || !database->run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")) ::_exit(3);
            if (!prepare_schema(*database, steps)) ::_exit(4);
            ::_exit(0);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        killed = WIFSIGNALED(status);
        ASSERT_TRUE(killed ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0) << status;
        SCOPED_TRACE(writes);
        auto database = Database::open(path(), Database::Mode::write);
        ASSERT_TRUE(database);
        const auto found = database->integer("PRAGMA user_version");
        ASSERT_TRUE(found);
        left.insert(*found);
        ASSERT_EQ(database->integer("SELECT count(*) FROM event WHERE source = 'verbs'").value_or(-1), 2);
        // Once more, without a kill: to the end, each step done once.
        const auto done = prepare_schema(*database, steps);
        ASSERT_TRUE(done) << done.error().what;
        EXPECT_EQ(database->integer("PRAGMA user_version").value_or(-1), begin + 2);
        EXPECT_EQ(database->integer("SELECT count(*) FROM event WHERE device = subject").value_or(-1),
                  database->integer("SELECT count(*) FROM event").value_or(-2));
        auto check = database->prepare("PRAGMA integrity_check");
        ASSERT_TRUE(check);
        ASSERT_TRUE(check->step().value_or(false));
        EXPECT_EQ(check->text(0), "ok");
    }
    EXPECT_THAT(left, ElementsAre(begin, begin + 1, begin + 2)) << "a kill fell into each of the steps";
}

}  // namespace
}  // namespace rd::store
