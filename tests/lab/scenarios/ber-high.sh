# Error correction of the link meets blocks it cannot mend.
group=check boot=shared expect=ber-high exit=2

blocks=0
traffic() {
	while :; do
		blocks=$((blocks + 10))
		knob "$port_a" uncorrectable_blocks "$blocks"
		knob "$port_a" corrected_blocks $((blocks * 1000))
		pause 0.2
	done
}

traffic_ready() { :; }

prove() {
	proves_moved "$port_a" rx_pcs_symbol_err_phy 20
	ethtool -I --show-fec "$port_a" | proves_text 'uncorrectable_blocks: [1-9]'
}

heal() {
	knob "$port_a" uncorrectable_blocks 0
	knob "$port_a" corrected_blocks 0
}
