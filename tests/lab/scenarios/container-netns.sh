# A container sees the RDMA devices, but has a network of its own, in which they have no address.
group=check boot=shared expect=gid-empty-in-container exit=2
within=(ip netns exec lab)

fault() {
	ip netns add lab
}

prove() {
	"${within[@]}" cat /sys/class/infiniband/mlx5_0/ports/1/state | proves_text ACTIVE
	"${within[@]}" ip -br link | proves_no_text "$port_a|$port_b"
	rdma system show | proves_text 'netns shared'
}

heal() {
	ip netns del lab
}
