# RDMA devices belong to one network namespace here. The interface of one was moved to another.
group=check boot=own expect=rdma-netns-exclusive-mismatch exit=1

fault() {
	rdma link delete mlx5_1
	rdma system set netns exclusive
	ip netns add lab
	ip link set "$port_b" netns lab
	ip netns exec lab ip link set "$port_b" up
	ip netns exec lab rdma link add mlx5_1 type rxe netdev "$port_b"
}

prove() {
	rdma system show | proves_text 'netns exclusive'
	rdma link show | proves_text 'link mlx5_1/1 state ACTIVE'
	[ ! -e "/sys/class/net/$port_b" ]
	ip netns exec lab ip -brief link | proves_text "^$port_b.*UP"
}
