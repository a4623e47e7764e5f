// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/hosts.h"

#include "core/base/text.h"

namespace rd::collectors::test {
namespace {

// A name and its text a line; "\n" within.
void add(FakeHost& host, std::string_view text) {
    for (const std::string_view line : lines(text)) {
        const std::size_t at = line.find(": ");
        if (at == std::string_view::npos) continue;
        std::string value(line.substr(at + 2));
        for (std::size_t n = value.find("\\n"); n != std::string::npos; n = value.find("\\n"))
            value.replace(n, 2, "\n");
        host.file(line.substr(0, at), value + "\n");
    }
}

constexpr std::string_view kFiles = R"(
/sys/class/infiniband/mlx5_0/node_type: 1: CA
/sys/class/infiniband/mlx5_0/node_guid: 506b:4b03:00f4:9f1c
/sys/class/infiniband/mlx5_0/sys_image_guid: 506b:4b03:00f4:9f1c
/sys/class/infiniband/mlx5_0/fw_ver: 28.39.1002
/sys/class/infiniband/mlx5_0/board_id: MT_0000000838
/sys/class/infiniband/mlx5_0/hca_type: MT4129
/sys/class/infiniband/mlx5_0/tc/1/traffic_class: Global tclass=106
/sys/class/infiniband/mlx5_0/ports/1/state: 4: ACTIVE
/sys/class/infiniband/mlx5_0/ports/1/phys_state: 5: LinkUp
/sys/class/infiniband/mlx5_0/ports/1/rate: 400 Gb/sec (4X NDR)
/sys/class/infiniband/mlx5_0/ports/1/link_layer: Ethernet
/sys/class/infiniband/mlx5_0/ports/1/lid: 0x0
/sys/class/infiniband/mlx5_0/ports/1/sm_lid: 0x0
/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0: ens1f0
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/duplicate_request: 0
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/lifespan: 10
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/local_ack_timeout_err: 91316
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/np_cnp_sent: 17269947
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/np_ecn_marked_roce_packets: 11293938
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence: 6140236
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/rx_dct_connect: 7
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/rx_write_requests: 41
/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos: 104
/sys/class/net/ens1f0/dev_port: 0
/sys/class/net/ens1f0/ifindex: 2
/sys/class/net/ens1f0/mtu: 4200
/sys/class/net/ens1f0/operstate: up
/sys/class/net/ens1f0/carrier: 1
/sys/class/net/ens1f0/carrier_changes: 3
/sys/class/net/ens1f0/carrier_down_count: 1
/sys/class/net/ens1f0/carrier_up_count: 2
/sys/class/net/ens1f0/statistics/rx_bytes: 1000
/sys/class/net/ens1f0/statistics/tx_bytes: 2000
/sys/class/net/ens1f0/statistics/rx_packets: 10
/sys/class/net/ens1f0/statistics/tx_packets: 20
/sys/class/net/ens1f0/statistics/rx_dropped: 0
/sys/class/net/ens1f0/statistics/rx_missed_errors: 0
/sys/bus/pci/devices/0000:40:01.0/current_link_speed: 32.0 GT/s PCIe
/sys/bus/pci/devices/0000:40:01.0/max_link_speed: 32.0 GT/s PCIe
/sys/bus/pci/devices/0000:40:01.0/current_link_width: 16
/sys/bus/pci/devices/0000:40:01.0/max_link_width: 16
/sys/bus/pci/devices/0000:40:01.0/numa_node: 1
/sys/bus/pci/devices/0000:40:01.0/local_cpulist: 2-3
/sys/bus/pci/devices/0000:40:01.0/vendor: 0x8086
/sys/bus/pci/devices/0000:40:01.0/device: 0x352a
/sys/bus/pci/devices/0000:40:01.0/class: 0x060400
/sys/bus/pci/devices/0000:41:00.0/current_link_speed: 32.0 GT/s PCIe
/sys/bus/pci/devices/0000:41:00.0/max_link_speed: 32.0 GT/s PCIe
/sys/bus/pci/devices/0000:41:00.0/current_link_width: 16
/sys/bus/pci/devices/0000:41:00.0/max_link_width: 16
/sys/bus/pci/devices/0000:41:00.0/numa_node: 1
/sys/bus/pci/devices/0000:41:00.0/local_cpulist: 2-3
/sys/bus/pci/devices/0000:41:00.0/vendor: 0x15b3
/sys/bus/pci/devices/0000:41:00.0/device: 0x1021
/sys/bus/pci/devices/0000:41:00.0/class: 0x020000
/sys/devices/system/node/node0/cpulist: 0-1
/sys/devices/system/node/node1/cpulist: 2-3
/sys/devices/system/node/online: 0-1
)";

// Addresses, connections and what is beside them.
constexpr std::string_view kAddressing = R"(
/sys/class/infiniband/mlx5_0/ports/1/gids/0: fe80:0000:0000:0000:526b:4bff:fef4:9f1c
/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/0: IB/RoCE v1
/sys/class/infiniband/mlx5_0/ports/1/gids/1: fe80:0000:0000:0000:526b:4bff:fef4:9f1c
/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/1: RoCE v2
/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/1: ens1f0
/sys/class/infiniband/mlx5_0/ports/1/gids/2: 0000:0000:0000:0000:0000:ffff:0a09:0001
/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/2: IB/RoCE v1
/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/2: ens1f0
/sys/class/infiniband/mlx5_0/ports/1/gids/3: 0000:0000:0000:0000:0000:ffff:0a09:0001
/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/3: RoCE v2
/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/3: ens1f0
/sys/class/infiniband/mlx5_0/ports/1/gids/4: 0000:0000:0000:0000:0000:0000:0000:0000
/sys/class/infiniband/mlx5_0/ports/1/pkeys/0: 0xffff
/sys/class/infiniband/mlx5_0/ports/1/cm_tx_msgs/req: 12
/sys/class/infiniband/mlx5_0/ports/1/cm_tx_msgs/rep: 3
/sys/class/infiniband/mlx5_0/ports/1/cm_tx_msgs/rej: 1
/sys/class/infiniband/mlx5_0/ports/1/cm_tx_msgs/rtu: 10
/sys/class/infiniband/mlx5_0/ports/1/cm_tx_msgs/dreq: 2
/sys/class/infiniband/mlx5_0/ports/1/cm_tx_retries/req: 4
/sys/class/infiniband/mlx5_0/ports/1/cm_tx_retries/rep: 0
/sys/class/infiniband/mlx5_0/ports/1/cm_tx_retries/dreq: 1
/sys/class/infiniband/mlx5_0/ports/1/cm_rx_msgs/req: 5
/sys/class/infiniband/mlx5_0/ports/1/cm_rx_msgs/mra: 0
/sys/class/infiniband/mlx5_0/ports/1/cm_rx_msgs/rep: 10
/sys/class/infiniband/mlx5_0/ports/1/cm_rx_msgs/rej: 2
/sys/class/infiniband/mlx5_0/ports/1/cm_rx_msgs/rtu: 3
/sys/class/infiniband/mlx5_0/ports/1/cm_rx_msgs/dreq: 6
/sys/class/infiniband/mlx5_0/ports/1/cm_rx_duplicates/req: 1
/sys/class/infiniband/mlx5_0/ports/1/cm_rx_duplicates/rep: 0
/sys/class/infiniband/mlx5_0/ports/1/cm_rx_duplicates/dreq: 0
/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_mode: RoCE v2
/sys/class/infiniband_verbs/abi_version: 6
/sys/class/infiniband_verbs/uverbs0/ibdev: mlx5_0
/sys/class/net/ens1f0/device/sriov_numvfs: 2
/sys/class/net/ens1f0/device/sriov_totalvfs: 8
/proc/sys/net/core/netdev_max_backlog: 1000
/proc/sys/net/core/somaxconn: 4096
/proc/sys/net/rdma_ucm/max_backlog: 1024
/proc/sys/net/ipv4/conf/all/arp_ignore: 0
/proc/sys/net/ipv4/conf/ens1f0/arp_ignore: 1
/proc/sys/net/ipv4/conf/all/arp_announce: 2
/proc/sys/net/ipv4/conf/ens1f0/arp_announce: 0
/proc/sys/net/ipv4/conf/all/arp_filter: 0
/proc/sys/net/ipv4/conf/ens1f0/arp_filter: 0
/proc/sys/net/ipv4/conf/all/rp_filter: 0
/proc/sys/net/ipv4/conf/ens1f0/rp_filter: 2
)";

constexpr std::string_view kSubjects = R"(
rdma.devices: index=0 name=mlx5_0 ports=1 fw=28.39.1002 node_guid=506b:4b03:00f4:9f1c sys_image_guid=506b:4b03:00f4:9f1c node_type=ca protocol=roce dim=1
rdma.resources/mlx5_0: pd=4 cq=9 qp=3 cm_id=1 mr=12 ctx=2 srq=0
rdma.port/mlx5_0/1: state=4 phys_state=5 netdev=ens1f0 ifindex=2
rdma.qp/mlx5_0: port=1 lqpn=1 type=GSI state=RTS kern=ib_core\nport=1 lqpn=17 rqpn=18 type=RC state=ERR pid=4242 pdn=2\nport=1 lqpn=19 type=RC state=RTS pid=4242
rdma.ctx/mlx5_0: ctxn=1 pid=4242\nctxn=2 pid=77
rdma.stat/mlx5_0/1: rx_write_requests=41 out_of_sequence=6140236 duplicate_request=0 local_ack_timeout_err=91316 np_ecn_marked_roce_packets=11293938 np_cnp_sent=17269947 roce_adp_retrans=5 req_transport_retries_exceeded=2 rx_icrc_encapsulated=0 rx_dct_connect=7
verbs.device/mlx5_0: fw=28.39.1002 max_qp=131072 max_cq=16777216 max_mr=16777216 max_mr_size=18446744073709551615 max_qp_wr=32768 max_sge=30 max_qp_rd_atom=16 atomic=hca odp=1 phys_port_cnt=1\nport=1 state=ACTIVE active_mtu=4096 max_mtu=4096 link_layer=Ethernet
rtnl.link: ifindex=1 ifname=lo mtu=65536 operstate=UNKNOWN carrier=1 type=772\nifindex=2 ifname=ens1f0 mtu=4200 operstate=UP carrier=1 carrier_changes=3 carrier_up=2 carrier_down=1 address=02:00:00:00:00:01 type=1 flags=0x11043 rx_packets=10 tx_packets=20 rx_bytes=1000 tx_bytes=2000 rx_dropped=0 rx_missed=0
ethtool.driver/ens1f0: driver=mlx5_core version=6.1.0 firmware=28.39.1002%20(MT_0000000838) bus=0000:41:00.0
ethtool.link/ens1f0: speed=400000 duplex=full autoneg=1 lanes=4 link=1
ethtool.pause/ens1f0: autoneg=0 rx=0 tx=0
ethtool.stats/ens1f0: rx_packets=845320277 link_down_events_phy=1 rx_out_of_buffer=4 rx_crc_errors_phy=0 rx_symbol_err_phy=0 rx_discards_phy=12 rx_prio3_bytes=900 rx_prio3_packets=9 tx_prio3_bytes=1800 tx_prio3_packets=18 rx_prio3_pause=6 rx_prio3_pause_duration=70 tx_prio3_pause=8 tx_prio3_pause_duration=90 rx_prio3_buf_discard=5 rx_prio3_discards=12 rx_prio3_marked=3 rx_prio0_packets=1 rx_prio0_buf_discard=2
dcb.pfc/ens1f0: cap=8 enabled=8 mbc=0 delay=7 requests_0=0 requests_1=0 requests_2=0 requests_3=8 requests_4=0 requests_5=0 requests_6=0 requests_7=0 indications_0=0 indications_1=0 indications_2=0 indications_3=6 indications_4=0 indications_5=0 indications_6=0 indications_7=0
dcb.ets/ens1f0: cap=8 willing=0 cbs=0 prio_tc_0=0 prio_tc_1=0 prio_tc_2=0 prio_tc_3=3 prio_tc_4=0 prio_tc_5=0 prio_tc_6=6 prio_tc_7=0 tc_tsa_0=ets tc_tsa_3=ets tc_tsa_6=strict tc_bw_0=50 tc_bw_3=50 tc_bw_6=0
dcb.app/ens1f0: selector=dscp protocol=26 priority=3\nselector=dscp protocol=27 priority=3\nselector=ethertype protocol=0 priority=0\nselector=dscp protocol=48 priority=6
dcb.dcbx/ens1f0: mode=9 host=1 lld=0 cee=0 ieee=1 static=0
pci.config/0000:41:00.0: vendor=15b3 device=1021 class=0200 pcie=1 type=endpoint mps=256 mps_max=512 mrrs=4096 relaxed_ordering=1 extended_tag=1
pci.config/0000:40:01.0: vendor=8086 device=352a class=0604 pcie=1 type=root-port mps=256 mps_max=512 mrrs=512 relaxed_ordering=0
)";

constexpr std::string_view kResources = R"(
rdma.cq/mlx5_0: cqe=127 users=1 cqn=0 kern=ib_core\ncqe=4095 users=2 cqn=1 ctxn=1 pid=4242
rdma.mr/mlx5_0: length=1048576 mrn=1 pdn=2 pid=4242\nlength=4096 mrn=2 pdn=2 pid=4242\nlength=65536 mrn=3 pdn=1 kern=nvme_rdma
rdma.cm_id/mlx5_0: port=1 ps=TCP state=LISTEN src=10.9.0.1:7471 pid=4242 cm_idn=0\nport=1 lqpn=17 type=RC ps=TCP state=CONNECT src=10.9.0.1:7471 dst=10.9.0.2:40000 pid=4242 cm_idn=1
rdma.system: netns=shared copy_on_fork=1 qkey=0 monitor=0
rtnl.addr: ifindex=1 address=127.0.0.1 prefix=8 scope=host\nifindex=2 address=10.9.0.1 prefix=24 scope=global\nifindex=2 address=2001:db8::1 prefix=64 scope=global\nifindex=2 address=fe80::526b:4bff:fef4:9f1c prefix=64 scope=link
/proc/4242/cgroup: 0::/system.slice/rcpair.service
/sys/fs/cgroup/system.slice/rcpair.service/rdma.max: mlx5_0 hca_handle=max hca_object=2000
/sys/fs/cgroup/system.slice/rcpair.service/rdma.current: mlx5_0 hca_handle=1 hca_object=25
/sys/fs/cgroup/system.slice/rdma.max: mlx5_0 hca_handle=8 hca_object=4000
/sys/fs/cgroup/system.slice/rdma.current: mlx5_0 hca_handle=1 hca_object=25
)";

constexpr std::string_view kProcesses = R"(
/proc/self/status: Name:\trdmadoctor\nPid:\t77\n
/proc/77/status: Name:\trdmadoctor\nPid:\t77\n
/proc/4242/status: Name:\trcpair\nUmask:\t0022\nPid:\t4242\nVmPin:\t   16384 kB\nUid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\nCapBnd:\t000001ffffffffff\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1
/proc/4242/limits: Limit                     Soft Limit           Hard Limit           Units     \nMax file size             unlimited            unlimited            bytes     \nMax locked memory         8388608              16777216             bytes     \nMax open files            1024                 524288               files     
/proc/4242/uid_map:          0          0 4294967295
)";

// Real tabs: the table above writes them as "\t".
std::string with_tabs(std::string_view text) {
    std::string out(text);
    for (std::size_t at = out.find("\\t"); at != std::string::npos; at = out.find("\\t")) out.replace(at, 2, "\t");
    return out;
}

void add_links(FakeHost& host) {
    const std::string root = "/sys/devices/pci0000:40/0000:40:01.0", card = root + "/0000:41:00.0";
    host.link("/sys/class/infiniband/mlx5_0", card + "/infiniband/mlx5_0")
        .link("/sys/class/infiniband/mlx5_0/device", card)
        .link("/sys/class/net/ens1f0", card + "/net/ens1f0")
        .link("/sys/class/net/ens1f0/device", card)
        .link("/sys/bus/pci/devices/0000:40:01.0", root)
        .link("/sys/bus/pci/devices/0000:40:01.0/driver", "/sys/bus/pci/drivers/pcieport")
        .link("/sys/bus/pci/devices/0000:41:00.0", card)
        .link("/sys/bus/pci/devices/0000:41:00.0/driver", "/sys/bus/pci/drivers/mlx5_core")
        .directory("/sys/class/net/lo", {"ifindex"})
        .error("/sys/class/net/lo/device", absent("/sys/class/net/lo/device"));
}

HostIdentity identity() {
    HostIdentity identity;
    identity.source = "fake";
    identity.hostname = "node17";
    identity.kernel = "6.1.0-57-amd64";
    identity.machine = "x86_64";
    return identity;
}

}  // namespace

Error absent(std::string_view name) { return {Errc::not_found, std::string(name) + ": No such file or directory", {}}; }

Error denied(std::string_view name) {
    return {Errc::no_privilege, std::string(name) + ": Permission denied", "run as root"};
}

std::shared_ptr<FakeHost> roce_tree() {
    auto host = std::make_shared<FakeHost>();
    host->identity(identity());
    add(*host, kFiles);
    add(*host, kAddressing);
    host->directory("/proc/4242/fd", {"0", "1", "2"});
    host->directory("/dev", {"infiniband", "null"}).directory("/dev/infiniband", {"rdma_cm", "uverbs0"});
    add_links(*host);
    return host;
}

std::shared_ptr<FakeHost> roce_host() {
    auto host = roce_tree();
    add(*host, kSubjects);
    add(*host, kResources);
    add(*host, with_tabs(kProcesses));
    return host;
}

std::shared_ptr<FakeHost> rxe_host() {
    auto host = roce_host();
    host->gone("/sys/class/infiniband/mlx5_0").gone("rdma.devices");
    for (const std::string subject : {"rdma.resources", "rdma.port", "rdma.qp", "rdma.ctx", "rdma.cq", "rdma.mr",
                                      "rdma.cm_id", "rdma.stat", "verbs.device"}) {
        host->gone(subject);
    }
    add(*host, R"(
/sys/class/infiniband/rxe0/node_type: 1: CA
/sys/class/infiniband/rxe0/node_guid: 0200:00ff:fe00:0001
/sys/class/infiniband/rxe0/sys_image_guid: 0200:00ff:fe00:0001
/sys/class/infiniband/rxe0/fw_ver: 
/sys/class/infiniband/rxe0/parent: ens1f0
/sys/class/infiniband/rxe0/ports/1/state: 4: ACTIVE
/sys/class/infiniband/rxe0/ports/1/phys_state: 5: LinkUp
/sys/class/infiniband/rxe0/ports/1/rate: 100 Gb/sec (4X EDR)
/sys/class/infiniband/rxe0/ports/1/link_layer: Ethernet
/sys/class/infiniband/rxe0/ports/1/lid: 0x0
/sys/class/infiniband/rxe0/ports/1/sm_lid: 0x0
rdma.devices: index=0 name=rxe0 ports=1 node_guid=0200:00ff:fe00:0001 node_type=ca protocol=roce
rdma.resources/rxe0: pd=1 cq=1 qp=1 cm_id=0 mr=0 ctx=0
rdma.port/rxe0/1: state=4 phys_state=5 netdev=ens1f0
rdma.qp/rxe0: port=1 lqpn=1 type=GSI state=RTS kern=ib_core
rdma.ctx/rxe0: ctxn=1 pid=4242
rdma.stat/rxe0/1: sent_pkts=100 rcvd_pkts=200 duplicate_request=1 out_of_seq_request=2 rcvd_rnr_err=3 send_rnr_err=4 rcvd_seq_err=5 ack_deferred=6 retry_exceeded_err=7 retry_rnr_exceeded_err=8 completer_retry_err=9 send_err=10 link_downed=11
verbs.device/rxe0: max_qp=1024\nport=1 state=ACTIVE active_mtu=1024 max_mtu=4096 link_layer=Ethernet
)");
    host->link("/sys/class/infiniband/rxe0", "/sys/devices/virtual/infiniband/rxe0");
    host->error("/sys/class/infiniband/rxe0/device", absent("/sys/class/infiniband/rxe0/device"));
    return host;
}

}  // namespace rd::collectors::test
