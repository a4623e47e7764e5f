# The card waits for the host to take what it writes, most of the time.
group=check boot=shared expect=host-pcie-backpressure exit=2

fault() {
	knob "$port_b" stalled_wr 60
	knob "$port_b" loss_ppm 50000
}

traffic() {
	stream_traffic
}

prove() {
	ethtool -S "$port_b" | proves_text 'outbound_pci_stalled_wr: 60'
	proves_moved "$port_b" tx_prio3_pause 50
}

heal() {
	knob "$port_b" loss_ppm 0
	knob "$port_b" stalled_wr 0
}
