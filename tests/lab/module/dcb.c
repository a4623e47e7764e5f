// SPDX-License-Identifier: GPL-2.0
/* Data centre bridging, with the habits of the mlx5 driver. */
#include "labnic.h"

#define BUFFER_BYTES	262144
#define CABLE_METRES	7	/* mlx5 keeps the cable length in "delay" */

void labnic_dcb_init(struct labnic *nic)
{
	int i;

	nic->dcbx = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
	nic->pfc.pfc_cap = LABNIC_PRIOS;
	nic->pfc.delay = CABLE_METRES;
	nic->ets.ets_cap = LABNIC_PRIOS;
	for (i = 0; i < LABNIC_PRIOS; i++) {
		nic->ets.prio_tc[i] = i;
		nic->ets.tc_tsa[i] = IEEE_8021QAZ_TSA_VENDOR;
	}
	nic->buffer.total_size = BUFFER_BYTES;
	nic->buffer.buffer_size[0] = BUFFER_BYTES - 128;
	for (i = 0; i < LABNIC_DSCPS; i++)
		nic->dscp2prio[i] = i >> 3;
}

static int getpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct labnic *nic = netdev_priv(dev);
	int i;

	*pfc = nic->pfc;
	for (i = 0; i < LABNIC_PRIOS; i++) {
		pfc->requests[i] = nic->prio[i].tx_pause;
		pfc->indications[i] = nic->prio[i].rx_pause;
	}
	return 0;
}

static int setpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct labnic *nic = netdev_priv(dev);
	bool changed = nic->pfc.pfc_en != pfc->pfc_en;

	nic->pfc.pfc_en = pfc->pfc_en;
	nic->pfc.mbc = pfc->mbc;
	if (pfc->delay)
		nic->pfc.delay = pfc->delay;
	/* mlx5 toggles the port when, and only when, the set changes. */
	if (changed)
		labnic_carrier_flap(nic);
	return 0;
}

static int getets(struct net_device *dev, struct ieee_ets *ets)
{
	struct labnic *nic = netdev_priv(dev);

	*ets = nic->ets;
	return 0;
}

static int setets(struct net_device *dev, struct ieee_ets *ets)
{
	struct labnic *nic = netdev_priv(dev);
	bool any = false;
	int i, sum = 0;

	for (i = 0; i < LABNIC_PRIOS; i++) {
		if (ets->prio_tc[i] >= LABNIC_PRIOS)
			return -EINVAL;
		if (ets->tc_tsa[i] == IEEE_8021QAZ_TSA_CB_SHAPER)
			return -EOPNOTSUPP;
		if (ets->tc_tsa[i] == IEEE_8021QAZ_TSA_ETS) {
			any = true;
			sum += ets->tc_tx_bw[i];
		}
	}
	if (any && sum != 100)
		return -EINVAL;
	memcpy(nic->ets.tc_tx_bw, ets->tc_tx_bw, sizeof(ets->tc_tx_bw));
	memcpy(nic->ets.tc_tsa, ets->tc_tsa, sizeof(ets->tc_tsa));
	memcpy(nic->ets.prio_tc, ets->prio_tc, sizeof(ets->prio_tc));
	return 0;
}

static int getmaxrate(struct net_device *dev, struct ieee_maxrate *maxrate)
{
	struct labnic *nic = netdev_priv(dev);

	*maxrate = nic->maxrate;
	return 0;
}

static int setmaxrate(struct net_device *dev, struct ieee_maxrate *maxrate)
{
	struct labnic *nic = netdev_priv(dev);

	nic->maxrate = *maxrate;
	return 0;
}

static int getbuffer(struct net_device *dev, struct dcbnl_buffer *buffer)
{
	struct labnic *nic = netdev_priv(dev);

	*buffer = nic->buffer;
	return 0;
}

static int setbuffer(struct net_device *dev, struct dcbnl_buffer *buffer)
{
	struct labnic *nic = netdev_priv(dev);
	u64 sum = 0;
	int i;

	for (i = 0; i < DCBX_MAX_BUFFERS; i++)
		sum += buffer->buffer_size[i];
	if (sum > nic->buffer.total_size)
		return -EINVAL;
	memcpy(nic->buffer.prio2buffer, buffer->prio2buffer, sizeof(buffer->prio2buffer));
	memcpy(nic->buffer.buffer_size, buffer->buffer_size, sizeof(buffer->buffer_size));
	return 0;
}

static bool dscp_entry(const struct dcb_app *app)
{
	return app->selector == IEEE_8021QAZ_APP_SEL_DSCP &&
	       app->protocol < LABNIC_DSCPS && app->priority < LABNIC_PRIOS;
}

/* One priority per DSCP; the first entry makes the port trust DSCP. */
static int setapp(struct net_device *dev, struct dcb_app *app)
{
	struct labnic *nic = netdev_priv(dev);
	struct dcb_app old = *app;
	bool replaced;
	int err;

	if (!dscp_entry(app))
		return -EINVAL;
	old.priority = nic->dscp2prio[app->protocol];
	replaced = !dcb_ieee_delapp(dev, &old);
	err = dcb_ieee_setapp(dev, app);
	if (err) {
		if (replaced)
			dcb_ieee_setapp(dev, &old);
		return err;
	}
	nic->dscp2prio[app->protocol] = app->priority;
	if (!replaced)
		nic->dscp_entries++;
	WRITE_ONCE(nic->trust_dscp, 1);
	return 0;
}

/* The DSCP falls to priority 0; losing the last entry means trust PCP. */
static int delapp(struct net_device *dev, struct dcb_app *app)
{
	struct labnic *nic = netdev_priv(dev);
	int err;

	if (!dscp_entry(app))
		return -EINVAL;
	if (app->priority != nic->dscp2prio[app->protocol])
		return -ENOENT;
	err = dcb_ieee_delapp(dev, app);
	if (err)
		return err;
	nic->dscp2prio[app->protocol] = 0;
	if (--nic->dscp_entries == 0)
		WRITE_ONCE(nic->trust_dscp, 0);
	return 0;
}

static u8 getdcbx(struct net_device *dev)
{
	struct labnic *nic = netdev_priv(dev);

	return nic->dcbx;
}

static u8 setdcbx(struct net_device *dev, u8 mode)
{
	struct labnic *nic = netdev_priv(dev);

	/* No firmware agent here to hand the port to. */
	if (mode & DCB_CAP_DCBX_LLD_MANAGED)
		return 1;
	nic->dcbx = mode;
	return 0;
}

const struct dcbnl_rtnl_ops labnic_dcb_ops = {
	.ieee_getpfc		= getpfc,
	.ieee_setpfc		= setpfc,
	.ieee_getets		= getets,
	.ieee_setets		= setets,
	.ieee_getmaxrate	= getmaxrate,
	.ieee_setmaxrate	= setmaxrate,
	.dcbnl_getbuffer	= getbuffer,
	.dcbnl_setbuffer	= setbuffer,
	.ieee_setapp		= setapp,
	.ieee_delapp		= delapp,
	.getdcbx		= getdcbx,
	.setdcbx		= setdcbx,
};
