// SPDX-License-Identifier: GPL-2.0
/* ethtool -S: names and units as the mlx5 driver has them. */
#include <linux/ethtool.h>

#include "labnic.h"

struct labnic_stat {
	const char *name;
	size_t offset;
};

/* Sums over the priorities. */
static const struct labnic_stat sum_stats[] = {
#define SUM(name, field) { name, offsetof(struct labnic_prio_stats, field) }
	SUM("rx_packets_phy", rx_packets),
	SUM("tx_packets_phy", tx_packets),
	SUM("rx_bytes_phy", rx_bytes),
	SUM("tx_bytes_phy", tx_bytes),
#undef SUM
};

#define PORT(name, field) { name, offsetof(struct labnic, port.field) }
#define KNOB(name, field) { name, offsetof(struct labnic, knobs.field) }
static const struct labnic_stat port_stats[] = {
	PORT("rx_vport_rdma_unicast_packets", rx_rdma_packets),
	PORT("rx_vport_rdma_unicast_bytes", rx_rdma_bytes),
	PORT("tx_vport_rdma_unicast_packets", tx_rdma_packets),
	PORT("tx_vport_rdma_unicast_bytes", tx_rdma_bytes),
	PORT("rx_discards_phy", rx_discards),
	PORT("rx_crc_errors_phy", rx_damaged),
	PORT("rx_symbol_err_phy", rx_damaged),
	KNOB("rx_pcs_symbol_err_phy", uncorrectable_blocks),
	KNOB("rx_corrected_bits_phy", corrected_bits),
	PORT("link_down_events_phy", link_down_events),
	PORT("module_high_temp", module_high_temp),
	KNOB("rx_out_of_buffer", out_of_buffer),
	KNOB("outbound_pci_stalled_rd", stalled_rd),
	KNOB("outbound_pci_stalled_wr", stalled_wr),
};

/* As long as the link may be paused as a whole. */
static const struct labnic_stat pause_stats[] = {
	PORT("rx_global_pause", rx_pause),
	PORT("rx_global_pause_duration", rx_pause_us),
	PORT("tx_global_pause", tx_pause),
	PORT("tx_global_pause_duration", tx_pause_us),
};
#undef PORT
#undef KNOB

static const struct labnic_stat prio_stats[] = {
#define PRIO(name, field) { name, offsetof(struct labnic_prio_stats, field) }
	PRIO("rx_prio%d_bytes", rx_bytes),
	PRIO("rx_prio%d_packets", rx_packets),
	PRIO("rx_prio%d_discards", rx_discards),
	PRIO("rx_prio%d_marked", rx_marked),
	PRIO("tx_prio%d_bytes", tx_bytes),
	PRIO("tx_prio%d_packets", tx_packets),
	PRIO("rx_prio%d_pause", rx_pause),
	PRIO("rx_prio%d_pause_duration", rx_pause_us),
	PRIO("tx_prio%d_pause", tx_pause),
	PRIO("tx_prio%d_pause_duration", tx_pause_us),
#undef PRIO
};

static bool may_pause_link(const struct labnic *nic)
{
	return nic->pause.rx_pause || nic->pause.tx_pause;
}

int labnic_stats_count(struct net_device *dev, int sset)
{
	int pauses = may_pause_link(netdev_priv(dev)) ? ARRAY_SIZE(pause_stats) : 0;

	if (sset != ETH_SS_STATS)
		return -EOPNOTSUPP;
	return ARRAY_SIZE(sum_stats) + ARRAY_SIZE(port_stats) + pauses +
	       LABNIC_PRIOS * ARRAY_SIZE(prio_stats);
}

static void put_names(u8 **buf, const struct labnic_stat *stats, int count)
{
	int i;

	for (i = 0; i < count; i++)
		ethtool_sprintf(buf, "%s", stats[i].name);
}

void labnic_stats_names(struct net_device *dev, u32 sset, u8 *buf)
{
	int i, prio;

	if (sset != ETH_SS_STATS)
		return;
	put_names(&buf, sum_stats, ARRAY_SIZE(sum_stats));
	put_names(&buf, port_stats, ARRAY_SIZE(port_stats));
	if (may_pause_link(netdev_priv(dev)))
		put_names(&buf, pause_stats, ARRAY_SIZE(pause_stats));
	for (prio = 0; prio < LABNIC_PRIOS; prio++)
		for (i = 0; i < ARRAY_SIZE(prio_stats); i++)
			ethtool_sprintf(&buf, prio_stats[i].name, prio);
}

static u64 value_at(const void *base, const struct labnic_stat *stat)
{
	return *(const u64 *)(base + stat->offset);
}

void labnic_stats_values(struct net_device *dev, struct ethtool_stats *stats, u64 *out)
{
	const struct labnic *nic = netdev_priv(dev);
	int i, prio;

	for (i = 0; i < ARRAY_SIZE(sum_stats); i++) {
		u64 sum = 0;

		for (prio = 0; prio < LABNIC_PRIOS; prio++)
			sum += value_at(&nic->prio[prio], &sum_stats[i]);
		*out++ = sum;
	}
	for (i = 0; i < ARRAY_SIZE(port_stats); i++)
		*out++ = value_at(nic, &port_stats[i]);
	if (may_pause_link(nic))
		for (i = 0; i < ARRAY_SIZE(pause_stats); i++)
			*out++ = value_at(nic, &pause_stats[i]);
	for (prio = 0; prio < LABNIC_PRIOS; prio++)
		for (i = 0; i < ARRAY_SIZE(prio_stats); i++)
			*out++ = value_at(&nic->prio[prio], &prio_stats[i]);
}
