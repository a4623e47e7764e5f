// SPDX-License-Identifier: GPL-2.0
/* ethtool: link and the settings a tuner looks at. */
#include <linux/ethtool.h>

#include "labnic.h"

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

static void get_fec_stats(struct net_device *dev, struct ethtool_fec_stats *stats)
{
	const struct labnic *nic = netdev_priv(dev);

	stats->corrected_blocks.total = nic->knobs.corrected_blocks;
	stats->uncorrectable_blocks.total = nic->knobs.uncorrectable_blocks;
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
	const struct labnic *nic = netdev_priv(dev);

	if (netif_carrier_ok(dev))
		return -ENODATA;
	info->link_ext_state = READ_ONCE(nic->knobs.link_reason);
	return 0;
}

const struct ethtool_ops labnic_ethtool_ops = {
	.supported_coalesce_params	= ETHTOOL_COALESCE_USECS | ETHTOOL_COALESCE_MAX_FRAMES |
					  ETHTOOL_COALESCE_USE_ADAPTIVE,
	.get_drvinfo			= get_drvinfo,
	.get_link			= ethtool_op_get_link,
	.get_link_ext_state		= get_link_ext_state,
	.get_link_ksettings		= get_link_ksettings,
	.get_sset_count			= labnic_stats_count,
	.get_strings			= labnic_stats_names,
	.get_ethtool_stats		= labnic_stats_values,
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
	.get_fec_stats			= get_fec_stats,
	.get_module_eeprom_by_page	= labnic_module_eeprom,
};
