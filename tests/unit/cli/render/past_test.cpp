// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/past.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/time.h"

namespace rd::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kSecond = 1'000'000'000;

std::string event(int id, const std::string& at, int count) {
    return R"({"id": )" + std::to_string(id) + R"(, "at": ")" + at + R"(", "count": )" + std::to_string(count) +
           R"(, "source": "verbs", "name": "GID_CHANGE", "subject": "mlx5_0/1", "details": ""})";
}

std::string answer(const std::string& events, bool truncated = false) {
    return R"({"events": [)" + events + R"(], "truncated": )" + (truncated ? "true}" : "false}");
}

const std::string kEarly = "2026-03-01T12:00:00.000Z", kLate = "2026-03-01T12:00:10.000Z";

Stamp at(double seconds_after_late, std::int64_t boot_s) {
    return {boot_s * kSecond, *parse_time(kLate) + static_cast<std::int64_t>(seconds_after_late * 1e9)};
}

TEST(EventHold, TellsAnEventOnceItsCountIsFinal) {
    EventMark last;
    EventHold hold(at(0.2, 100));
    auto text = render_events(answer(event(1, kEarly, 1) + "," + event(2, kLate, 1)), {}, last, &hold);
    ASSERT_TRUE(text);
    EXPECT_THAT(*text, HasSubstr(kEarly));
    EXPECT_THAT(*text, Not(HasSubstr(kLate)));
    EXPECT_EQ(last.id, 1);
    EXPECT_EQ(hold.first(), 2);
    hold.look(at(2.1, 102));
    text = lines_of_events(answer(event(2, kLate, 2000)), last, &hold);
    ASSERT_TRUE(text);
    EXPECT_THAT(*text, HasSubstr(R"("count":2000)"));
    EXPECT_EQ(last.id, 2);
    EXPECT_EQ(hold.first(), 0);
}

TEST(EventHold, KeepsTheOrder) {
    EventMark last;
    EventHold hold(at(0.2, 100));
    const auto text = render_events(answer(event(1, kLate, 1) + "," + event(2, kEarly, 1)), {}, last, &hold);
    ASSERT_TRUE(text);
    EXPECT_EQ(*text, "");
    EXPECT_EQ(last.id, 0);
    EXPECT_EQ(hold.first(), 1);
}

TEST(EventHold, NeverHoldsForEver) {
    EventMark last;
    EventHold hold(at(-86400, 100));  // the wall clock is set back, and stays so
    const std::string body = answer(event(7, kLate, 1) + "," + event(8, "at some time", 1));
    EXPECT_EQ(lines_of_events(body, last, &hold), "");
    hold.look(at(-86400, 101));
    EXPECT_EQ(lines_of_events(body, last, &hold), "");
    hold.look(at(-86400, 102));
    ASSERT_TRUE(lines_of_events(body, last, &hold));
    EXPECT_EQ(last.id, 8);
}

TEST(Events, WithoutAHoldAreToldAtOnce) {
    EventMark last;
    const auto text = render_events(answer(event(2, kLate, 3) + "," + event(1, kEarly, 1), true), {}, last);
    ASSERT_TRUE(text);
    EXPECT_THAT(*text, HasSubstr("older ones are left out"));
    EXPECT_LT(text->find(kEarly), text->find(kLate));
    EXPECT_THAT(*text, HasSubstr("×3"));
    EXPECT_EQ(last.id, 2);
    // What comes next is cut at the other end.
    const auto next = render_events(answer(event(3, kLate, 1), true), {}, last);
    ASSERT_TRUE(next);
    EXPECT_THAT(*next, Not(HasSubstr("left out")));
}

TEST(Events, TheLastBeforeAnother) {
    const std::string body = answer(event(5, kLate, 1) + "," + event(9, kEarly, 1) + "," + event(4, kEarly, 1));
    EXPECT_EQ(last_before(body)->id, 9);
    EXPECT_EQ(last_before(body)->at, kEarly);
    EXPECT_EQ(last_before(body, 9)->id, 5);
    EXPECT_EQ(last_before(body, 4)->id, 0);
    EXPECT_FALSE(last_before("[]"));
}

}  // namespace
}  // namespace rd::cli
