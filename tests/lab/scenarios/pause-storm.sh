# The receiver hangs: it holds the sender back all the time.
group=check boot=shared expect=pause-storm-host exit=2

fault() {
	knob "$port_b" pause_us 20000
	knob "$port_b" loss_ppm 500000
}

traffic() {
	stream_traffic
}

prove() {
	proves_moved "$port_b" tx_prio3_pause_duration 2000000
	proves_moved "$port_a" rx_prio3_pause_duration 2000000
	proves_still "$port_b" rx_discards_phy
}

heal() {
	knob "$port_b" loss_ppm 0
	knob "$port_b" pause_us 10
}
