// SPDX-License-Identifier: GPL-2.0
/* Memory map (SFF-8636) of the optical module: a healthy 100GBASE-SR4 QSFP28. */
#include <linux/ethtool.h>

#include "labnic.h"

#define QSFP28			0x11
#define MPO_CONNECTOR		0x0c
#define EXTENDED_COMPLIANCE	0x80
#define SR4			0x02
#define HAS_RX_TX_POWER		0x0c
#define LANES			4
#define TEMP_ALARM		75	/* degrees Celsius */
#define TEMP_WARNING		70
#define TEMP_ALARM_FLAG		BIT(7)
#define TEMP_WARNING_FLAG	BIT(5)

struct field {
	u8 page;
	u8 offset;
	u16 value;		/* big endian when two bytes wide */
	u8 bytes;
};

static const struct field fields[] = {
	{ 0, 0, QSFP28, 1 },
	{ 0, 26, 33000, 2 },			/* supply, 100 uV */
	{ 0, 128, QSFP28, 1 },
	{ 0, 130, MPO_CONNECTOR, 1 },
	{ 0, 131, EXTENDED_COMPLIANCE, 1 },
	{ 0, 192, SR4, 1 },
	{ 0, 220, HAS_RX_TX_POWER, 1 },
	/* Thresholds: high alarm, low alarm, high warning, low warning. */
	{ 3, 128, TEMP_ALARM << 8, 2 }, { 3, 130, (u16)(-5 * 256), 2 },
	{ 3, 132, TEMP_WARNING << 8, 2 }, { 3, 134, 0, 2 },
	{ 3, 144, 36300, 2 }, { 3, 146, 29700, 2 },
	{ 3, 148, 34650, 2 }, { 3, 150, 31350, 2 },
	{ 3, 176, 34673, 2 }, { 3, 178, 467, 2 },
	{ 3, 180, 17377, 2 }, { 3, 182, 933, 2 },
	{ 3, 184, 6000, 2 }, { 3, 186, 1000, 2 },
	{ 3, 188, 5500, 2 }, { 3, 190, 1500, 2 },
	{ 3, 192, 34673, 2 }, { 3, 194, 724, 2 },
	{ 3, 196, 17377, 2 }, { 3, 198, 1445, 2 },
};

static const struct {
	u8 offset;
	const char *text;
} texts[] = {
	{ 148, "RDMADOCTOR LAB  " },
	{ 168, "QSFP28-SR4-LAB  " },
	{ 196, "LAB0000000000001" },
};

static u8 module_byte(const struct labnic *nic, u8 page, u8 offset)
{
	int i;

	if (offset >= 128 && page == 0)
		for (i = 0; i < ARRAY_SIZE(texts); i++)
			if (offset >= texts[i].offset &&
			    offset < texts[i].offset + strlen(texts[i].text))
				return texts[i].text[offset - texts[i].offset];
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct field *field = &fields[i];

		/* The lower half is the same in every page. */
		if ((offset >= 128 && field->page != page) || offset < field->offset ||
		    offset >= field->offset + field->bytes)
			continue;
		return field->value >> 8 * (field->bytes - 1 - (offset - field->offset));
	}
	if (offset == 6)
		return (nic->temp > TEMP_ALARM ? TEMP_ALARM_FLAG : 0) |
		       (nic->temp > TEMP_WARNING ? TEMP_WARNING_FLAG : 0);
	if (offset == 22)
		return nic->temp;
	if (offset >= 34 && offset < 34 + 2 * LANES)	/* receive power: 1 mW */
		return offset & 1 ? 10000 & 0xff : 10000 >> 8;
	if (offset >= 42 && offset < 42 + 2 * LANES)	/* bias: 6 mA */
		return offset & 1 ? 3000 & 0xff : 3000 >> 8;
	if (offset >= 50 && offset < 50 + 2 * LANES)	/* transmit power: 1 mW */
		return offset & 1 ? 10000 & 0xff : 10000 >> 8;
	return 0;
}

int labnic_module_eeprom(struct net_device *dev, const struct ethtool_module_eeprom *page,
			 struct netlink_ext_ack *extack)
{
	const struct labnic *nic = netdev_priv(dev);
	u32 i;

	for (i = 0; i < page->length; i++)
		page->data[i] = module_byte(nic, page->page, page->offset + i);
	return page->length;
}

/* The firmware tells the driver when a module gets too hot, and when it is well again. */
void labnic_module_heat(struct labnic *nic, u8 degrees)
{
	bool was_hot = nic->temp > TEMP_ALARM, hot = degrees > TEMP_ALARM;

	WRITE_ONCE(nic->temp, degrees);
	if (hot && !was_hot) {
		nic->port.module_high_temp++;
		dev_err(&nic->pdev->dev,
			"Port module event[error]: module 0, Cable error, High Temperature\n");
	} else if (was_hot && !hot) {
		dev_info(&nic->pdev->dev, "Port module event: module 0, Cable plugged\n");
	}
}
