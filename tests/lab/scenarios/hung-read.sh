# Reading one attribute of the card sleeps uninterruptibly for half a minute, like a driver waiting
# for its firmware. check must give that fact up and still answer in time: within its deadline, beyond what it takes on this machine anyway.
group=check boot=own expect=any exit=any gap="wire_trust timed out"
deadline=5s

fault() {
	local port start=${EPOCHREALTIME/./}
	"$LAB_BINARY" check --json --interval 200ms --config "$config" >"$out/before.json" || true # what it finds is not the matter
	most=$(((${EPOCHREALTIME/./} - start) / 100000 + 50 + 10)) # tenths of a second
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
	local seconds
	read -r seconds <"$out/seconds"
	echo "proof: $seconds s of $((most / 10)).$((most % 10))"
	[ "${seconds/./}" -le "$most" ]
	proves_text 'State:.D' <"/proc/$load/status"
	ip link show "$port_a" | proves_text "$port_a"
}
