# Traffic relies on priority 3 being lossless, but no port has PFC: frames are discarded.
group=check boot=shared expect=pfc-disabled-on-lossless-fabric exit=2

fault() {
	set_pfc none
	knob "$port_b" loss_ppm 50000
}

traffic() {
	stream_traffic --timeout 14   # short, so that loss does not end the flow
}

prove() {
	proves_moved "$port_b" rx_prio3_discards 50
	proves_moved "$port_b" rx_discards_phy
	proves_moved mlx5_1 out_of_seq_request
}

heal() {
	knob "$port_b" loss_ppm 0
	set_pfc "$roce_prio"
}
