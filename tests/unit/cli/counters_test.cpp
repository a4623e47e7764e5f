// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "collectors/all.h"
#include "core/diagnosis/terms/term.h"

namespace rd::cli {
namespace {

std::vector<std::string> drivers(const std::vector<CounterUse>& uses) {
    std::vector<std::string> out;
    for (const CounterUse& use : uses) out.push_back(std::string(use.driver) + ":" + std::string(use.name));
    return out;
}

TEST(Counters, AreFoundByTheNameOfTheFactAndOfTheDriver) {
    using testing::ElementsAre;
    EXPECT_THAT(drivers(counters_called("mlx5:out_of_sequence")), ElementsAre("mlx5:out_of_sequence"));
    EXPECT_THAT(drivers(counters_called("mlx4:out_of_sequence")), ElementsAre("mlx4:rq_num_oos"));
    EXPECT_THAT(drivers(counters_called("rq_num_oos")), ElementsAre("mlx4:rq_num_oos"));
    EXPECT_THAT(drivers(counters_called("duplicate_request")),
                ElementsAre("mlx5:duplicate_request", "rxe:duplicate_request"));
    EXPECT_THAT(counters_called("mlx5:nothing"), testing::IsEmpty());
    EXPECT_THAT(counters_called("mlx9:out_of_sequence"), testing::IsEmpty());
    EXPECT_THAT(drivers(counters_of_fact("out_of_buffer")), testing::Contains("bnxt_re:rx_out_of_buffer"));
}

TEST(Counters, TellTheirWidth) {
    EXPECT_EQ(counters_called("mlx5:out_of_sequence").front().width, collectors::kWraps32);
    EXPECT_EQ(counters_called("mlx5:np_cnp_sent").front().width, collectors::kWide);
}

TEST(Counters, EveryNameThatIsReadHasItsDriver) {
    std::set<std::string_view> listed;
    for (const collectors::CounterDriver& driver : collectors::kCounterDrivers) {
        for (const collectors::DriverCounter& counter : driver.counters) listed.insert(counter.name);
    }
    for (const collectors::CounterName& name : collectors::kCounterNames)
        EXPECT_TRUE(listed.contains(name.driver)) << name.driver;
}

TEST(Counters, TermsNameFactsThatThereAre) {
    const auto catalog = collectors::catalog();
    ASSERT_TRUE(catalog.has_value());
    for (const auto* const table : {&completion_terms(), &event_terms(), &errno_terms()}) {
        for (const Term& term : *table) {
            for (const std::string_view fact : term.facts) {
                Kind kind{};
                ASSERT_TRUE(kind_from_name(fact.substr(0, fact.find('.')), kind)) << fact;
                EXPECT_NE(catalog->find(kind, fact.substr(fact.find('.') + 1)), nullptr) << term.name << ": " << fact;
            }
        }
    }
}

}  // namespace
}  // namespace rd::cli
