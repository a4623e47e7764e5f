// SPDX-License-Identifier: GPL-2.0-or-later
// What can be asked of a live kernel beside files, and the fields of each answer. Reading any of these changes
// nothing on the host. Units are the kernel's own. Fields the kernel or driver does not give are absent.
//
//  name                      source                                         answer (records.h)
//  rtnl.link                 RTM_GETLINK dump                               one record a netdev: ifindex ifname mtu operstate(UP|DOWN|…)
//                                                                           carrier carrier_changes carrier_up carrier_down link(ifname
//                                                                           of the lower device) kind(vlan|bond|veth|…) master(ifname) address
//                                                                           type(ARPHRD number) flags(hex) vlan_id
//                                                                           vlan_egress(skb priority:PCP, with commas; absent when none)
//                                                                           rx_packets tx_packets rx_bytes tx_bytes rx_dropped rx_missed
//  rtnl.addr                 RTM_GETADDR dump                               one record an address: ifindex address prefix(length)
//                                                                           scope(global|site|link|host|N)
//  dcb.pfc/IF                DCB_CMD_IEEE_GET, struct ieee_pfc              cap enabled(mask, decimal) mbc delay
//                                                                           requests_N indications_N (N 0–7)
//  dcb.ets/IF                struct ieee_ets                                cap willing cbs prio_tc_N tc_tsa_N(strict|cbs|ets|vendor) tc_bw_N
//  dcb.app/IF                DCB_ATTR_IEEE_APP_TABLE                        one record an entry: selector(ethertype|stream-port|dgram-port|
//                                                                           any-port|dscp|pcp|N) protocol priority. No entry: empty answer
//  dcb.buffer/IF             struct dcbnl_buffer                            prio_buffer_N size_N total
//  dcb.maxrate/IF            struct ieee_maxrate                            tc_maxrate_N (kbit/s)
//  dcb.dcbx/IF               DCB_CMD_GDCBX                                  mode(decimal bits) host lld cee ieee static (0|1)
//  ethtool.driver/IF         SIOCETHTOOL GDRVINFO                           driver version firmware bus
//  ethtool.stats/IF          GSSET_INFO, GSTRINGS, GSTATS                   driver's own names: NAME=value …
//  ethtool.link/IF           netlink LINKMODES_GET + LINKSTATE_GET          speed(Mbit/s; absent when unknown) duplex autoneg lanes link
//                            (ioctl where the family is missing)            ext_state(no_cable|…) ext_substate(number) ext_down_count
//  ethtool.pause/IF          netlink PAUSE_GET (else GPAUSEPARAM)           autoneg rx tx (0|1)
//  ethtool.coalesce|rings|channels/IF                                       as named by the netlink attributes, in lower case
//  ethtool.features/IF       netlink FEATURES_GET (else GFEATURES)          one record a feature: name active wanted hw nochange (0|1)
//  ethtool.fec/IF            netlink FEC_GET (else GFECPARAM)               auto(0|1) modes active(none|rs|baser|llrs; modes with commas)
//                                                                           corrected_blocks uncorrectable_blocks corrected_bits
//  ethtool.module/IF         netlink MODULE_EEPROM_GET (else               identifier(QSFP28|OSFP|…) map(sff8472|sff8636|cmis) vendor part
//                            GMODULEEEPROM); the latched flags, which       copper(0|1) lanes temperature(°C) voltage(V) rx_power_N tx_power_N(mW)
//                            reading would clear, are left out              bias_N(mA), N from 1; of each of the five QUANTITY_high_alarm
//                                                                           _low_alarm _high_warning _low_warning
//  lldp/IF                   packet socket, EtherType 88cc; the last frame   chassis port ttl(s) port_description hostname max_frame(bytes)
//                            of the neighbour                            pfc_willing pfc_cap pfc_enabled(mask) ets_willing prio_tc_N tc_bw_N
//                                                                           applications(selector:protocol:priority,…; selectors of IEEE
//                                                                           802.1Q: 1 EtherType, 3 UDP, 4 any port, 5 DSCP) age_ms.
//                                                                           No frame yet: empty answer
//  rdma.devices              NLDEV GET dump                                 one record a device: index name ports(count) fw node_guid
//                                                                           sys_image_guid (as in sysfs) node_type(ca|rnic|…) protocol dim
//  rdma.device/DEV           the same, one device
//  rdma.port/DEV/N           NLDEV PORT_GET                                 state(number) phys_state lid sm_lid lmc cap_flags(hex) netdev ifindex
//  rdma.resources/DEV        NLDEV RES_GET                                  pd cq qp cm_id mr ctx srq (counts)
//  rdma.qp/DEV               NLDEV RES_QP_GET dump                          port lqpn rqpn type subtype state pid kern pdn sq_psn path_mig; at most
//                                                                           4,096. A table that was cut there, or that the kernel ended
//                                                                           early, has a last record truncated=1 seen=N [error=TEXT]
//                                                                           (so have the next four); pasted lines of one state are such a
//                                                                           table with whole_state=STATE
//  rdma.cm_id/DEV            NLDEV RES_CM_ID_GET dump                       port lqpn type state ps src dst (address:port) pid kern cm_idn
//  rdma.ctx/DEV              NLDEV RES_CTX_GET dump                         ctxn pid
//  rdma.cq/DEV               NLDEV RES_CQ_GET dump                          cqe(depth) users cqn ctxn pid kern
//  rdma.mr/DEV               NLDEV RES_MR_GET dump                          length(bytes) mrn pdn pid kern
//  rdma.mr_stat/DEV          NLDEV STAT_GET dump of memory regions          mrn; of regions with on-demand paging: page_faults page_invalidations
//                                                                           page_prefetch
//  rdma.stat/DEV/N           NLDEV STAT_GET, one refresh for all            counter names: NAME=value …
//  rdma.system               NLDEV SYS_GET                                  netns(shared|exclusive) copy_on_fork monitor qkey
//  pci.config/ADDRESS        libpci                                         vendor device class (hex) pcie(0|1) type(endpoint|root-port|
//                                                                           upstream|downstream|…) mps mps_max mrrs (bytes) relaxed_ordering
//                                                                           extended_tag link_speed link_speed_max (GT/s ×10) link_width
//                                                                           link_width_max target_speed acs_control. Without CAP_SYS_ADMIN
//                                                                           only 64 bytes can be read: Error no_privilege with the remedy
//  verbs.device/DEV          ibv_query_device, ibv_query_port               fw max_qp max_cq max_mr max_mr_size max_qp_wr max_sge
//                                                                           max_qp_rd_atom atomic(none|hca|glob) odp(0|1) phys_port_cnt;
//                                                                           then one record a port: port state active_mtu max_mtu (bytes)
//                                                                           link_layer active_speed(Mbit/s a lane) active_width(lanes) lid
//                                                                           gid_tbl_len
//  verbs.gids/DEV            ibv_query_gid_table                            one record an entry: port index gid type(IB|RoCEv1|RoCEv2) ifindex
//  infiniband.nodes          readdir and stat of /dev/infiniband            one record a character device: name mode(octal, 0666) uid gid
//  config.FORMAT/NAME/PATH   one setting of a configuration file, FORMAT      one record a place: at(section, or path in the tree) value.
//                            ini|yaml|toml: config.ini/ms_type/etc/ceph/      Never the rest of the file, nor what sounds like a secret;
//                            ceph.conf; settings.h                            empty when the file does not set it
//  config.mounts/PATH        a table of file systems (etc/fstab)            lines SOURCE PLACE TYPE OPTIONS of NFS and SMB, of the options
//                                                                           only those that say how: fstab.h
//  proc.env/PID              /proc/PID/environ, the variables that steer      NAME=value …, of the names that environment.cpp lists. The
//                            RDMA and no other                                environment the program was started with
//  proc.option/PID/NAME      /proc/PID/cmdline, one option (-c, --id)         one record a time it stands there: value
//  kmsg                      /dev/kmsg, non-blocking, from the oldest       one record a line: level facility seq us text [subsystem device]
//                                                                           (in copies of a log level, facility, seq and us may be absent)
//  logs                      none on a live host: logs of applications      one record a line that may matter: source(ceph|nccl|…) text
//                            come with what was pasted or collected         [us(since boot, where that is known)] [count(lines like it)]
#pragma once

#include <memory>
#include <string_view>

#include "core/host/host.h"

namespace rd {

// A reader for one live subject. The factory table in subjects.cpp is the one place where subjects are registered.
[[nodiscard]] bool is_subject(std::string_view name);  // not a path
[[nodiscard]] std::unique_ptr<Handle> open_subject(std::string_view name);

}  // namespace rd
