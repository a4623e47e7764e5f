# Both ends agreed on pausing the whole link, and a short receiver makes much use of it.
group=check boot=shared expect=global-pause-instead-of-pfc exit=1

set_pause() { # on or off
	local port
	for port in $ports; do
		ethtool -A "$port" autoneg off rx "$1" tx "$1"
	done
}

fault() {
	set_pfc none
	set_pause on
	knob "$port_b" pause_us 300
	knob "$port_b" loss_ppm 500000
}

traffic() {
	stream_traffic
}

prove() {
	proves_moved "$port_a" rx_global_pause 100
	proves_moved "$port_b" tx_global_pause_duration 30000
	proves_still "$port_b" rx_discards_phy
	ethtool -a "$port_a" | proves_text '^RX:.*on'
}

heal() {
	knob "$port_b" loss_ppm 0
	knob "$port_b" pause_us 10
	set_pause off
	set_pfc "$roce_prio"
}
