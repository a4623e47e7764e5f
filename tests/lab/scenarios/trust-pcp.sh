# The traffic is marked with a DSCP that nobody looks at: the ports trust PCP, and untagged frames
# travel on priority 0, where PFC does not protect them.
group=check boot=shared expect=trust-pcp-while-dscp-marked exit=2

fault() {
	local port
	for port in $ports; do
		dcb_set app flush dev "$port" dscp-prio
	done
}

traffic() {
	write_traffic 1 -R -T "$roce_tos"
}

prove() {
	proves_moved "$port_a" tx_prio0_packets 100
	proves_still "$port_a" tx_prio3_packets
	proves_value /sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos "$roce_tos"
}

heal() {
	trust_dscp
}
