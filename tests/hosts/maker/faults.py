# SPDX-License-Identifier: GPL-2.0-or-later
"""Faults of made-cx7x8-training-degraded: a different one on each card."""

from . import mlx5
from .machine import Process
from .training import FIRST_PID, NODES, traffic


def network(host):
    later = host.number

    # The rank of card 0 runs on the other socket. It was told to open its own card only: with all cards open some are near.
    host.processes[0].cpulist = NODES[1].cpulist
    for nic in host.nics[1:]:
        nic.device.contexts.remove(FIRST_PID)

    # Somebody's test, as an ordinary user with the default limit of an old distribution.
    reader = Process(FIRST_PID + 640, "ib_read_bw", NODES[0].cpulist, uid=1001, memlock=65536, capabilities=0,
                     group="/user.slice/user-1001.slice/session-4.scope")
    host.processes.append(reader)
    host.nic("mlx5_0").device.contexts.append(reader.pid)

    # The netdev was left at Ethernet's default.
    mlx5.set_mtu(host.nic("mlx5_1"), 1500)

    # Half of the lanes did not train.
    endpoint = host.nic("mlx5_2").function
    for function in host.functions:
        if endpoint.path == function.path or endpoint.path.rsplit("/", 1)[0] == function.path:
            function.width = 8

    # The map from DSCP to priority was flushed, which takes trust back to PCP: RDMA arrives on priority 0.
    unmapped = host.nic("mlx5_3")
    unmapped.dscp = {}
    unmapped.traffic.priority = 0
    unmapped.traffic.ethtool |= {name: value for name, value in traffic(3, 0).ethtool.items() if "_pause" in name}

    # The peer of one queue pair does not answer any more.
    silent = host.nic("mlx5_4")
    silent.device.qps[3].state = "ERR"
    silent.traffic.rdma |= {"local_ack_timeout_err": 1_024 + 96 * later, "req_transport_retries_exceeded": 11 + 2 * later,
                            "req_cqe_error": 11 + 2 * later, "req_cqe_flush_error": 640 + 128 * later}

    # PFC is off on one end: what the switch holds back for the others is dropped here.
    lossy = host.nic("mlx5_5")
    lossy.pfc = lossy.traffic.lossless = 0
    for name in [name for name in lossy.traffic.ethtool if "_pause" in name]:
        del lossy.traffic.ethtool[name]
    lossy.traffic.rdma |= {"out_of_sequence": 911_204 + 4_120 * later, "packet_seq_err": 402_331 + 1_911 * later,
                           "duplicate_request": 20_114 + 61 * later, "roce_adp_retrans": 1_204 + 37 * later}
    lossy.traffic.ethtool |= {"rx_discards_phy": 930_417 + 4_377 * later, "rx_prio3_discards": 930_417 + 4_377 * later}

    # A cable that comes and goes: three times between the moments, up at both.
    flapping = host.nic("mlx5_6")
    flapping.netdev.downs = 3 + 3 * later
    flapping.traffic.ethtool["link_down_events_phy"] = 3 + 3 * later
    for flap in range(3 * later):
        for state, offset in (("down", 0.2), ("up", 0.51)):
            host.say(-0.6 * flap - offset, f"mlx5_core {flapping.function.address} {flapping.netdev.name}: Link {state}",
                     flapping.function.address)

    # The driver holds the function, the RDMA device did not come up with it.
    host.nic("mlx5_7").device = None
