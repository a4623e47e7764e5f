#!/bin/bash
# Runs the scenarios of the job one after the other, until one has left the machine other than it was.
set -euo pipefail
guest=$(dirname "$(readlink -f "$0")")
. /run/lab/job

for name in $LAB_SCENARIOS; do
	mkdir -p "/run/lab/$name"
	status=0
	bash "$guest/scenario.sh" "$name" >"/run/lab/$name/log" 2>&1 || status=$?
	read -r seconds _ </proc/uptime
	echo "$name ended with $status at $seconds s"
	echo "$status" >"/run/lab/$name/status"
	# The next one needs the baseline; it gets a fresh machine when this one lost it.
	if [ "$status" != 0 ] || [ -s "/run/lab/$name/unhealed" ]; then
		break
	fi
done
