// SPDX-License-Identifier: GPL-2.0
/* Binding to the emulated function, its interrupt vectors, and the carrier. */
#include <linux/etherdevice.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>

#include "labnic.h"

/* Registers of the emulated e1000e that raise and route its MSI-X vectors. */
#define E1000_CTRL_EXT		0x18
#define E1000_CTRL_EXT_EIAME	BIT(24)
#define E1000_CTRL_EXT_PBA_CLR	BIT(31)
#define E1000_ICR		0xc0
#define E1000_IMS		0xd0
#define E1000_IMC		0xd8
#define E1000_EIAC		0xdc
#define E1000_IVAR		0xe4
#define E1000_VECTORS		0x01f00000	/* five causes, one a vector */
#define E1000_IVAR_ONE_EACH	0x0008cba9

static int pfc_flap_ms = 50;
module_param(pfc_flap_ms, int, 0600);
MODULE_PARM_DESC(pfc_flap_ms, "carrier loss on a change of PFC, in ms; 0 = none");

/* The two ends of the wire, under ports_lock. */
static struct labnic *ports[2];
static DEFINE_MUTEX(ports_lock);

static void carrier_drop(struct labnic *nic)
{
	if (!netif_carrier_ok(nic->dev))
		return;
	nic->port.link_down_events++;
	netif_carrier_off(nic->dev);
}

void labnic_carrier_set(struct labnic *nic, bool up)
{
	WRITE_ONCE(nic->cable, up);
	if (up)
		netif_carrier_on(nic->dev);
	else
		carrier_drop(nic);
}

void labnic_carrier_flap(struct labnic *nic)
{
	if (pfc_flap_ms <= 0)
		return;
	carrier_drop(nic);
	mod_delayed_work(system_wq, &nic->flap_end, msecs_to_jiffies(pfc_flap_ms));
}

static void flap_end(struct work_struct *work)
{
	struct labnic *nic = container_of(to_delayed_work(work), struct labnic, flap_end);

	if (READ_ONCE(nic->cable))
		netif_carrier_on(nic->dev);
}

static irqreturn_t labnic_irq(int irq, void *data)
{
	struct labnic *nic = data;

	readl(nic->bar + E1000_ICR);
	/* The emulation masks a cause once it fired. */
	writel(E1000_VECTORS, nic->bar + E1000_IMS);
	return IRQ_HANDLED;
}

static int labnic_vectors_init(struct labnic *nic)
{
	struct pci_dev *pdev = nic->pdev;
	int i, err;

	nic->vectors = pci_alloc_irq_vectors(pdev, 1, LABNIC_VECTORS, PCI_IRQ_MSIX | PCI_IRQ_MSI);
	if (nic->vectors < 0)
		return nic->vectors;
	for (i = 0; i < nic->vectors; i++) {
		if (i == 0)
			snprintf(nic->irq_name[i], sizeof(nic->irq_name[i]),
				 "mlx5_async0@pci:%s", pci_name(pdev));
		else
			snprintf(nic->irq_name[i], sizeof(nic->irq_name[i]),
				 "mlx5_comp%d@pci:%s", i - 1, pci_name(pdev));
		err = devm_request_irq(&pdev->dev, pci_irq_vector(pdev, i), labnic_irq, 0,
				       nic->irq_name[i], nic);
		if (err)
			return err;
	}
	writel(E1000_IVAR_ONE_EACH, nic->bar + E1000_IVAR);
	writel(E1000_VECTORS, nic->bar + E1000_EIAC);
	writel(readl(nic->bar + E1000_CTRL_EXT) | E1000_CTRL_EXT_EIAME | E1000_CTRL_EXT_PBA_CLR,
	       nic->bar + E1000_CTRL_EXT);
	writel(E1000_VECTORS, nic->bar + E1000_IMS);
	return 0;
}

static int labnic_shadow_links(struct labnic *nic)
{
	struct pci_dev *bridge = pci_upstream_bridge(nic->pdev);
	int err;

	err = labnic_shadow_add(nic->pdev, &nic->endpoint);
	if (err || !bridge)
		return err;
	err = labnic_shadow_add(bridge, &nic->root_port);
	if (err)
		labnic_shadow_remove(&nic->endpoint);
	return err;
}

static void labnic_unshadow_links(struct labnic *nic)
{
	labnic_shadow_remove(&nic->root_port);
	labnic_shadow_remove(&nic->endpoint);
}

/* Takes a free end of the wire; the second end plugs the cable in. */
static int labnic_attach(struct labnic *nic)
{
	struct labnic *other;
	int slot, err;

	mutex_lock(&ports_lock);
	slot = ports[0] ? 1 : 0;
	other = ports[!slot];
	if (ports[slot]) {
		err = -EBUSY;
		goto unlock;
	}
	snprintf(nic->dev->name, IFNAMSIZ, "ens%df0", slot + 1);
	nic->dev->name_assign_type = NET_NAME_USER;	/* keeps udev from renaming it */
	netif_carrier_off(nic->dev);
	err = register_netdev(nic->dev);
	if (err)
		goto unlock;
	ports[slot] = nic;
	if (other) {
		rcu_assign_pointer(nic->peer, other);
		rcu_assign_pointer(other->peer, nic);
		labnic_carrier_set(nic, true);
		labnic_carrier_set(other, true);
	}
unlock:
	mutex_unlock(&ports_lock);
	return err;
}

static void labnic_detach(struct labnic *nic)
{
	struct labnic *other;
	int slot;

	mutex_lock(&ports_lock);
	slot = ports[0] == nic ? 0 : 1;
	other = ports[!slot];
	ports[slot] = NULL;
	if (other) {
		RCU_INIT_POINTER(other->peer, NULL);
		labnic_carrier_set(other, false);
	}
	mutex_unlock(&ports_lock);
	/* After this no transmit path of the other end can reach us. */
	synchronize_net();
	unregister_netdev(nic->dev);
	cancel_delayed_work_sync(&nic->flap_end);
}

static int labnic_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct net_device *dev;
	struct labnic *nic;
	int err;

	err = pcim_enable_device(pdev);
	if (err)
		return err;
	err = pcim_iomap_regions(pdev, BIT(0), LABNIC_DRIVER);
	if (err)
		return err;
	pci_set_master(pdev);

	/* Managed memory outlives the managed interrupts requested after it. */
	dev = devm_alloc_etherdev(&pdev->dev, sizeof(*nic));
	if (!dev)
		return -ENOMEM;
	SET_NETDEV_DEV(dev, &pdev->dev);
	dev->netdev_ops = &labnic_netdev_ops;
	dev->ethtool_ops = &labnic_ethtool_ops;
	dev->dcbnl_ops = &labnic_dcb_ops;
	dev->max_mtu = 9978;
	dev->priv_flags |= IFF_LIVE_ADDR_CHANGE;
	eth_hw_addr_random(dev);

	nic = netdev_priv(dev);
	nic->dev = dev;
	nic->pdev = pdev;
	nic->bar = pcim_iomap_table(pdev)[0];
	nic->temp = 40;
	nic->knobs = (struct labnic_knobs){
		.pause_us = 10,
		.irq_frames = 16,
		.link_reason = ETHTOOL_LINK_EXT_STATE_NO_CABLE,
	};
	INIT_DELAYED_WORK(&nic->flap_end, flap_end);
	labnic_dcb_init(nic);
	labnic_ethtool_init(nic);
	pci_set_drvdata(pdev, nic);

	err = labnic_vectors_init(nic);
	if (err)
		goto mask;
	err = labnic_shadow_links(nic);
	if (err)
		goto mask;
	err = labnic_attach(nic);
	if (err)
		goto unshadow;
	labnic_debugfs_add(nic);
	return 0;

unshadow:
	labnic_unshadow_links(nic);
mask:
	writel(~0, nic->bar + E1000_IMC);
	return err;
}

static void labnic_remove(struct pci_dev *pdev)
{
	struct labnic *nic = pci_get_drvdata(pdev);

	labnic_debugfs_remove(nic);
	labnic_ofed_set(nic, false);
	labnic_detach(nic);
	labnic_unshadow_links(nic);
	writel(~0, nic->bar + E1000_IMC);
}

static const struct pci_device_id labnic_ids[] = {
	{ PCI_DEVICE_SUB(LABNIC_EMULATED_VENDOR, LABNIC_EMULATED_DEVICE,
			 PCI_VENDOR_ID_MELLANOX, PCI_ANY_ID) },
	{ PCI_DEVICE_SUB(LABNIC_SHOWN_VENDOR, LABNIC_SHOWN_DEVICE,
			 PCI_VENDOR_ID_MELLANOX, PCI_ANY_ID) },
	{ }
};
MODULE_DEVICE_TABLE(pci, labnic_ids);

static struct pci_driver labnic_driver = {
	.name		= LABNIC_DRIVER,
	.id_table	= labnic_ids,
	.probe		= labnic_probe,
	.remove		= labnic_remove,
};

static int __init labnic_init(void)
{
	int err;

	err = labnic_shadow_init();
	if (err)
		return err;
	labnic_debugfs_init();
	err = pci_register_driver(&labnic_driver);
	if (err) {
		labnic_debugfs_exit();
		labnic_shadow_exit();
	}
	return err;
}
module_init(labnic_init);

static void __exit labnic_exit(void)
{
	pci_unregister_driver(&labnic_driver);
	labnic_debugfs_exit();
	labnic_shadow_exit();
}
module_exit(labnic_exit);

MODULE_DESCRIPTION("Network card for testing RDMA diagnosis");
MODULE_LICENSE("GPL");
