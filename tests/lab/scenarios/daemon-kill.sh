# The daemon is killed at random moments while addresses come and go: twice LAB_ROUNDS times.
group=daemon boot=shared expect=none exit=0
. "$(dirname "${BASH_SOURCE[0]}")/../guest/daemon.sh"

prove() {
	configure_daemon never
	python3 "$guest/daemon_kill.py" "$daemon_program" "$daemon_config" "$daemon_store" "$port_a" $((2 * LAB_ROUNDS))
}
