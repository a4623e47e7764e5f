// SPDX-License-Identifier: GPL-2.0
/*
 * The attribute vendor drivers add: /sys/class/net/IF/qos/trust. Its read can
 * be made to sleep like a driver waiting for its firmware, uninterruptibly and
 * without holding RTNL.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sysfs.h>

#include "labnic.h"

static bool ofed;
module_param(ofed, bool, 0400);
MODULE_PARM_DESC(ofed, "offer the sysfs attributes of the vendor's own driver package");

static ssize_t trust_show(struct device *device, struct device_attribute *attr, char *buf)
{
	struct labnic *nic = netdev_priv(to_net_dev(device));
	u32 hang_ms = READ_ONCE(nic->knobs.hang_ms);

	if (hang_ms) {
		unsigned long left = msecs_to_jiffies(hang_ms);

		while (left)
			left = schedule_timeout_uninterruptible(left);
	}
	return sysfs_emit(buf, "%s\n", READ_ONCE(nic->trust_dscp) ? "dscp" : "pcp");
}
static DEVICE_ATTR_RO(trust);

static struct attribute *qos_attrs[] = {
	&dev_attr_trust.attr,
	NULL
};

static const struct attribute_group qos_group = {
	.name	= "qos",
	.attrs	= qos_attrs,
};

/* Before the netdev is registered, which creates the group with it. */
void labnic_sysfs_init(struct labnic *nic)
{
	if (ofed)
		nic->dev->sysfs_groups[0] = &qos_group;
}
