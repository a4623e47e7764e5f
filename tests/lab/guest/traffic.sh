# Sourced in the guest: RDMA load, what it moved, and proofs from the kernel's own interfaces.

# Sets the prefix "pinned" that runs a command on the CPUs and memory of a NUMA node; the card sits on
# node 1. Load gives way to everything else, or its polling would starve a slow machine.
pin_to() {
	pinned=(nice -n 19 numactl --cpunodebind="$1" --membind="$1")
}

# Whether a server waits on this port for the tool's own exchange.
listening() {
	local listens
	printf -v listens ':%04X [0-9A-F]+:0000 0A' "$1"
	[[ $(</proc/net/tcp)$(</proc/net/tcp6) =~ $listens ]]
}

listening_for_rdma_cm() {
	rdma resource show cm_id | grep -q "state LISTEN"
}

# Writes from mlx5_0 to mlx5_1 until killed. A run that dies of the fault is started again.
#   write_traffic NODE PERFTEST_OPTION...
# Pipelined small writes: on ping-pong traffic a lost packet shows in fewer counters.
write_traffic() {
	local port=18515 pinned server_pid
	pin_to "$1"
	shift
	local options=(-F -s 4096 -t 32 -D 60 -u 18 "$@")
	# rdma_cm (-R) finds the device by the address; otherwise the address is only for TCP.
	local server=(-d mlx5_1 -x 1) client=(-d mlx5_0 -x 1 127.0.0.1) waits=listening
	case " $* " in
	*" -R "*) server=() client=("$address_b") waits=listening_for_rdma_cm ;;
	esac
	while :; do
		"${pinned[@]}" ib_write_bw -p "$port" "${options[@]}" "${server[@]}" &
		server_pid=$!
		until "$waits" "$port"; do
			pause 0.1
		done
		"${pinned[@]}" ib_write_bw -p "$port" "${options[@]}" "${client[@]}" ||
			kill "$server_pid" || true
		wait
		port=$((port + 1))
	done >"$out/traffic" 2>&1
}

# Queue pairs of the tool rcpair, for what perftest does not do.
rcpair() { # MODE OPTION...
	local pinned
	pin_to 1
	"${pinned[@]}" "$LAB_BUILD/rcpair" "$1" --tclass "$roce_tos" "${@:2}" >>"$out/traffic"
}

# Pipelined writes without polling, 2,400 packets a second: perftest takes long to start and leaves no
# processor to the rest. A run that dies of the fault is started again.
stream_traffic() { # RCPAIR_OPTION...
	until rcpair stream --timeout 18 --retry 7 "$@"; do
		echo "once more" >>"$out/traffic"
	done
}

# Waits until the background load has said something.
wait_for_output() { # PATTERN
	local until=$((SECONDS + 60))
	until grep -q "$1" "$out/traffic"; do
		if [ "$SECONDS" -ge "$until" ]; then
			echo "no traffic: nothing like '$1' in its output" >&2
			return 1
		fi
		pause 0.1
	done 2>/dev/null
}

# Waits until the background load really is on the wire.
wait_for_traffic() {
	local start sent until=$((SECONDS + 60))
	read -r start <"/sys/class/net/$port_a/statistics/tx_packets"
	while [ "$SECONDS" -lt "$until" ]; do
		read -r sent <"/sys/class/net/$port_a/statistics/tx_packets"
		[ $((sent - start)) -lt 200 ] || return 0
		pause 0.1
	done
	echo "no traffic: $((sent - start)) frames" >&2
	return 1
}

# "SOURCE COUNTER VALUE" a line.
counters() {
	local port device file name value
	for port in $ports; do
		ethtool -S "$port" >"$out/ethtool"
		while read -r name value; do
			[[ $value != [0-9]* ]] || echo "$port ${name%:} $value"
		done <"$out/ethtool"
		read -r value <"/sys/class/net/$port/carrier_down_count"
		echo "$port carrier_down_count $value"
	done
	for device in $mlx5_devices; do
		for file in "/sys/class/infiniband/$device"/ports/1/hw_counters/*; do
			[ -e "$file" ] || continue
			read -r value <"$file"
			echo "$device ${file##*/} $value"
		done
	done
}

# What moved while check ran, into the array "moved" and the file "moved".
declare -A moved
count_moves() {
	local source name value old
	local -A before
	while read -r source name value; do
		before[$source $name]=$value
	done <"$out/before"
	while read -r source name value; do
		old=${before[$source $name]:-}
		[ -n "$old" ] || continue
		moved[$source $name]=$((value - old))
		[ "${moved[$source $name]}" = 0 ] || echo "$source $name +${moved[$source $name]}"
	done <"$out/after" >"$out/moved"
}

# Each of these ends the proof when the kernel does not show the fault.
proves_moved() { # SOURCE COUNTER [AT_LEAST]
	local by=${moved[$1 $2]:-none}
	echo "proof: $1 $2 +$by"
	[ "$by" != none ] && [ "$by" -ge "${3:-1}" ]
}

proves_still() { # SOURCE COUNTER
	echo "proof: $1 $2 +${moved[$1 $2]:-none}"
	[ "${moved[$1 $2]:-none}" = 0 ]
}

proves_value() { # FILE EXPECTED
	local found
	read -r found <"$1"
	echo "proof: $1 = $found"
	[ "$found" = "$2" ]
}

# "! command" would end nothing, whatever the command says: the shell's "set -e" passes over what is negated.
proves_fails() { # COMMAND...
	if "$@"; then
		echo "proof: did not fail: $*"
		return 1
	fi
	echo "proof: fails as it should: $*"
}

proves_no_text() { # PATTERN, not to be found on standard input
	local found
	if found=$(grep -E -- "$1"); then
		echo "proof: there is ${found%%$'\n'*}"
		return 1
	fi
	echo "proof: nothing like '$1'"
}

# Reads all there is, or what writes it would die of a closed pipe.
proves_text() { # PATTERN, to be found on standard input
	local found
	found=$(grep -E -- "$1") || found="nothing like '$1'"
	echo "proof: ${found%%$'\n'*}"
	[ "$found" != "nothing like '$1'" ]
}
