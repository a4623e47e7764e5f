// SPDX-License-Identifier: GPL-2.0-or-later
// The file of a store: whose it is, and what is found in its place.
#include "core/store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/store/reader.h"
#include "tests/unit/core/store/scene.h"

namespace rd::store {
namespace {

using testing::HasSubstr;

class StoreFileTest : public testing::Test, protected Scene {};

TEST_F(StoreFileTest, OneProcessWritesAtATime) {
    open();
    const auto second = Store::open(path(), "boot", now, limits, {});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Errc::timed_out);
    EXPECT_THAT(second.error().what, HasSubstr("another rdmadoctord"));
    store.reset();
    EXPECT_TRUE(Store::open(path(), "boot", now, limits, {}));
}

TEST_F(StoreFileTest, AFileThatIsTakenAwayIsMissed) {
    open();
    sweep(1, 1, "a");
    ASSERT_TRUE(store->flush());
    std::filesystem::remove(path());
    sweep(2, 1, "a");
    const auto done = store->flush();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::not_found);
    EXPECT_THAT(done.error().what, HasSubstr("removed or replaced"));
    store.reset();
    open();
    sweep(3, 1, "a");
    EXPECT_TRUE(store->flush());
}

TEST_F(StoreFileTest, WhatIsNoFileIsNotSetAside) {
    std::filesystem::create_directory(path());
    const auto made = Store::open(path(), "boot", now, limits, {});
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().what, HasSubstr("not a regular file"));
    EXPECT_TRUE(std::filesystem::is_directory(path()));
}

TEST_F(StoreFileTest, AForeignFileIsSetAsideAndNotTouched) {
    std::ofstream(path())
        << "this is a diary, not a database, and long enough to be taken for a header of a page or so";
    open();
    EXPECT_THAT(store->notes(), testing::ElementsAre(HasSubstr("set-aside-1")));
    std::ifstream kept(path() + ".set-aside-1");
    std::string text;
    std::getline(kept, text);
    EXPECT_THAT(text, testing::StartsWith("this is a diary"));
    store.reset();
    std::ofstream(path(), std::ios::trunc) << std::string(5000, 'x');
    open();
    EXPECT_TRUE(std::filesystem::exists(path() + ".set-aside-2"));
}

TEST_F(StoreFileTest, ADatabaseOfSomebodyElseOrOfANewerVersionIsSetAside) {
    {
        auto other = Database::open(path(), Database::Mode::write);
        ASSERT_TRUE(other);
        ASSERT_TRUE(other->run("CREATE TABLE diary (day TEXT)"));
    }
    open();
    EXPECT_THAT(store->notes(), testing::ElementsAre(HasSubstr("not one of rdmadoctor")));
    ASSERT_TRUE(store->close());
    store.reset();
    {
        auto newer = Database::open(path(), Database::Mode::write);
        ASSERT_TRUE(newer->run("PRAGMA user_version = 99"));
    }
    open();
    EXPECT_THAT(store->notes(), testing::ElementsAre(HasSubstr("newer rdmadoctor")));
}

TEST_F(StoreFileTest, ADamagedFileIsSetAside) {
    open();
    for (int i = 0; i < 7200; ++i) sweep(i, i % 13, std::to_string(i % 50));
    ASSERT_TRUE(store->maintain());
    ASSERT_TRUE(store->close());
    open();
    store.reset();  // not closed: the next one looks
    {
        std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
        for (int page = 2; page < 8; ++page) {
            file.seekp(page * 4096);
            file << std::string(4096, '\x5a');
        }
    }
    open();
    EXPECT_THAT(store->notes(), testing::ElementsAre(HasSubstr("set-aside-1")));
    sweep(1, 1, "a");
    EXPECT_TRUE(store->flush());
}

TEST_F(StoreFileTest, WithoutADirectoryThereIsNoStore) {
    const auto none = Store::open("/nonexistent/metrics.db", "boot", now, {}, {});
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().what, HasSubstr("/nonexistent/metrics.db"));
    EXPECT_THAT(none.error().remedy, HasSubstr("directory"));
}

}  // namespace
}  // namespace rd::store
