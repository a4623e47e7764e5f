// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kCard = "pci-0000:41:00.0";
constexpr std::string_view kSubject = "rdma.mr_stat/mlx5_0";

std::shared_ptr<FakeHost> paging_host(std::string_view text =
                                          "mrn=1\nmrn=2 page_faults=12 page_invalidations=4 page_prefetch=1\nmrn=3 "
                                          "page_faults=30 page_invalidations=0 page_prefetch=0\n") {
    auto host = roce_host();
    host->file(kSubject, text);
    return host;
}
Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"odp"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::device, kCard, fact); }

TEST(Odp, SumsOverTheRegions) {
    const Snapshot now = look(paging_host());
    EXPECT_EQ(of(now, "odp_page_faults"), "42");
    EXPECT_EQ(of(now, "odp_invalidations"), "4");
    EXPECT_EQ(of(now, "odp_prefetches"), "1");
    expect_complete(now, collector("odp"));
}

TEST(Odp, ADeviceWithoutRegionsHasNone) { EXPECT_EQ(of(look(paging_host("")), "odp_page_faults"), "0"); }

TEST(Odp, ATableThatWasCutIsNoSum) {
    EXPECT_EQ(of(look(paging_host("mrn=1 page_faults=1\ntruncated=1 seen=4097\n")), "odp_page_faults"),
              "gap(not collected)");
}

TEST(Odp, ANumberThatIsNone) {
    const Snapshot now = look(paging_host("mrn=1 page_faults=many page_prefetch=2\n"));
    EXPECT_EQ(of(now, "odp_page_faults"), "gap(error)");
    EXPECT_EQ(of(now, "odp_prefetches"), "2");
}

TEST(Odp, SurvivesBadInput) {
    expect_bad_input_is_survived([] { return paging_host(); }, "odp");
}

}  // namespace
}  // namespace rd::collectors::test
