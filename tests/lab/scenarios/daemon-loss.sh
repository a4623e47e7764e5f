# Packets begin to be lost on the way: the daemon says so within two sweeps, and that it is over when they no longer are.
group=daemon boot=shared expect=none exit=0
. "$(dirname "${BASH_SOURCE[0]}")/../guest/daemon.sh"

traffic() {
	stream_traffic --timeout 14   # short, so that loss does not end the flow
}

prove() {
	configure_daemon never
	python3 "$guest/daemon_loss.py" "$daemon_program" "$daemon_config" "$daemon_store" "$daemon_socket" \
		"$knobs/$port_b/cut_ppm" 50000 roce-packet-loss "RoCE packets of this host are lost on the way" 2
}

heal() {
	knob "$port_b" cut_ppm 0
}
