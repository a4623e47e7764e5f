# One of the two RDMA devices the site expects is gone.
group=check boot=shared expect=rdma-device-missing exit=2

fault() {
	rdma link delete mlx5_1
}

prove() {
	rdma link show | proves_text 'link mlx5_0/1 state ACTIVE'
	rdma link show | sed -n '$=' | proves_text '^1$'
}

heal() {
	rdma link add mlx5_1 type rxe netdev "$port_b"
	set_default_tos "$roce_tos"
}
