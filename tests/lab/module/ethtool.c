// SPDX-License-Identifier: GPL-2.0
/* ethtool: link, statistics and the settings a tuner looks at. */
#include <linux/ethtool.h>

#include "labnic.h"

#define HOT_MODULE	70	/* degrees Celsius */

/* Names and order as the mlx5 driver has them. */
static const struct {
	const char *format;
	size_t offset;
} prio_stats[] = {
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

enum port_stat {
	RX_PACKETS_PHY, TX_PACKETS_PHY, RX_BYTES_PHY, TX_BYTES_PHY,
	RX_DISCARDS_PHY, TX_DISCARDS_PHY, RX_CRC_ERRORS_PHY, RX_SYMBOL_ERR_PHY,
	LINK_DOWN_EVENTS_PHY, RX_OUT_OF_BUFFER,
	PCI_STALLED_RD, PCI_STALLED_WR, MODULE_HIGH_TEMP,
	PORT_STATS
};

static const char * const port_stat_names[PORT_STATS] = {
	[RX_PACKETS_PHY] = "rx_packets_phy",
	[TX_PACKETS_PHY] = "tx_packets_phy",
	[RX_BYTES_PHY] = "rx_bytes_phy",
	[TX_BYTES_PHY] = "tx_bytes_phy",
	[RX_DISCARDS_PHY] = "rx_discards_phy",
	[TX_DISCARDS_PHY] = "tx_discards_phy",
	[RX_CRC_ERRORS_PHY] = "rx_crc_errors_phy",
	[RX_SYMBOL_ERR_PHY] = "rx_symbol_err_phy",
	[LINK_DOWN_EVENTS_PHY] = "link_down_events_phy",
	[RX_OUT_OF_BUFFER] = "rx_out_of_buffer",
	[PCI_STALLED_RD] = "outbound_pci_stalled_rd",
	[PCI_STALLED_WR] = "outbound_pci_stalled_wr",
	[MODULE_HIGH_TEMP] = "module_high_temp",
};

void labnic_ethtool_init(struct labnic *nic)
{
	nic->coalesce.rx_coalesce_usecs = 8;
	nic->coalesce.rx_max_coalesced_frames = 128;
	nic->coalesce.tx_coalesce_usecs = 16;
	nic->coalesce.tx_max_coalesced_frames = 32;
	nic->coalesce.use_adaptive_rx_coalesce = 1;
	nic->coalesce.use_adaptive_tx_coalesce = 1;
	nic->ring.rx_max_pending = 8192;
	nic->ring.tx_max_pending = 8192;
	nic->ring.rx_pending = 1024;
	nic->ring.tx_pending = 1024;
	nic->fec.fec = ETHTOOL_FEC_AUTO;
	nic->fec.active_fec = ETHTOOL_FEC_RS;
	nic->channels.max_combined = LABNIC_VECTORS - 1;
	nic->channels.combined_count = LABNIC_VECTORS - 1;
}

static void get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	struct labnic *nic = netdev_priv(dev);

	strscpy(info->driver, LABNIC_DRIVER, sizeof(info->driver));
	strscpy(info->fw_version, "28.39.1002 (MT_0000000838)", sizeof(info->fw_version));
	strscpy(info->bus_info, pci_name(nic->pdev), sizeof(info->bus_info));
}

static int get_sset_count(struct net_device *dev, int sset)
{
	if (sset != ETH_SS_STATS)
		return -EOPNOTSUPP;
	return PORT_STATS + LABNIC_PRIOS * ARRAY_SIZE(prio_stats);
}

static void get_strings(struct net_device *dev, u32 sset, u8 *buf)
{
	int i, prio;

	if (sset != ETH_SS_STATS)
		return;
	for (i = 0; i < PORT_STATS; i++)
		ethtool_sprintf(&buf, "%s", port_stat_names[i]);
	for (prio = 0; prio < LABNIC_PRIOS; prio++)
		for (i = 0; i < ARRAY_SIZE(prio_stats); i++)
			ethtool_sprintf(&buf, prio_stats[i].format, prio);
}

static void get_ethtool_stats(struct net_device *dev, struct ethtool_stats *stats, u64 *out)
{
	struct labnic *nic = netdev_priv(dev);
	u64 port[PORT_STATS] = { };
	int i, prio;

	for (prio = 0; prio < LABNIC_PRIOS; prio++) {
		const struct labnic_prio_stats *from = &nic->prio[prio];

		port[RX_PACKETS_PHY] += from->rx_packets;
		port[RX_BYTES_PHY] += from->rx_bytes;
		port[TX_PACKETS_PHY] += from->tx_packets;
		port[TX_BYTES_PHY] += from->tx_bytes;
	}
	port[RX_DISCARDS_PHY] = nic->rx_discards_phy;
	port[RX_SYMBOL_ERR_PHY] = nic->knobs.symbol_err;
	port[LINK_DOWN_EVENTS_PHY] = nic->link_down_events;
	port[RX_OUT_OF_BUFFER] = nic->knobs.out_of_buffer;
	port[PCI_STALLED_WR] = nic->knobs.stalled_wr;
	port[MODULE_HIGH_TEMP] = nic->knobs.temp > HOT_MODULE;
	memcpy(out, port, sizeof(port));
	out += PORT_STATS;
	for (prio = 0; prio < LABNIC_PRIOS; prio++)
		for (i = 0; i < ARRAY_SIZE(prio_stats); i++)
			*out++ = *(u64 *)((char *)&nic->prio[prio] + prio_stats[i].offset);
}

static int get_coalesce(struct net_device *dev, struct ethtool_coalesce *coalesce,
			struct kernel_ethtool_coalesce *kernel, struct netlink_ext_ack *extack)
{
	struct labnic *nic = netdev_priv(dev);

	*coalesce = nic->coalesce;
	return 0;
}

static int set_coalesce(struct net_device *dev, struct ethtool_coalesce *coalesce,
			struct kernel_ethtool_coalesce *kernel, struct netlink_ext_ack *extack)
{
	struct labnic *nic = netdev_priv(dev);

	nic->coalesce = *coalesce;
	return 0;
}

static void get_ringparam(struct net_device *dev, struct ethtool_ringparam *ring,
			  struct kernel_ethtool_ringparam *kernel, struct netlink_ext_ack *extack)
{
	struct labnic *nic = netdev_priv(dev);

	*ring = nic->ring;
}

static int set_ringparam(struct net_device *dev, struct ethtool_ringparam *ring,
			 struct kernel_ethtool_ringparam *kernel, struct netlink_ext_ack *extack)
{
	struct labnic *nic = netdev_priv(dev);

	nic->ring.rx_pending = ring->rx_pending;
	nic->ring.tx_pending = ring->tx_pending;
	return 0;
}

static void get_pauseparam(struct net_device *dev, struct ethtool_pauseparam *pause)
{
	struct labnic *nic = netdev_priv(dev);

	*pause = nic->pause;
}

static int set_pauseparam(struct net_device *dev, struct ethtool_pauseparam *pause)
{
	struct labnic *nic = netdev_priv(dev);

	nic->pause = *pause;
	return 0;
}

static void get_channels(struct net_device *dev, struct ethtool_channels *channels)
{
	struct labnic *nic = netdev_priv(dev);

	*channels = nic->channels;
}

static int set_channels(struct net_device *dev, struct ethtool_channels *channels)
{
	struct labnic *nic = netdev_priv(dev);

	nic->channels.combined_count = channels->combined_count;
	return 0;
}

static int get_fecparam(struct net_device *dev, struct ethtool_fecparam *fec)
{
	struct labnic *nic = netdev_priv(dev);

	*fec = nic->fec;
	return 0;
}

static int set_fecparam(struct net_device *dev, struct ethtool_fecparam *fec)
{
	struct labnic *nic = netdev_priv(dev);

	nic->fec.fec = fec->fec;
	nic->fec.active_fec = fec->fec & ETHTOOL_FEC_AUTO ? ETHTOOL_FEC_RS : fec->fec;
	return 0;
}

static int get_link_ksettings(struct net_device *dev, struct ethtool_link_ksettings *link)
{
	ethtool_link_ksettings_zero_link_mode(link, supported);
	ethtool_link_ksettings_add_link_mode(link, supported, 100000baseSR4_Full);
	ethtool_link_ksettings_add_link_mode(link, supported, FIBRE);
	ethtool_link_ksettings_zero_link_mode(link, advertising);
	ethtool_link_ksettings_add_link_mode(link, advertising, 100000baseSR4_Full);
	link->base.port = PORT_FIBRE;
	if (!netif_carrier_ok(dev)) {
		link->base.speed = SPEED_UNKNOWN;
		link->base.duplex = DUPLEX_UNKNOWN;
		return 0;
	}
	link->base.speed = SPEED_100000;
	link->base.duplex = DUPLEX_FULL;
	link->lanes = 4;
	return 0;
}

static int get_link_ext_state(struct net_device *dev, struct ethtool_link_ext_state_info *info)
{
	if (netif_carrier_ok(dev))
		return -ENODATA;
	info->link_ext_state = ETHTOOL_LINK_EXT_STATE_NO_CABLE;
	return 0;
}

const struct ethtool_ops labnic_ethtool_ops = {
	.supported_coalesce_params	= ETHTOOL_COALESCE_USECS | ETHTOOL_COALESCE_MAX_FRAMES |
					  ETHTOOL_COALESCE_USE_ADAPTIVE,
	.get_drvinfo			= get_drvinfo,
	.get_link			= ethtool_op_get_link,
	.get_link_ext_state		= get_link_ext_state,
	.get_link_ksettings		= get_link_ksettings,
	.get_sset_count			= get_sset_count,
	.get_strings			= get_strings,
	.get_ethtool_stats		= get_ethtool_stats,
	.get_coalesce			= get_coalesce,
	.set_coalesce			= set_coalesce,
	.get_ringparam			= get_ringparam,
	.set_ringparam			= set_ringparam,
	.get_pauseparam			= get_pauseparam,
	.set_pauseparam			= set_pauseparam,
	.get_channels			= get_channels,
	.set_channels			= set_channels,
	.get_fecparam			= get_fecparam,
	.set_fecparam			= set_fecparam,
	.get_module_eeprom_by_page	= labnic_module_eeprom,
};
