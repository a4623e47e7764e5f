// SPDX-License-Identifier: GPL-2.0
/*
 * The attributes the vendor's own driver package adds below /sys/class/net/IF:
 * qos/trust, whose read can be made to sleep like a driver waiting for its
 * firmware, uninterruptibly and without holding RTNL, and ecn/, the switches of
 * congestion control.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kobject.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sysfs.h>

#include "labnic.h"

static DEFINE_MUTEX(ofed_lock);

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

/* From IF/ecn/SIDE/enable. */
static struct labnic_ecn *ecn_of(struct kobject *enable)
{
	struct kobject *netdev = enable->parent->parent->parent;
	struct labnic *nic = netdev_priv(to_net_dev(kobj_to_dev(netdev)));

	return nic->ecn[0].enable == enable ? &nic->ecn[0] : &nic->ecn[1];
}

static ssize_t enable_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf);
static ssize_t enable_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count);

/* One file a priority, named by its number. */
static struct kobj_attribute enable_attrs[LABNIC_PRIOS] = {
#define ENABLE(number) __ATTR(number, 0644, enable_show, enable_store)
	ENABLE(0), ENABLE(1), ENABLE(2), ENABLE(3), ENABLE(4), ENABLE(5), ENABLE(6), ENABLE(7)
#undef ENABLE
};

static const struct attribute *enable_list[] = {
	&enable_attrs[0].attr, &enable_attrs[1].attr, &enable_attrs[2].attr, &enable_attrs[3].attr,
	&enable_attrs[4].attr, &enable_attrs[5].attr, &enable_attrs[6].attr, &enable_attrs[7].attr,
	NULL
};

static ssize_t enable_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	u8 priorities = READ_ONCE(ecn_of(kobj)->priorities);

	return sysfs_emit(buf, "%d\n", !!(priorities & BIT(attr - enable_attrs)));
}

static ssize_t enable_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	struct labnic_ecn *ecn = ecn_of(kobj);
	u8 bit = BIT(attr - enable_attrs);
	bool on;
	int err;

	err = kstrtobool(buf, &on);
	if (err)
		return err;
	mutex_lock(&ofed_lock);
	WRITE_ONCE(ecn->priorities, on ? ecn->priorities | bit : ecn->priorities & ~bit);
	mutex_unlock(&ofed_lock);
	return count;
}

static int ecn_add_side(struct labnic *nic, struct labnic_ecn *ecn, const char *name)
{
	ecn->priorities = ~0;
	ecn->dir = kobject_create_and_add(name, nic->ecn_dir);
	if (!ecn->dir)
		return -ENOMEM;
	ecn->enable = kobject_create_and_add("enable", ecn->dir);
	if (!ecn->enable)
		return -ENOMEM;
	return sysfs_create_files(ecn->enable, enable_list);
}

static void ofed_remove(struct labnic *nic)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(nic->ecn); i++) {
		kobject_put(nic->ecn[i].enable);
		kobject_put(nic->ecn[i].dir);
		nic->ecn[i] = (struct labnic_ecn){ };
	}
	kobject_put(nic->ecn_dir);
	nic->ecn_dir = NULL;
	sysfs_remove_group(&nic->dev->dev.kobj, &qos_group);
}

static int ofed_add(struct labnic *nic)
{
	int err;

	err = sysfs_create_group(&nic->dev->dev.kobj, &qos_group);
	if (err)
		return err;
	nic->ecn_dir = kobject_create_and_add("ecn", &nic->dev->dev.kobj);
	err = nic->ecn_dir ? ecn_add_side(nic, &nic->ecn[0], "roce_np") : -ENOMEM;
	if (!err)
		err = ecn_add_side(nic, &nic->ecn[1], "roce_rp");
	if (err)
		ofed_remove(nic);
	return err;
}

int labnic_ofed_set(struct labnic *nic, bool on)
{
	int err = 0;

	mutex_lock(&ofed_lock);
	if (on && !nic->ofed)
		err = ofed_add(nic);
	else if (!on && nic->ofed)
		ofed_remove(nic);
	if (!err)
		nic->ofed = on;
	mutex_unlock(&ofed_lock);
	return err;
}
