# Queue pairs run into the retry limit under the daemon: an event says how many, and whose they are.
group=daemon boot=shared expect=none exit=0
. "$(dirname "${BASH_SOURCE[0]}")/../guest/daemon.sh"

prove() {
	local try
	start_daemon never
	knob "$port_b" cut_ppm 1000000
	rcpair fail --count 400 --every-ms 400 &
	for try in {1..120}; do
		! kept "/v1/events?limit=100" >"$out/events.json" || ! grep -q '"source": "qp"' "$out/events.json" || break
		pause 0.5
	done
	pkill -KILL rcpair
	while pgrep -x rcpair >/dev/null; do
		pause 0.2
	done
	proves_text '"details": "queue_pairs=[0-9]+ before=0 lqpn=[0-9]+ pid=[0-9]+ process=rcpair' <"$out/events.json"
	end_daemon
}

heal() {
	knob "$port_b" cut_ppm 0
}
