// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/terms/term.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace rd {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names(std::string_view typed) {
    const auto terms = find_terms(typed);
    if (!terms) return {"error: " + terms.error().what + " (" + terms.error().remedy + ")"};
    std::vector<std::string> out;
    for (const Term& term : *terms) out.push_back(term.name);
    return out;
}

TEST(Terms, AreFoundByEveryNameTheyHave) {
    for (const char* const typed :
         {"wc:12", "WC:0xc", "status:12", "IBV_WC_RETRY_EXC_ERR", "ib_wc_retry_exc_err", "RETRY_EXC_ERR",
          "Transport retry counter exceeded", "synd:0x15", "syndrome:21", " wc: 12 "}) {
        EXPECT_THAT(names(typed), ElementsAre("IBV_WC_RETRY_EXC_ERR")) << typed;
    }
    EXPECT_THAT(names("WR flushed"), ElementsAre("IBV_WC_WR_FLUSH_ERR"));
    for (const char* const typed : {"event:10", "IBV_EVENT_PORT_ERR", "port_err", "port error"}) {
        EXPECT_THAT(names(typed), ElementsAre("IBV_EVENT_PORT_ERR")) << typed;
    }
    for (const char* const typed : {"errno:12", "ENOMEM", "enomem", "Cannot allocate memory"}) {
        EXPECT_THAT(names(typed), ElementsAre("ENOMEM")) << typed;
    }
    for (const char* const typed : {"ibv_reg_mr: ENOMEM", "ENOMEM ibv_reg_mr",
                                    "ibv_reg_mr() failed: Cannot allocate memory", "ibv_reg_mr: -12"}) {
        EXPECT_THAT(names(typed), ElementsAre("ibv_reg_mr: ENOMEM")) << typed;
    }
    EXPECT_THAT(names("out_of_sequence"), ElementsAre());
    EXPECT_THAT(names(""), ElementsAre());
    EXPECT_THAT(names("ibv_reg_mr"), ElementsAre());
}

TEST(Terms, SayWhatIsThereInstead) {
    EXPECT_THAT(names("wc:99"), ElementsAre("error: there is no completion status '99' (there are 0 to 23)"));
    EXPECT_THAT(names("wc:retry_exc_er"), ElementsAre(HasSubstr("(did you mean retry_exc_err?)")));
    EXPECT_THAT(names("event:99"), ElementsAre(HasSubstr("there are 0 to 19")));
    EXPECT_THAT(names("errno:9999"), ElementsAre(HasSubstr("there is no errno")));
    EXPECT_THAT(names("synd:0x77"), ElementsAre(HasSubstr("there is no completion syndrome")));
    EXPECT_THAT(names("vendor:xyz"), ElementsAre(HasSubstr("no vendor code")));
    EXPECT_THAT(names("wc:-1"), ElementsAre(HasSubstr("there is no completion status")));
    EXPECT_THAT(names("wc:0xffffffffffffffff"), ElementsAre(HasSubstr("there is no completion status")));
}

TEST(Terms, VendorCodesAreOpaqueUnlessReportsExplainThem) {
    const Term known = find_terms("vendor:0x81")->front();
    EXPECT_THAT(known.codes, ElementsAre(HasSubstr("mlx5 with status 12 (transport retry counter exceeded)")));
    EXPECT_THAT(names("vendor:129"), ElementsAre("0x81"));
    EXPECT_THAT(names("vendor:f9"), ElementsAre("0xf9"));
    // Logs leave out the 0x, so that both readings are possible.
    EXPECT_THAT(names("vendor:81"), ElementsAre("0x81", "0x51"));
    const Term other = find_terms("vendor:0x77")->front();
    EXPECT_THAT(other.means, HasSubstr("opaque"));
    EXPECT_THAT(other.codes, ElementsAre());
    EXPECT_THAT(find_terms("vendor:0")->front().means, HasSubstr("gave none"));
}

TEST(Terms, AFlushIsSecondaryAndRequesterErrorsAreAboutThePeer) {
    EXPECT_THAT(find_terms("wc:5")->front().means, HasSubstr("never the cause"));
    EXPECT_THAT(find_terms("wc:5")->front().causes, testing::IsEmpty());
    for (const int status : {9, 10, 11, 12, 13}) {
        EXPECT_THAT(find_terms("wc:" + std::to_string(status))->front().seen_by, HasSubstr("evidence about the peer"));
    }
    EXPECT_THAT(find_terms("ECONNREFUSED")->front().means, HasSubstr("evidence about the peer"));
}

TEST(Terms, ErrnoDependsOnTheCall) {
    const auto causes = [](std::string_view typed) { return find_terms(typed)->front().causes; };
    EXPECT_GE(causes("ENOMEM").size(), 5U);
    EXPECT_GE(causes("ibv_reg_mr: ENOMEM").size(), 5U);
    EXPECT_LT(causes("ibv_reg_mr: ENOMEM").size(), causes("ENOMEM").size());
    EXPECT_THAT(causes("ibv_post_send: ENOMEM"),
                Contains(testing::Field(&TermCause::what, HasSubstr("queue is full"))));
    EXPECT_THAT(causes("ibv_create_qp: EAGAIN").front().what, HasSubstr("control group"));
    // Of a call that nothing particular is known of, all that there are.
    EXPECT_EQ(causes("ibv_something: EACCES").size(), causes("EACCES").size());
    EXPECT_THAT(names("ibv_something: EACCES"), ElementsAre("EACCES"));
}

TEST(Terms, AreComplete) {
    std::set<std::string> seen;
    for (const auto* const table : {&completion_terms(), &event_terms(), &errno_terms()}) {
        for (const Term& term : *table) {
            EXPECT_TRUE(seen.insert(term.name).second) << term.name;
            EXPECT_FALSE(term.title.empty() || term.means.empty() || term.seen_by.empty()) << term.name;
            for (const TermCause& cause : term.causes)
                EXPECT_FALSE(cause.what.empty() || cause.look.empty()) << term.name;
            EXPECT_THAT(names(term.name), ElementsAre(term.name));
        }
    }
    std::set<int> numbers;
    for (const Term& term : completion_terms()) numbers.insert(term.number);
    EXPECT_EQ(numbers.size(), 24U);
    EXPECT_EQ(*numbers.rbegin(), 23);
    for (const Term& term : errno_terms()) EXPECT_STREQ(strerror(term.number), term.title.c_str());
}

}  // namespace
}  // namespace rd
