# PFC is right, and still packets are lost on the way: nobody on this host counts them.
group=check boot=shared expect=roce-packet-loss exit=2

fault() {
	knob "$port_b" cut_ppm 50000
}

traffic() {
	stream_traffic --timeout 14   # short, so that loss does not end the flow
}

prove() {
	proves_moved mlx5_1 out_of_seq_request 10
	proves_still "$port_b" rx_discards_phy
}

heal() {
	knob "$port_b" cut_ppm 0
}
