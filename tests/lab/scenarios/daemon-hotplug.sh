# Devices go and come, and addresses change by the thousand, under a daemon that holds contexts: it is never in the way, loses nothing and
# does not grow.
group=daemon boot=own expect=none exit=0
. "$(dirname "${BASH_SOURCE[0]}")/../guest/daemon.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../guest/events.sh"

held() { # DEVICE
	rdma resource show ctx dev "$1" | grep -q rdmadoctord
}

held_again() { # DEVICE
	local try
	for try in {1..100}; do
		! held "$1" || return 0
		pause 0.1
	done
	echo "proof: the daemon does not hold $1 after $try tries"
	return 1
}

total() { # SOURCE NAME SUBJECT EXPECTED
	local found
	found=$(python3 "$guest/ask.py" "$daemon_socket" --total "$1" "$2" "$3")
	echo "proof: $1 $2 $3: $found of $4"
	[ "$found" = "$4" ]
}

prove() {
	local round before
	start_daemon always
	for round in 1 2 3; do
		held_again mlx5_0
		remove_in_time mlx5_0
		rdma link add mlx5_0 type rxe netdev "$port_a"
	done
	held_again mlx5_0
	pause 2
	before=$(resident_kb)
	addresses add | ip -batch -
	addresses del | ip -batch -
	pause 4 # a flush, and some sweeps
	total address added "$port_a" 1000
	total address removed "$port_a" 1000
	total verbs GID_CHANGE mlx5_0/1 2000
	echo "proof: resident before $before kB, after $(resident_kb) kB"
	[ "$(resident_kb)" -le $((before + 8192)) ]
	end_daemon
	proves_no_text 'lost|stuck|overrun' <"$out/daemon.log"
}

heal() {
	set_default_tos "$roce_tos"
}
