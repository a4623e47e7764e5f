# PFC protects priority 3, but neither the applications nor a default of this host mark anything.
group=check boot=shared expect=rdma-traffic-unmarked exit=1

fault() {
	set_default_tos 0
}

traffic() {
	stream_traffic --tclass 0 --per-second 2000
}

prove() {
	proves_moved "$port_a" tx_prio0_packets 1000
	proves_still "$port_a" tx_prio3_packets
	proves_value /sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos 0
}

heal() {
	set_default_tos "$roce_tos"
}
