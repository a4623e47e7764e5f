#!/bin/bash
# First process of the guest: wires the card, applies the baseline, runs the scenarios of the job or has
# systemd do so, powers off. What goes wrong before the first scenario is left in /run/lab/boot.log.
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

if [ "$LAB_INIT" = systemd ]; then
	. "$guest/systemd.sh"
	hand_over_to_systemd
fi
bash "$guest/scenarios.sh"
