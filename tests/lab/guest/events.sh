# Sourced by scenarios, in the guest: the events of the kernel as tests/lab/tools/events_dump.cpp prints them.

# In the background until end_events, to $out/NAME.
record_events() { # NAME EVENTS_DUMP_OPTION...
	: >"$out/$1" # there before it is looked at
	"${record_as[@]}" "$(dirname "$LAB_BINARY")/tests/events_dump" "${@:2}" >"$out/$1" &
	recorders+=($!)
	wait_for_event "$1" '^ready'
}
recorders=()
record_as=() # a command that runs it

end_events() {
	kill "${recorders[@]}"
	wait "${recorders[@]}"
	recorders=()
}

# Emulation is slow, but none of these takes seconds.
wait_for_event() { # NAME PATTERN [TIMES]
	local try found
	for try in {1..100}; do
		# 1 is none so far, 2 that the recorder has not begun its file; neither is an answer before the tries are over.
		found=$(grep -cE -- "$2" "$out/$1") || true
		if [ "$found" -ge "${3:-1}" ]; then
			echo "proof: $(grep -E -- "$2" "$out/$1" | tail -n 1)"
			return 0
		fi
		pause 0.1
	done
	echo "proof: $found of ${3:-1} like '$2' in $1 after $try tries"
	return 1
}

# What all events of a kind add up to; 0 when there is none.
total_of() { # NAME SOURCE EVENT SUBJECT
	sed -n "s|^total $2 $3 $4 ||p" "$out/$1" | grep . || echo 0
}

proves_total() { # NAME EXPECTED SOURCE EVENT SUBJECT
	local found
	found=$(total_of "$1" "${@:3}")
	echo "proof: ${*:3} $found"
	[ "$found" = "$2" ]
}

proves_at_most() { # NAME KEY MOST
	local found
	found=$(sed -n "s/^$2 //p" "$out/$1")
	echo "proof: $2 $found of at most $3"
	[ "$found" -le "$3" ]
}

# A thousand commands for "ip -batch".
addresses() { # add|del
	local i
	for i in {1..1000}; do
		echo "address $1 10.99.$((i / 250)).$((i % 250 + 1))/32 dev $port_a"
	done
}

# Its driver waits for every open context.
remove_in_time() { # DEVICE
	local start=${EPOCHREALTIME/./} took
	rdma link delete "$1"
	took=$(((${EPOCHREALTIME/./} - start) / 1000))
	echo "proof: rdma link delete $1 took $took ms"
	[ "$took" -le 1000 ]
}
