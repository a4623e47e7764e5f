# The card sits on NUMA node 1, its users run on node 0.
group=check boot=shared expect=numa-remote-process exit=1

traffic() {
	write_traffic 0 --tclass="$roce_tos"
}

prove() {
	proves_value "/sys/class/net/$port_a/device/numa_node" 1
	proves_text 'Cpus_allowed_list:.0$' <"/proc/$(pidof -s ib_write_bw)/status"
	rdma resource show qp | proves_text 'comm ib_write_bw'
}
