# Reading one attribute of the card sleeps uninterruptibly for half a minute, like a driver waiting
# for its firmware. check must give that fact up and still answer in time.
group=check boot=own expect=any exit=any max_seconds=7 gap="wire_trust timed out"
deadline=5s

fault() {
	local port
	for port in $ports; do
		knob "$port" ofed 1
		knob "$port" hang_ms 30000
	done
}

traffic() {
	exec cat "/sys/class/net/$port_a/qos/trust"
}

traffic_ready() {
	pause 0.3
}

prove() {
	proves_text 'State:.D' <"/proc/$load/status"
	ip link show "$port_a" | proves_text "$port_a"
}
