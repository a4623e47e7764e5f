// SPDX-License-Identifier: GPL-2.0
/*
 * Rewrites what configuration space says. The emulated function has a 2.5 GT/s
 * x1 link and ignores writes to Device Control; reads of the buses concerned
 * pass through here and show the link, the payload sizes and, on request, the
 * identity of a real card.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/version.h>

#include "labnic.h"

#define MAX_BUSES	4
#define MAX_FUNCTIONS	4
#define DEVCAP_PAYLOAD_512	2	/* largest payload the functions can take */

static uint spoof_id;
module_param(spoof_id, uint, 0400);
MODULE_PARM_DESC(spoof_id, "device << 16 | vendor to show instead of the emulated id; 0 = off");

struct hooked_bus {
	struct pci_bus *bus;
	struct pci_ops ops, *original;
	bool spoof;
};

struct shadowed_function {
	struct pci_dev *pdev;
	struct labnic_link *link;
	u16 saved_flags;
	u8 saved_speeds;
};

/*
 * Readers hold shadow_lock across the whole access, as x86 takes no lock of
 * its own around one. Buses are added under it and unhooked at module exit only.
 */
static struct hooked_bus buses[MAX_BUSES];
static struct shadowed_function functions[MAX_FUNCTIONS];
static DEFINE_RAW_SPINLOCK(shadow_lock);

static struct hooked_bus *find_bus(const struct pci_bus *bus)
{
	int i;

	for (i = 0; i < MAX_BUSES; i++)
		if (buses[i].bus == bus)
			return &buses[i];
	return NULL;
}

static struct shadowed_function *find_function(const struct pci_bus *bus, unsigned int devfn)
{
	int i;

	for (i = 0; i < MAX_FUNCTIONS; i++)
		if (functions[i].pdev && functions[i].pdev->bus == bus &&
		    functions[i].pdev->devfn == devfn)
			return &functions[i];
	return NULL;
}

/* One aligned doubleword of the PCI Express capability as it is to be seen. */
static u32 shadowed(const struct labnic_link *link, int reg, u32 value)
{
	switch (reg) {
	case PCI_EXP_DEVCAP:
		return (value & ~PCI_EXP_DEVCAP_PAYLOAD) | DEVCAP_PAYLOAD_512;
	case PCI_EXP_DEVCTL:
		return (value & 0xffff0000) | link->devctl;
	case PCI_EXP_LNKCAP:
		value &= ~(PCI_EXP_LNKCAP_SLS | PCI_EXP_LNKCAP_MLW);
		return value | link->max_speed | link->max_width << 4;
	case PCI_EXP_LNKCTL:
		value &= ~((PCI_EXP_LNKSTA_CLS | PCI_EXP_LNKSTA_NLW) << 16);
		return value | (link->speed | link->width << 4) << 16;
	case PCI_EXP_LNKCAP2:
		return (value & ~0xfeu) | ((1u << link->max_speed) - 1) << 1;
	}
	return value;
}

static u32 part_of(u32 dword, int where, int size)
{
	dword >>= (where & 3) * 8;
	return size == 4 ? dword : dword & ((1u << size * 8) - 1);
}

static int shadow_read(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 *value)
{
	struct shadowed_function *function;
	struct hooked_bus *hook;
	int aligned = where & ~3;
	unsigned long flags;
	u32 dword;
	int err;

	raw_spin_lock_irqsave(&shadow_lock, flags);
	hook = find_bus(bus);
	function = find_function(bus, devfn);
	if (function && aligned >= function->pdev->pcie_cap &&
	    aligned <= function->pdev->pcie_cap + PCI_EXP_LNKCAP2) {
		err = hook->original->read(bus, devfn, aligned, 4, &dword);
		if (!err) {
			dword = shadowed(function->link, aligned - function->pdev->pcie_cap, dword);
			*value = part_of(dword, where, size);
		}
	} else if (hook->spoof && aligned == PCI_VENDOR_ID && devfn == 0) {
		err = hook->original->read(bus, devfn, aligned, 4, &dword);
		if (!err) {
			if (dword == (LABNIC_EMULATED_DEVICE << 16 | LABNIC_EMULATED_VENDOR))
				dword = spoof_id;
			*value = part_of(dword, where, size);
		}
	} else {
		err = hook->original->read(bus, devfn, where, size, value);
	}
	raw_spin_unlock_irqrestore(&shadow_lock, flags);
	return err;
}

static int shadow_write(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 value)
{
	struct shadowed_function *function;
	unsigned long flags;
	int err;

	raw_spin_lock_irqsave(&shadow_lock, flags);
	function = find_function(bus, devfn);
	if (function && where == function->pdev->pcie_cap + PCI_EXP_DEVCTL)
		function->link->devctl = value;
	err = find_bus(bus)->original->write(bus, devfn, where, size, value);
	raw_spin_unlock_irqrestore(&shadow_lock, flags);
	return err;
}

static int hook_bus(struct pci_bus *bus, bool spoof)
{
	struct hooked_bus *hook;
	unsigned long flags;

	raw_spin_lock_irqsave(&shadow_lock, flags);
	hook = find_bus(bus);
	if (hook) {
		hook->spoof |= spoof;
		raw_spin_unlock_irqrestore(&shadow_lock, flags);
		return 0;
	}
	hook = find_bus(NULL);
	if (hook) {
		hook->original = bus->ops;
		hook->ops = *bus->ops;
		hook->ops.read = shadow_read;
		hook->ops.write = shadow_write;
		hook->spoof = spoof;
		hook->bus = bus;
	}
	raw_spin_unlock_irqrestore(&shadow_lock, flags);
	if (!hook)
		return -ENOSPC;
	pci_bus_set_ops(bus, &hook->ops);
	return 0;
}

/* Since 6.12 the PCI core keeps the speeds it saw at enumeration. */
static void set_cached_speeds(struct pci_dev *pdev, u8 speeds)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	pdev->supported_speeds = speeds;
#endif
}

static u8 cached_speeds(const struct pci_dev *pdev)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	return pdev->supported_speeds;
#else
	return 0;
#endif
}

static struct shadowed_function *function_of_link(const struct labnic_link *link)
{
	int i;

	for (i = 0; i < MAX_FUNCTIONS; i++)
		if (functions[i].link == link)
			return &functions[i];
	return NULL;
}

void labnic_shadow_link_changed(struct labnic_link *link)
{
	struct shadowed_function *function = function_of_link(link);

	if (function && function->pdev)
		set_cached_speeds(function->pdev, ((1u << link->max_speed) - 1) << 1);
}

/* Shows PDEV with a 16 GT/s x16 link and what firmware sets up: MPS 512, MRRS 512. */
int labnic_shadow_add(struct pci_dev *pdev, struct labnic_link *link)
{
	struct shadowed_function *function;
	unsigned long flags;
	int err;

	if (!pdev->pcie_cap)
		return -ENODEV;
	err = hook_bus(pdev->bus, false);
	if (err)
		return err;
	*link = (struct labnic_link){
		.speed = 4, .width = 16, .max_speed = 4, .max_width = 16,
		.devctl = PCI_EXP_DEVCTL_READRQ_512B | PCI_EXP_DEVCTL_PAYLOAD_512B |
			  PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_CERE |
			  PCI_EXP_DEVCTL_NFERE | PCI_EXP_DEVCTL_FERE | PCI_EXP_DEVCTL_URRE,
	};
	raw_spin_lock_irqsave(&shadow_lock, flags);
	function = function_of_link(NULL);
	if (function) {
		function->link = link;
		function->pdev = pdev;
		function->saved_flags = pdev->pcie_flags_reg;
		function->saved_speeds = cached_speeds(pdev);
	}
	raw_spin_unlock_irqrestore(&shadow_lock, flags);
	if (!function)
		return -ENOSPC;
	/* A version 1 capability has no second link register, hence no speeds above 5 GT/s. */
	pdev->pcie_flags_reg = (pdev->pcie_flags_reg & ~PCI_EXP_FLAGS_VERS) | 2;
	labnic_shadow_link_changed(link);
	return 0;
}

void labnic_shadow_remove(struct labnic_link *link)
{
	struct shadowed_function *function = function_of_link(link);
	unsigned long flags;

	if (!function)
		return;
	function->pdev->pcie_flags_reg = function->saved_flags;
	set_cached_speeds(function->pdev, function->saved_speeds);
	raw_spin_lock_irqsave(&shadow_lock, flags);
	function->pdev = NULL;
	function->link = NULL;
	raw_spin_unlock_irqrestore(&shadow_lock, flags);
}

/* Has the PCI core enumerate the functions with this id again. */
static int enumerate_again(u16 vendor, u16 device, bool spoof)
{
	struct pci_dev *pdev = NULL, *found[2];
	int i, count = 0, err = 0;

	while (count < ARRAY_SIZE(found) &&
	       (pdev = pci_get_subsys(vendor, device, PCI_VENDOR_ID_MELLANOX, PCI_ANY_ID, pdev)))
		found[count++] = pci_dev_get(pdev);
	pci_dev_put(pdev);
	for (i = 0; i < count; i++) {
		struct pci_bus *bus = found[i]->bus;

		if (spoof && !err)
			err = hook_bus(bus, true);
		if (!err) {
			pci_stop_and_remove_bus_device_locked(found[i]);
			pci_lock_rescan_remove();
			pci_rescan_bus(bus);
			pci_unlock_rescan_remove();
		}
		pci_dev_put(found[i]);
	}
	return err;
}

int labnic_shadow_init(void)
{
	int err = 0;

	if (spoof_id)
		err = enumerate_again(LABNIC_EMULATED_VENDOR, LABNIC_EMULATED_DEVICE, true);
	if (err)
		labnic_shadow_exit();
	return err;
}

void labnic_shadow_exit(void)
{
	int i;

	for (i = 0; i < MAX_BUSES; i++)
		if (buses[i].bus)
			pci_bus_set_ops(buses[i].bus, buses[i].original);
	/* An access under way may still run our code: none sleeps, so wait for a switch. */
	synchronize_rcu_tasks();
	if (spoof_id)
		enumerate_again(spoof_id & 0xffff, spoof_id >> 16, false);
}
