# Clients connect to a port where nobody listens.
group=check boot=shared expect=cm-reject-invalid-service-id exit=1

traffic() {
	while :; do
		rping -c -a "$address_b" -p 9999 -C 1 >>"$out/traffic" 2>&1 || true
	done
}

traffic_ready() {
	wait_for_output REJECTED
}

prove() {
	proves_text 'RDMA_CM_EVENT_REJECTED, error 8' <"$out/traffic"
	proves_text '^[1-9]' </sys/class/infiniband/mlx5_1/ports/1/cm_tx_msgs/rej
	proves_text '^[1-9]' </sys/class/infiniband/mlx5_0/ports/1/cm_rx_msgs/rej
}
