# How soon the daemon tells of a port that has lost its carrier: an alert, and a row in its store.
# The aim is a median of 50 ms for both, which is printed; an emulated machine with neighbours is held to a second.
group=daemon boot=shared expect=none exit=0
. "$(dirname "${BASH_SOURCE[0]}")/../guest/daemon.sh"

prove() {
	without_rule link-flap "each loss of the carrier is to be an alert of its own"
	configure_daemon auto
	python3 "$guest/daemon_latency.py" "$daemon_program" "$daemon_config" "$daemon_store" \
		"$knobs/$port_a/carrier" "$port_a" $((3 + 2 * LAB_ROUNDS)) 1000
}

heal() {
	knob "$port_a" carrier 1
	rm /etc/rdmadoctor/rules.d/lab-link-flap.toml
}
