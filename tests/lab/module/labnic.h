/* SPDX-License-Identifier: GPL-2.0 */
/*
 * labnic: a network card for testing RDMA diagnosis in a virtual machine.
 *
 * It binds to two emulated e1000e functions (subsystem vendor 15b3) and joins
 * them by a wire. PCI topology, NUMA node, AER and MSI-X vectors are the real
 * kernel's; classification, priority flow control, loss and the PCIe link are
 * modelled here, the way the mlx5 driver presents them.
 */
#ifndef LABNIC_H
#define LABNIC_H

#include <linux/ethtool.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <linux/workqueue.h>
#include <net/dcbnl.h>

#define LABNIC_DRIVER		"mlx5_core"
#define LABNIC_PRIOS		IEEE_8021QAZ_MAX_TCS
#define LABNIC_DSCPS		64
#define LABNIC_VECTORS		5	/* one for events, four for completions */
#define LABNIC_PPM		1000000

/* What the emulated function is, and what a ConnectX-7 calls itself. */
#define LABNIC_EMULATED_VENDOR	PCI_VENDOR_ID_INTEL
#define LABNIC_EMULATED_DEVICE	0x10d3
#define LABNIC_SHOWN_VENDOR	PCI_VENDOR_ID_MELLANOX
#define LABNIC_SHOWN_DEVICE	0x1021

/*
 * Statistics have one writer each, so they need no atomic arithmetic: the
 * transmit path of a port runs under its transmit lock and writes the port's
 * tx_* and rx_pause*, and the peer's rx_* and tx_pause*; events of the link and
 * the module have their own writers. Readers may see a set that is a frame
 * apart; a 64-bit kernel never shows a torn value.
 */
struct labnic_prio_stats {
	u64 rx_bytes, rx_packets;
	u64 tx_bytes, tx_packets;
	u64 rx_discards;
	u64 rx_pause, rx_pause_us;
	u64 tx_pause, tx_pause_us;
	u64 rx_marked;
};

struct labnic_port_stats {
	u64 rx_discards;
	u64 rx_damaged;
	u64 rx_rdma_packets, rx_rdma_bytes;
	u64 tx_rdma_packets, tx_rdma_bytes;
	u64 rx_pause, rx_pause_us;	/* of the whole link */
	u64 tx_pause, tx_pause_us;
	u64 link_down_events;
	u64 module_high_temp;
};

/* PCIe link as one end of it reports it; speeds are codes, 1 = 2.5 GT/s. */
struct labnic_link {
	u32 speed, width;
	u32 max_speed, max_width;
	u16 devctl;
};

struct labnic_knobs {
	u32 loss_ppm;		/* receiver out of buffers: counted, PFC prevents it */
	u32 cut_ppm;		/* lost in the network: nobody counts it */
	u32 ecn_ppm;		/* congestion marks on ECN-capable frames */
	u32 damage_ppm;		/* frames that arrive with symbol and checksum errors */
	u32 pause_us;		/* the time one pause frame is counted as */
	u32 irq_frames;		/* received frames for each interrupt; 0: all vectors for each frame */
	u32 link_reason;	/* enum ethtool_link_ext_state while there is no carrier */
	u32 hang_ms;		/* a read of qos/trust sleeps that long */
	u64 stalled_rd, stalled_wr;	/* per cent of the last second */
	u64 corrected_bits;
	u64 corrected_blocks;
	u64 uncorrectable_blocks;
	u64 out_of_buffer;
};

/* One side of RoCE congestion control in the vendor's sysfs attributes. */
struct labnic_ecn {
	struct kobject *dir, *enable;
	u8 priorities;
};

struct labnic {
	struct net_device *dev;
	struct pci_dev *pdev;
	void __iomem *bar;
	struct labnic __rcu *peer;
	struct dentry *debugfs;

	int vectors;
	char irq_name[LABNIC_VECTORS][48];
	u32 frames;		/* received, spreads them over the vectors */

	/* Below: written under RTNL. */
	struct ieee_pfc pfc;
	struct ieee_ets ets;
	struct ieee_maxrate maxrate;
	struct dcbnl_buffer buffer;
	u8 dcbx;
	u8 trust_dscp;
	u8 dscp2prio[LABNIC_DSCPS];
	int dscp_entries;
	struct ethtool_coalesce coalesce;
	struct ethtool_ringparam ring;
	struct ethtool_pauseparam pause;
	struct ethtool_fecparam fec;
	struct ethtool_channels channels;

	bool cable;		/* the carrier knob */
	struct delayed_work flap_end;

	u8 temp;		/* of the module, degrees Celsius */
	bool ofed;
	struct kobject *ecn_dir;
	struct labnic_ecn ecn[2];

	struct labnic_prio_stats prio[LABNIC_PRIOS];
	struct labnic_port_stats port;
	struct labnic_knobs knobs;
	struct labnic_link endpoint, root_port;
};

/* wire.c */
extern const struct net_device_ops labnic_netdev_ops;

/* main.c */
void labnic_carrier_set(struct labnic *nic, bool up);
void labnic_carrier_flap(struct labnic *nic);

/* dcb.c */
extern const struct dcbnl_rtnl_ops labnic_dcb_ops;
void labnic_dcb_init(struct labnic *nic);

/* ethtool.c */
extern const struct ethtool_ops labnic_ethtool_ops;
void labnic_ethtool_init(struct labnic *nic);

/* stats.c */
int labnic_stats_count(struct net_device *dev, int sset);
void labnic_stats_names(struct net_device *dev, u32 sset, u8 *buf);
void labnic_stats_values(struct net_device *dev, struct ethtool_stats *stats, u64 *out);

/* module_eeprom.c */
void labnic_module_heat(struct labnic *nic, u8 degrees);
int labnic_module_eeprom(struct net_device *dev,
			 const struct ethtool_module_eeprom *page,
			 struct netlink_ext_ack *extack);

/* pci_shadow.c */
int labnic_shadow_init(void);
void labnic_shadow_exit(void);
int labnic_shadow_add(struct pci_dev *pdev, struct labnic_link *link);
void labnic_shadow_remove(struct labnic_link *link);
void labnic_shadow_link_changed(struct labnic_link *link);

/* debugfs.c */
void labnic_debugfs_init(void);
void labnic_debugfs_exit(void);
void labnic_debugfs_add(struct labnic *nic);
void labnic_debugfs_remove(struct labnic *nic);

/* sysfs.c */
int labnic_ofed_set(struct labnic *nic, bool on);

#endif
