// SPDX-License-Identifier: GPL-2.0
/* Knobs of a test: /sys/kernel/debug/labnic/IF/KNOB. */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "labnic.h"

static struct dentry *root;

static int carrier_get(void *data, u64 *value)
{
	struct labnic *nic = data;

	*value = netif_carrier_ok(nic->dev);
	return 0;
}

static int carrier_set(void *data, u64 value)
{
	labnic_carrier_set(data, value);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(carrier_fops, carrier_get, carrier_set, "%llu\n");

static int temp_get(void *data, u64 *value)
{
	struct labnic *nic = data;

	*value = nic->temp;
	return 0;
}

static int temp_set(void *data, u64 value)
{
	if (value > 127)
		return -EINVAL;
	labnic_module_heat(data, value);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(temp_fops, temp_get, temp_set, "%llu\n");

static int ofed_get(void *data, u64 *value)
{
	struct labnic *nic = data;

	*value = nic->ofed;
	return 0;
}

static int ofed_set(void *data, u64 value)
{
	return labnic_ofed_set(data, value);
}
DEFINE_DEBUGFS_ATTRIBUTE(ofed_fops, ofed_get, ofed_set, "%llu\n");

static int max_speed_get(void *data, u64 *value)
{
	struct labnic_link *link = data;

	*value = link->max_speed;
	return 0;
}

static int max_speed_set(void *data, u64 value)
{
	struct labnic_link *link = data;

	if (value < 1 || value > 6)
		return -EINVAL;
	WRITE_ONCE(link->max_speed, value);
	labnic_shadow_link_changed(link);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(max_speed_fops, max_speed_get, max_speed_set, "%llu\n");

/* What tools can set, in one read: starting one of them takes a tenth of a second here. */
static int settings_show(struct seq_file *file, void *unused)
{
	const struct labnic *nic = file->private;
	int i;

	seq_printf(file, "pfc %02x delay %u dcbx %02x pause %u%u fec %x devctl %04x coalesce %u %u\n",
		   nic->pfc.pfc_en, nic->pfc.delay, nic->dcbx, nic->pause.rx_pause,
		   nic->pause.tx_pause, nic->fec.fec, nic->endpoint.devctl,
		   nic->coalesce.use_adaptive_rx_coalesce, nic->coalesce.rx_coalesce_usecs);
	for (i = 0; i < LABNIC_PRIOS; i++)
		seq_printf(file, "priority %d class %u buffer %u of %u\n", i, nic->ets.prio_tc[i],
			   nic->buffer.prio2buffer[i], nic->buffer.buffer_size[i]);
	seq_printf(file, "trust dscp %u:", nic->trust_dscp);
	for (i = 0; i < LABNIC_DSCPS; i++)
		seq_printf(file, " %u", nic->dscp2prio[i]);
	seq_puts(file, "\n");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(settings);

static void add_link(struct labnic *nic, struct labnic_link *link, const char *names[4])
{
	debugfs_create_u32(names[0], 0600, nic->debugfs, &link->speed);
	debugfs_create_u32(names[1], 0600, nic->debugfs, &link->width);
	debugfs_create_file_unsafe(names[2], 0600, nic->debugfs, link, &max_speed_fops);
	debugfs_create_u32(names[3], 0600, nic->debugfs, &link->max_width);
}

void labnic_debugfs_add(struct labnic *nic)
{
	static const char *endpoint[] = {
		"ep_speed", "ep_width", "ep_max_speed", "ep_max_width"
	};
	static const char *root_port[] = {
		"rp_speed", "rp_width", "rp_max_speed", "rp_max_width"
	};
	struct labnic_knobs *knobs = &nic->knobs;
	struct dentry *dir;

	dir = debugfs_create_dir(nic->dev->name, root);
	nic->debugfs = dir;
	debugfs_create_u32("loss_ppm", 0600, dir, &knobs->loss_ppm);
	debugfs_create_u32("cut_ppm", 0600, dir, &knobs->cut_ppm);
	debugfs_create_u32("ecn_ppm", 0600, dir, &knobs->ecn_ppm);
	debugfs_create_u32("damage_ppm", 0600, dir, &knobs->damage_ppm);
	debugfs_create_u32("pause_us", 0600, dir, &knobs->pause_us);
	debugfs_create_u32("irq_frames", 0600, dir, &knobs->irq_frames);
	debugfs_create_u32("link_reason", 0600, dir, &knobs->link_reason);
	debugfs_create_u32("hang_ms", 0600, dir, &knobs->hang_ms);
	debugfs_create_u64("stalled_rd", 0600, dir, &knobs->stalled_rd);
	debugfs_create_u64("stalled_wr", 0600, dir, &knobs->stalled_wr);
	debugfs_create_u64("corrected_bits", 0600, dir, &knobs->corrected_bits);
	debugfs_create_u64("corrected_blocks", 0600, dir, &knobs->corrected_blocks);
	debugfs_create_u64("uncorrectable_blocks", 0600, dir, &knobs->uncorrectable_blocks);
	debugfs_create_u64("out_of_buffer", 0600, dir, &knobs->out_of_buffer);
	debugfs_create_file_unsafe("temp", 0600, dir, nic, &temp_fops);
	debugfs_create_file_unsafe("ofed", 0600, dir, nic, &ofed_fops);
	debugfs_create_file_unsafe("carrier", 0600, dir, nic, &carrier_fops);
	debugfs_create_file("settings", 0400, dir, nic, &settings_fops);
	add_link(nic, &nic->endpoint, endpoint);
	add_link(nic, &nic->root_port, root_port);
}

void labnic_debugfs_remove(struct labnic *nic)
{
	debugfs_remove_recursive(nic->debugfs);
}

void labnic_debugfs_init(void)
{
	root = debugfs_create_dir("labnic", NULL);
}

void labnic_debugfs_exit(void)
{
	debugfs_remove_recursive(root);
}
