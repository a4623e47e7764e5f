# The two ends do not agree on how to bring the link up.
group=check boot=shared expect=fec-or-autoneg-mismatch exit=2

traffic() {
	knob "$port_a" link_reason 1	# training failure
	knob "$port_a" carrier 0
	sleep 1000
}

traffic_ready() {
	pause 0.5
}

prove() {
	ethtool "$port_a" | proves_text 'Link detected: no \(Link training failure'
	proves_value "/sys/class/net/$port_a/carrier" 0
}

heal() {
	knob "$port_a" carrier 1
	knob "$port_a" link_reason 6	# no cable
}
