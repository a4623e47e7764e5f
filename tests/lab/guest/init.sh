#!/bin/bash
# First process of the guest: wires the card, applies the baseline, runs the scenarios of the job,
# powers off. What goes wrong before the first scenario is left in /run/lab/boot.log.
set -euo pipefail
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C

guest=$(dirname "$(readlink -f "$0")")
trap '/bin/busybox sync; /bin/busybox poweroff -f' EXIT
exec >/run/lab/boot.log 2>&1

busybox mount -t debugfs debugfs /sys/kernel/debug
modprobe configfs
busybox mount -t configfs configfs /sys/kernel/config
busybox mount -t cgroup2 cgroup2 /sys/fs/cgroup
ln -s /proc/self/fd /dev/fd
mkdir -p /dev/pts /dev/shm
busybox mount -t devpts devpts /dev/pts
busybox mount -t tmpfs tmpfs /dev/shm

. /run/lab/job
. "$guest/wiring.sh"
. "$guest/baseline.sh"

uptime() {
	local seconds
	read -r seconds _ </proc/uptime
	echo "$1 at $seconds s"
}

uptime "started"
wire_up "$LAB_MODULE_OPTIONS"
baseline_apply
host_state >/run/baseline
uptime "ready"

for name in $LAB_SCENARIOS; do
	mkdir -p "/run/lab/$name"
	status=0
	bash "$guest/scenario.sh" "$name" >"/run/lab/$name/log" 2>&1 || status=$?
	uptime "$name ended with $status"
	echo "$status" >"/run/lab/$name/status"
	# The next one needs the baseline; it gets a fresh machine when this one lost it.
	if [ "$status" != 0 ] || [ -s "/run/lab/$name/unhealed" ]; then
		break
	fi
done
