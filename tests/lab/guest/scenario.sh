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

# A scenario replaces what it needs.
fault() { :; }
prove() { :; }
heal() { :; }
. "$guest/../scenarios/$name.sh"

run_check() {
	local status=0 start=${EPOCHREALTIME/./} elapsed
	timeout -k 5 60 "$LAB_BINARY" check --json --interval 2s --config "$config" \
		>"$out/check.json" 2>"$out/check.stderr" || status=$?
	elapsed=$(((${EPOCHREALTIME/./} - start) / 100000))
	echo "$status" >"$out/exit"
	echo "$((elapsed / 10)).$((elapsed % 10))" >"$out/seconds"
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
phase counters
counters >"$out/before"
phase check
run_check
phase counters
counters >"$out/after"
count_moves
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
if [ -n "$LAB_RECORD" ]; then
	"$LAB_BINARY" record "$out/bundle" || echo "record: exit $?"
fi
phase heal
[ -z "$load" ] || stop "$load"
load=
heal
wait_for_ports
if [ "$boot" = shared ]; then
	host_state | diff /run/baseline - >"$out/unhealed" || true
fi
phase end
