# The link goes down and comes back several times.
group=check boot=shared expect=link-flap exit=2
passing=port-no-carrier # when the look falls into a moment without

traffic() {
	while :; do
		knob "$port_a" carrier 0
		pause 0.1
		knob "$port_a" carrier 1
		pause 0.3
	done
}

traffic_ready() { :; }

prove() {
	proves_moved "$port_a" carrier_down_count 3
	proves_moved "$port_a" link_down_events_phy 3
}

heal() {
	knob "$port_a" carrier 1
}
