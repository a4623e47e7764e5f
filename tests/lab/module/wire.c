// SPDX-License-Identifier: GPL-2.0
/* The wire between the two ports: classification, loss, pause and marks. */
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/random.h>
#include <linux/udp.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>

#include "labnic.h"

#define ROCE_UDP_PORT		4791
#define PAUSE_DELAY_US		5	/* what a pause frame costs the sender here */
#define HEADROOM_BYTES		40000	/* still arrives after a pause frame was sent */
#define E1000_ICS		0xc8
#define E1000_COMPLETIONS	0x00f00000
#define COMPLETION_VECTORS	(LABNIC_VECTORS - 1)

static bool chance(u32 ppm)
{
	return ppm && get_random_u32() % LABNIC_PPM < ppm;
}

static u8 frame_priority(const struct labnic *nic, struct sk_buff *skb)
{
	if (READ_ONCE(nic->trust_dscp)) {
		const void *header = skb->data + ETH_HLEN;

		if (skb->protocol == htons(ETH_P_IP))
			return nic->dscp2prio[ipv4_get_dsfield(header) >> 2];
		if (skb->protocol == htons(ETH_P_IPV6))
			return nic->dscp2prio[ipv6_get_dsfield(header) >> 2];
	}
	return skb_vlan_tag_present(skb) ? skb_vlan_tag_get_prio(skb) : 0;
}

/* Faults act on RoCE v2 only, so that ARP and the tools' own TCP stay whole. */
static bool frame_is_roce(const struct sk_buff *skb)
{
	struct {
		struct iphdr ip;
		struct udphdr udp;
	} v4;
	struct {
		struct ipv6hdr ip;
		struct udphdr udp;
	} v6;

	if (skb->protocol == htons(ETH_P_IP))
		return !skb_copy_bits(skb, ETH_HLEN, &v4, sizeof(v4)) &&
		       v4.ip.protocol == IPPROTO_UDP &&
		       v4.udp.dest == htons(ROCE_UDP_PORT);
	if (skb->protocol == htons(ETH_P_IPV6))
		return !skb_copy_bits(skb, ETH_HLEN, &v6, sizeof(v6)) &&
		       v6.ip.nexthdr == IPPROTO_UDP &&
		       v6.udp.dest == htons(ROCE_UDP_PORT);
	return false;
}

/* Raises a completion vector of the receiver, or all, through its emulated function. */
static void raise_vector(struct labnic *nic)
{
	u32 each = READ_ONCE(nic->knobs.irq_frames);
	u32 frames = ++nic->frames;

	if (!each)
		writel(E1000_COMPLETIONS, nic->bar + E1000_ICS);
	else if (frames % each == 0)
		writel(BIT(20 + frames / each % COMPLETION_VECTORS), nic->bar + E1000_ICS);
}

static void mark_congestion(struct labnic *to, struct sk_buff *skb, u8 prio)
{
	if (skb_ensure_writable(skb, min_t(int, skb->len, ETH_HLEN + sizeof(struct ipv6hdr))))
		return;
	skb_set_network_header(skb, ETH_HLEN);
	if (INET_ECN_set_ce(skb))
		to->prio[prio].rx_marked++;
}

/* Stops the priority if both ends have it lossless, else the link if they agreed on that. */
static bool pause_sender(struct labnic *from, struct labnic *to, u8 prio)
{
	u32 us = READ_ONCE(to->knobs.pause_us);

	if (from->pfc.pfc_en & to->pfc.pfc_en & BIT(prio)) {
		to->prio[prio].tx_pause++;
		to->prio[prio].tx_pause_us += us;
		from->prio[prio].rx_pause++;
		from->prio[prio].rx_pause_us += us;
	} else if (to->pause.tx_pause && from->pause.rx_pause) {
		to->port.tx_pause++;
		to->port.tx_pause_us += us;
		from->port.rx_pause++;
		from->port.rx_pause_us += us;
	} else {
		return false;
	}
	udelay(PAUSE_DELAY_US);
	return true;
}

/* A receiver short of buffers: pauses the sender, or loses the frame, or both. */
static bool lost_at_receiver(struct labnic *from, struct labnic *to, u8 prio)
{
	u8 buffer = to->buffer.prio2buffer[prio];

	if (pause_sender(from, to, prio) && to->buffer.buffer_size[buffer] >= HEADROOM_BYTES)
		return false;
	to->prio[prio].rx_discards++;
	to->port.rx_discards++;
	return true;
}

static void deliver(struct labnic *from, struct labnic *to, struct sk_buff *skb, u8 prio, bool roce)
{
	unsigned int len = skb->len;

	if (roce) {
		if (chance(to->knobs.cut_ppm)) {
			kfree_skb(skb);
			return;
		}
		if (chance(to->knobs.damage_ppm)) {
			to->port.rx_damaged++;
			kfree_skb(skb);
			return;
		}
		if (chance(to->knobs.loss_ppm) && lost_at_receiver(from, to, prio)) {
			kfree_skb(skb);
			return;
		}
		if (chance(to->knobs.ecn_ppm))
			mark_congestion(to, skb, prio);
		to->port.rx_rdma_packets++;
		to->port.rx_rdma_bytes += len;
	}
	to->prio[prio].rx_packets++;
	to->prio[prio].rx_bytes += len;
	dev_forward_skb(to->dev, skb);
	raise_vector(to);
}

static netdev_tx_t labnic_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct labnic *from = netdev_priv(dev);
	struct labnic *to;
	bool roce;
	u8 prio;

	/* The headers that classification reads; short frames are never IP. */
	pskb_may_pull(skb, min_t(int, skb->len, ETH_HLEN + sizeof(struct ipv6hdr)));
	prio = frame_priority(from, skb);
	from->prio[prio].tx_packets++;
	from->prio[prio].tx_bytes += skb->len;
	roce = frame_is_roce(skb);
	if (roce) {
		from->port.tx_rdma_packets++;
		from->port.tx_rdma_bytes += skb->len;
	}

	rcu_read_lock();
	to = rcu_dereference(from->peer);
	if (to && netif_carrier_ok(to->dev))
		deliver(from, to, skb, prio, roce);
	else
		kfree_skb(skb);
	rcu_read_unlock();
	return NETDEV_TX_OK;
}

static int labnic_open(struct net_device *dev)
{
	netif_start_queue(dev);
	return 0;
}

static int labnic_stop(struct net_device *dev)
{
	netif_stop_queue(dev);
	return 0;
}

static void labnic_stats64(struct net_device *dev, struct rtnl_link_stats64 *out)
{
	const struct labnic *nic = netdev_priv(dev);
	int i;

	for (i = 0; i < LABNIC_PRIOS; i++) {
		out->rx_packets += nic->prio[i].rx_packets;
		out->rx_bytes += nic->prio[i].rx_bytes;
		out->tx_packets += nic->prio[i].tx_packets;
		out->tx_bytes += nic->prio[i].tx_bytes;
	}
	out->rx_crc_errors = nic->port.rx_damaged;
	out->rx_errors = nic->port.rx_damaged;
	out->rx_missed_errors = nic->port.rx_discards;
}

const struct net_device_ops labnic_netdev_ops = {
	.ndo_open		= labnic_open,
	.ndo_stop		= labnic_stop,
	.ndo_start_xmit		= labnic_xmit,
	.ndo_get_stats64	= labnic_stats64,
	.ndo_validate_addr	= eth_validate_addr,
	.ndo_set_mac_address	= eth_mac_addr,
};
