// SPDX-License-Identifier: GPL-2.0-or-later
// What the network driver counts below the network stack: errors on the wire, events of the module, and how the adapter gets on with
// PCI Express. RDMA traffic is part of it. The same thing has another name in every driver; here it gets one.
//
// One request gives them all, and on mlx5 it costs some twenty firmware commands: once in ten seconds is often enough.
#include <fmt/format.h>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"

namespace rd::collectors {
namespace {

constexpr FactSpec counter(std::string_view name, std::string_view unit, std::string_view doc) {
    return {Kind::netdev, name, Type::integer, Nature::counter, unit, doc};
}
constexpr FactSpec stall(std::string_view name, std::string_view doc) {
    return {Kind::netdev, name, Type::integer, Nature::percent, "%", doc};
}

constexpr FactSpec kFacts[] = {
    counter("rx_discards_phy", "packets",
            "Discarded at the port for want of receive buffer: ethtool -S rx_discards_phy"),
    counter("tx_bytes_phy", "bytes", "Sent on the wire, RDMA included: ethtool -S tx_bytes_phy"),
    counter("rx_packets_phy", "packets", "Received on the wire, RDMA included: ethtool -S rx_packets_phy"),
    counter(
        "rx_oversize_phy", "packets",
        "Larger than the MTU of the port and dropped: ethtool -S rx_oversize_pkts_phy (bnxt_en rx_ovrsz_frames, ice "
        "rx_oversize.nic)"),
    counter("rx_steer_missed", "packets",
            "For no address, VLAN or queue of this function: ethtool -S rx_steer_missed_packets (mlx5)"),
    counter("tx_discards_phy", "packets",
            "Discarded at the port before sending, link down or held back too long: ethtool -S tx_discards_phy (mlx5)"),
    counter("link_down_events_phy", "", "Times the port lost its link: ethtool -S link_down_events_phy"),
    counter("rx_out_of_buffer", "packets", "Ethernet receive rings were empty: ethtool -S rx_out_of_buffer"),
    counter("symbol_errors", "", "Frames with a symbol error at the port: ethtool -S rx_symbol_err_phy"),
    counter("rx_crc_errors_phy", "packets",
            "Frames with a bad checksum at the port: ethtool -S rx_crc_errors_phy (bnxt_en rx_fcs_err_frames, ice "
            "rx_crc_errors.nic, ionic frames_rx_bad_fcs)"),
    counter(
        "pcs_symbol_errors", "",
        "Symbols that error correction could not mend: ethtool -S rx_pcs_symbol_err_phy (bnxt_en rx_pcs_symbol_err)"),
    counter("fec_corrected_bits", "bits",
            "Bits that error correction mended: ethtool -S rx_corrected_bits_phy (bnxt_en rx_corrected_bits); some are "
            "normal"),
    counter("fec_corrected_blocks", "",
            "Blocks that error correction mended: ethtool FEC statistics (bnxt_en -S rx_fec_corrected_blocks)"),
    counter(
        "fec_uncorrectable_blocks", "",
        "Blocks that error correction could not mend: ethtool FEC statistics (bnxt_en -S rx_fec_uncorrectable_blocks)"),
    counter("lane_errors_0", "", "Errors on lane 0 before correction: ethtool -S rx_err_lane_0_phy (mlx5)"),
    counter("lane_errors_1", "", "Errors on lane 1 before correction: ethtool -S rx_err_lane_1_phy (mlx5)"),
    counter("lane_errors_2", "", "Errors on lane 2 before correction: ethtool -S rx_err_lane_2_phy (mlx5)"),
    counter("lane_errors_3", "", "Errors on lane 3 before correction: ethtool -S rx_err_lane_3_phy (mlx5)"),
    counter("rx_buffer_passed_threshold", "",
            "Times the receive buffer filled above 85 %: ethtool -S rx_buffer_passed_thres_phy (bnxt_en "
            "rx_buffer_passed_threshold)"),
    counter("local_faults", "", "Local faults of the link: ethtool -S mac_local_faults.nic (ice)"),
    counter("remote_faults", "", "Remote faults: the peer does not hear us: ethtool -S mac_remote_faults.nic (ice)"),
    counter("module_unplug", "", "Times the module was pulled: ethtool -S module_unplug (mlx5)"),
    counter("module_bus_stuck", "", "Times the module's I2C bus was stuck: ethtool -S module_bus_stuck (mlx5)"),
    counter("module_high_temp", "", "Times the module was too hot: ethtool -S module_high_temp (mlx5)"),
    counter("module_bad_shorted", "", "Times the module was bad or shorted: ethtool -S module_bad_shorted (mlx5)"),
    counter("pci_rx_recoveries", "",
            "Transitions of the PCIe receiver to recovery: ethtool -S rx_pci_signal_integrity (mlx5)"),
    counter("pci_tx_recoveries", "",
            "Transitions to recovery that the other PCIe end asked for: ethtool -S tx_pci_signal_integrity (mlx5)"),
    stall("outbound_pci_stalled_rd",
          "Share of the last second in which reads had no PCIe credits: ethtool -S outbound_pci_stalled_rd (mlx5)"),
    stall("outbound_pci_stalled_wr",
          "Share of the last second in which writes had no PCIe credits: ethtool -S outbound_pci_stalled_wr (mlx5)"),
    counter("outbound_pci_stalled_rd_events", "seconds",
            "Seconds in which reads stalled above 30 %: ethtool -S outbound_pci_stalled_rd_events (mlx5)"),
    counter("outbound_pci_stalled_wr_events", "seconds",
            "Seconds in which writes stalled above 30 %: ethtool -S outbound_pci_stalled_wr_events (mlx5)"),
    counter("outbound_pci_buffer_overflow", "packets",
            "Dropped because PCIe took them slower than the wire brought them: ethtool -S outbound_pci_buffer_overflow "
            "(mlx5)"),
    counter("dev_out_of_buffer", "",
            "Times the device's own queue had no buffers: ethtool -S dev_out_of_buffer (mlx5)"),
    counter("dev_internal_queue_oob", "packets",
            "Dropped because an internal queue of the device was full: ethtool -S dev_internal_queue_oob (mlx5)"),
    counter("eq_rearms", "",
            "Times the driver found that an interrupt had been lost and looked itself: ethtool -S ch_eq_rearm (mlx5)"),
    counter("tx_recoveries", "", "Times a stuck transmit queue was made anew: ethtool -S tx_recover (mlx5)"),
    counter("rx_recoveries", "", "Times a stuck receive queue was made anew: ethtool -S rx_recover (mlx5)"),
    {Kind::netdev, "link_lanes", Type::integer, Nature::gauge, "lanes", "Lanes of the link: ethtool link modes"},
    {Kind::netdev, "link_reason_code", Type::integer, Nature::gauge, "",
     "More about link_reason, ETHTOOL_LINK_EXT_SUBSTATE_* (autoneg: 1 no partner, 5 FEC mismatch, 6 nothing in "
     "common): "
     "ethtool link state"},
};

constexpr Alternatives kCounters[] = {
    {row(kFacts, Kind::netdev, "rx_discards_phy"), {"rx_discards_phy"}},
    {row(kFacts, Kind::netdev, "tx_bytes_phy"), {"tx_bytes_phy"}},
    {row(kFacts, Kind::netdev, "rx_packets_phy"), {"rx_packets_phy"}},
    {row(kFacts, Kind::netdev, "rx_oversize_phy"), {"rx_oversize_pkts_phy", "rx_ovrsz_frames", "rx_oversize.nic"}},
    {row(kFacts, Kind::netdev, "rx_steer_missed"), {"rx_steer_missed_packets"}},
    {row(kFacts, Kind::netdev, "tx_discards_phy"), {"tx_discards_phy"}},
    {row(kFacts, Kind::netdev, "link_down_events_phy"), {"link_down_events_phy", "link_down_events"}},
    {row(kFacts, Kind::netdev, "rx_out_of_buffer"), {"rx_out_of_buffer"}},
    {row(kFacts, Kind::netdev, "symbol_errors"), {"rx_symbol_err_phy"}},
    {row(kFacts, Kind::netdev, "rx_crc_errors_phy"),
     {"rx_crc_errors_phy", "rx_fcs_err_frames", "rx_crc_errors.nic", "frames_rx_bad_fcs"}},
    {row(kFacts, Kind::netdev, "pcs_symbol_errors"), {"rx_pcs_symbol_err_phy", "rx_pcs_symbol_err"}},
    {row(kFacts, Kind::netdev, "fec_corrected_bits"), {"rx_corrected_bits_phy", "rx_corrected_bits"}},
    {row(kFacts, Kind::netdev, "lane_errors_0"), {"rx_err_lane_0_phy"}},
    {row(kFacts, Kind::netdev, "lane_errors_1"), {"rx_err_lane_1_phy"}},
    {row(kFacts, Kind::netdev, "lane_errors_2"), {"rx_err_lane_2_phy"}},
    {row(kFacts, Kind::netdev, "lane_errors_3"), {"rx_err_lane_3_phy"}},
    {row(kFacts, Kind::netdev, "rx_buffer_passed_threshold"),
     {"rx_buffer_passed_thres_phy", "rx_buffer_passed_threshold"}},
    {row(kFacts, Kind::netdev, "local_faults"), {"mac_local_faults.nic"}},
    {row(kFacts, Kind::netdev, "remote_faults"), {"mac_remote_faults.nic"}},
    {row(kFacts, Kind::netdev, "module_unplug"), {"module_unplug"}},
    {row(kFacts, Kind::netdev, "module_bus_stuck"), {"module_bus_stuck"}},
    {row(kFacts, Kind::netdev, "module_high_temp"), {"module_high_temp"}},
    {row(kFacts, Kind::netdev, "module_bad_shorted"), {"module_bad_shorted"}},
    {row(kFacts, Kind::netdev, "pci_rx_recoveries"), {"rx_pci_signal_integrity"}},
    {row(kFacts, Kind::netdev, "pci_tx_recoveries"), {"tx_pci_signal_integrity"}},
    {row(kFacts, Kind::netdev, "outbound_pci_stalled_rd"), {"outbound_pci_stalled_rd"}},
    {row(kFacts, Kind::netdev, "outbound_pci_stalled_wr"), {"outbound_pci_stalled_wr"}},
    {row(kFacts, Kind::netdev, "outbound_pci_stalled_rd_events"), {"outbound_pci_stalled_rd_events"}},
    {row(kFacts, Kind::netdev, "outbound_pci_stalled_wr_events"), {"outbound_pci_stalled_wr_events"}},
    {row(kFacts, Kind::netdev, "outbound_pci_buffer_overflow"), {"outbound_pci_buffer_overflow"}},
    {row(kFacts, Kind::netdev, "dev_out_of_buffer"), {"dev_out_of_buffer"}},
    {row(kFacts, Kind::netdev, "dev_internal_queue_oob"), {"dev_internal_queue_oob"}},
    {row(kFacts, Kind::netdev, "eq_rearms"), {"ch_eq_rearm"}},
    {row(kFacts, Kind::netdev, "tx_recoveries"), {"tx_recover"}},
    {row(kFacts, Kind::netdev, "rx_recoveries"), {"rx_recover"}},
};

constexpr const FactSpec& kCorrectedBlocks = row(kFacts, Kind::netdev, "fec_corrected_blocks");
constexpr const FactSpec& kUncorrectableBlocks = row(kFacts, Kind::netdev, "fec_uncorrectable_blocks");
// The same two from either place.
constexpr Source kFec[] = {
    {"corrected_blocks", kCorrectedBlocks, as_counter},
    {"uncorrectable_blocks", kUncorrectableBlocks, as_counter},
};
constexpr Source kFecOfDriver[] = {
    {"rx_fec_corrected_blocks", kCorrectedBlocks, as_counter},
    {"rx_fec_uncorrectable_blocks", kUncorrectableBlocks, as_counter},
};
constexpr Source kLink[] = {
    {"lanes", row(kFacts, Kind::netdev, "link_lanes"), as_counter},
    {"ext_substate", row(kFacts, Kind::netdev, "link_reason_code"), as_counter},
};

constexpr std::string_view kNotCounted = "this driver does not count it";

// `with_fec`: the driver's statistics have the blocks of error correction.
void plan_statistics(const Netdev& netdev, bool with_fec, Plan& plan) {
    const std::string subject = "ethtool.stats/" + netdev.name;
    std::vector<Cover> covers = covers_of(netdev.entity, kCounters);
    if (with_fec) {
        for (const Cover& cover : covers_of(netdev.entity, kFecOfDriver)) covers.push_back(cover);
    }
    plan.decode(subject, covers, [=, entity = netdev.entity](std::string_view text, Facts& out) {
        const auto answer = Answer::parse(subject, text);
        if (!answer) return gap_all(covers, gap_from(answer.error()), out);
        answer->put(entity, kCounters, out, kNotCounted);
        if (with_fec) answer->put(entity, kFecOfDriver, out, kNotCounted);
    });
}

// Kernels before 5.13 have no FEC statistics of their own.
bool has_fec_statistics(const Host& host, const Netdev& netdev) {
    const auto driver = host.link(netdev.path + "/device/driver");
    return driver && driver->ends_with("/bnxt_en");
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kNet));
    const auto kept = rdma_netdevs(host);
    if (!kept) return plan.kind_gap(Kind::netdev, gap_from(kept.error()));
    for (const Netdev& netdev : *kept) {
        const bool by_driver = has_fec_statistics(host, netdev);
        plan.lane(netdev.lane);
        plan.every(Seconds(10));
        plan_statistics(netdev, by_driver, plan);
        decode_fields(plan, "ethtool.link/" + netdev.name, netdev.entity, kLink, "the driver does not say");
        plan.every(Seconds(30));
        if (!by_driver) decode_fields(plan, "ethtool.fec/" + netdev.name, netdev.entity, kFec, kNotCounted);
    }
}

}  // namespace

extern const Collector ethtool_counters;
constinit const Collector ethtool_counters{"ethtool_counters",    kFacts,  {}, Seconds(10),
                                           Rediscover::on_change, discover};

}  // namespace rd::collectors
