// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kCard = "0000:41:00.0";
constexpr std::string_view kRoot = "0000:40:01.0";

// As the kernel writes them, shortened in kinds.
std::shared_ptr<FakeHost> host_with_errors() {
    const auto host = roce_host();
    const std::string card = "/sys/bus/pci/devices/0000:41:00.0/", root = "/sys/bus/pci/devices/0000:40:01.0/";
    host->file(card + "aer_dev_correctable",
               "RxErr 4\nBadTLP 3\nBadDLLP 2\nRollover 0\nTimeout 1\nNonFatalErr 0\nCorrIntErr 0\nHeaderOF 0\n"
               "TOTAL_ERR_COR 10\n")
        .file(card + "aer_dev_nonfatal", "Undefined 0\nDLP 0\nCmpltTO 2\nPoisonTLPBlocked 1\nTOTAL_ERR_NONFATAL 3\n")
        .file(card + "aer_dev_fatal", "Undefined 0\nDLP 0\nTOTAL_ERR_FATAL 0\n")
        .file(root + "aer_rootport_total_err_cor", "12\n")
        .file(root + "aer_rootport_total_err_nonfatal", "3\n")
        .file(root + "aer_rootport_total_err_fatal", "0\n");
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"pci_errors"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::pci, kCard, fact); }

TEST(PciErrors, OfACardAndItsRootPort) {
    const Snapshot now = look(host_with_errors());
    EXPECT_EQ(of(now, "aer_correctable"), "10");
    EXPECT_EQ(of(now, "aer_receiver_errors"), "4");
    EXPECT_EQ(of(now, "aer_bad_tlp"), "3");
    EXPECT_EQ(of(now, "aer_bad_dllp"), "2");
    EXPECT_EQ(of(now, "aer_replay_rollover"), "0");
    EXPECT_EQ(of(now, "aer_replay_timeout"), "1");
    EXPECT_EQ(of(now, "aer_advisory"), "0");
    EXPECT_EQ(of(now, "aer_nonfatal"), "3");
    EXPECT_EQ(of(now, "aer_nonfatal_kinds"), "CmpltTO 2, PoisonTLPBlocked 1");
    EXPECT_EQ(of(now, "aer_fatal"), "0");
    EXPECT_EQ(of(now, "aer_fatal_kinds"), "none");
    EXPECT_EQ(of(now, "aer_root_correctable"), "gap(not collected)") << "not a root port";
    EXPECT_EQ(value(now, Kind::pci, kRoot, "aer_root_correctable"), "12");
    EXPECT_EQ(value(now, Kind::pci, kRoot, "aer_root_nonfatal"), "3");
    expect_complete(now, collector("pci_errors"));
}

TEST(PciErrors, HiddenByTheFirmwareIsNotZero) {
    const auto host = host_with_errors();
    host->error("/sys/bus/pci/devices/0000:41:00.0/aer_dev_fatal", absent("aer_dev_fatal"));
    EXPECT_EQ(of(look(host), "aer_fatal"), "gap(not offered)");
}

TEST(PciErrors, ACountThatIsNoneIsAnError) {
    const auto host = host_with_errors();
    host->file("/sys/bus/pci/devices/0000:41:00.0/aer_dev_fatal", "DLP many\n");
    EXPECT_EQ(of(look(host), "aer_fatal"), "gap(error)");
    host->file("/sys/bus/pci/devices/0000:41:00.0/aer_dev_fatal", "DLP 1\n");
    EXPECT_EQ(of(look(host), "aer_fatal"), "gap(not offered)") << "no total";
}

TEST(PciErrors, SurvivesBadInput) {
    expect_bad_input_is_survived(host_with_errors, "pci_errors", {{"/sys/class/net/ens1f0/dev_port"}});
}

}  // namespace
}  // namespace rd::collectors::test
