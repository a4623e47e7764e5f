#!/bin/bash
# Runs one scenario in the guest: fault, load, check, proof, heal.
#   scenario.sh NAME
# Results go to /run/lab/NAME/: exit, seconds, check.json, check.stderr, log, moved, kernel.log;
# "unproven" and "unhealed" say what went wrong.
set -euo pipefail

name=$1
guest=$(dirname "$(readlink -f "$0")")
out=/run/scenario/$name    # in memory; the share takes a round trip for every line written
config=/run/rdmadoctor.toml
. /run/lab/job
. "$guest/wiring.sh"
. "$guest/baseline.sh"
. "$guest/traffic.sh"

# Emulation on a busy machine is slow without anything hanging. The scenario about hanging reads has the default.
deadline=60s
# Between its two looks; of what does not move, no need to wait for more.
interval=
# Who runs check, and what it runs in: a command that runs another one.
as_user=0
within=()
# A scenario replaces what it needs.
fault() { :; }
prove() { :; }
heal() { :; }
. "$guest/../scenarios/$name.sh"

run_check() {
	local status=0 elapsed start
	[ "$as_user" = 0 ] || within+=(setpriv --reuid "$as_user" --regid "$as_user" --clear-groups)
	[ -n "$interval" ] || { [ -n "$load" ] && interval=1s; } || interval=200ms
	start=${EPOCHREALTIME/./}
	timeout -k 5 150 "${within[@]}" \
		"$LAB_BINARY" check --json --interval "$interval" --deadline "$deadline" --config "$config" \
		>"$out/check.json" 2>"$out/check.stderr" || status=$?
	elapsed=$(((${EPOCHREALTIME/./} - start) / 100000))
	echo "$status" >"$out/exit"
	echo "$((elapsed / 10)).$((elapsed % 10))" >"$out/seconds"
}

# The same once more as a recording, and what is said of that: it must be what was said of the live host. One file: the share takes
# its time for each.
run_recording() {
	mkdir -m 777 "$out/recording"   # whoever looks writes it
	"${within[@]}" "$LAB_BINARY" record --duration "$interval" "$out/recording/bundle.tar.zst" || echo "record: exit $?"
	mv "$out/recording/bundle.tar.zst" "$out/"
	"$LAB_BINARY" check --from "$out/bundle.tar.zst" --json --config "$config" >"$out/recorded.json" || [ $? -le 3 ]
}

phase() {
	local seconds
	read -r seconds _ </proc/uptime
	echo "$seconds s: $1"
}

stop() { # PID of a background job: the whole group, perftest included
	kill -KILL -- "-$1" 2>/dev/null || true
	# A machine that runs nothing else need not wait for what cannot be killed.
	[ "$boot" = own ] || wait "$1" 2>/dev/null || true
}

finish() {
	[ -z "$load" ] || stop "$load"
	dmesg --read-clear >"$out/kernel.log"
	cp -r "$out/." "/run/lab/$name/"
}

mkdir -p "$out"
load=
trap finish EXIT
ulimit -l unlimited
site_config >"$config"
set -m # background jobs get their own process groups, so that they can be stopped whole

phase fault
fault
wait_for_ports
phase traffic
if declare -F traffic >/dev/null; then
	traffic &
	load=$!
	if declare -F traffic_ready >/dev/null; then
		traffic_ready
	else
		wait_for_traffic
	fi
fi
# Without load nothing moves, and reading it takes a second.
if [ -n "$load" ]; then
	counters >"$out/before"
fi
phase check
run_check
if [ -n "$LAB_RECORD" ]; then
	phase record
	run_recording
fi
if [ -n "$load" ]; then
	phase counters
	counters >"$out/after"
	count_moves
fi
phase prove
# In a condition the shell would ignore "set -e" inside, and with it every proof but the last.
set +e
(
	set -e
	prove
)
proven=$?
set -e
[ "$proven" = 0 ] || echo "the kernel's own tools do not show the fault" >"$out/unproven"
phase heal
[ -z "$load" ] || stop "$load"
load=
heal
wait_for_ports
if [ "$boot" = shared ]; then
	host_state >"$out/state"
	diff /run/baseline "$out/state" >"$out/unhealed" || [ $? -eq 1 ]
fi
phase end
