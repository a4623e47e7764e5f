# Sourced by scenarios, in the guest: rdmadoctord, found beside the program, and what it has said and kept.

# The store is $daemon_store, where the scenario says so. The least time between flushes, no damping, and an alert is over soon: what is measured is the daemon, not its patience.
configure_daemon() { # CONTEXTS
	daemon_program=$(dirname "$LAB_BINARY")/rdmadoctord
	daemon_state=/run/daemon-$name # in memory, and no part of the results: a socket cannot be copied
	daemon_socket=$daemon_state/api.sock
	daemon_store=${daemon_store:-$daemon_state/metrics.db}
	daemon_config=$daemon_state/rdmadoctor.toml
	mkdir -p "$daemon_state"
	cat - "$config" >"$daemon_config" <<-CONFIG
		daemon.contexts = "$1"
		store.path = "$daemon_store"
		store.flush = "1s"
		api.socket = "$daemon_socket"
		api.group = "root"
		api.control = "$daemon_state/control.sock"
		alerts.flap_count = 1000
		alerts.clear_after = "1s"
	CONFIG
}

# In the background until end_daemon. What it says is in $out/daemon.log.
start_daemon() { # CONTEXTS
	configure_daemon "$1"
	: >"$out/daemon.log"
	"$daemon_program" --foreground --config "$daemon_config" 2>>"$out/daemon.log" &
	daemon_pid=$!
	local try
	for try in {1..300}; do
		[ ! -S "$daemon_socket" ] || ! kept /v1/health | grep '"done": [1-9]' || return 0
		pause 0.2
	done
	echo "proof: the daemon is not ready after $try tries: $(<"$out/daemon.log")"
	return 1
}

end_daemon() {
	local start=${EPOCHREALTIME/./}
	kill "$daemon_pid"
	wait "$daemon_pid"
	echo "proof: the daemon ended in $(((${EPOCHREALTIME/./} - start) / 1000)) ms"
}

# What the daemon answers to a question of its API.
kept() { # PATH_AND_QUERY
	python3 "$guest/ask.py" "$daemon_socket" "$1"
}

# Without starting a program, for what comes soon is to be seen soon. Says how long it took since then.
wait_for_said() { # PATTERN SINCE MOST_MS
	local took
	until [[ $(<"$out/daemon.log") =~ $1 ]]; do
		took=$(((${EPOCHREALTIME/./} - $2) / 1000))
		if [ "$took" -gt "$3" ]; then
			echo "proof: nothing like '$1' after $took ms: $(<"$out/daemon.log")"
			return 1
		fi
		pause 0.05
	done
	took=$(((${EPOCHREALTIME/./} - $2) / 1000))
	echo "proof: '${BASH_REMATCH[0]}' after $took ms of at most $3"
	[ "$took" -le "$3" ]
}

resident_kb() {
	sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$daemon_pid/status"
}
