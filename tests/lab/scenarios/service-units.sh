# The package on a system: the daemon, the probe and the delivery of alerts as systemd runs them, and what they cannot do.
group=service boot=own init=systemd expect=none exit=0
. "$(dirname "${BASH_SOURCE[0]}")/../guest/service.sh"

prove() {
	local part
	trap keep_journal EXIT
	for part in install_package daemon_watches daemon_cannot_change probe_leaves_a_bundle probe_cannot_change \
		daemon_reads_settings_anew alerts_are_delivered daemon_stops_and_comes_back package_is_replaced_and_removed; do
		phase "$part"
		"$part"
	done
}

daemon_watches() {
	local beat try
	systemctl restart rdmadoctord
	proves_property rdmadoctord ActiveState active
	proves_property rdmadoctord User rdmadoctor
	proves_property rdmadoctord.socket ActiveState active
	wait_for_answer /v1/health '"done": [1-9]'
	wait_for_answer '/v1/facts?entity=mlx5_0/1' '"ACTIVE"'
	stat -c '%A %U:%G %n' "$installed_socket" | proves_text '^srw-rw---- root:rdmadoctor '
	proves_refused PermissionError as_nobody python3 "$guest/ask.py" "$installed_socket" /v1/health
	stat -c '%A %U:%G %n' "$installed_control" | proves_text '^srw------- rdmadoctor:root '
	proves_refused PermissionError as_member python3 "$guest/ask.py" "$installed_control" /v1/alerts/ack
	rdmadoctor alerts silence --rule lab-none --for 1m | proves_text '^silent until '
	stat -c '%A %U:%G %n' /var/lib/rdmadoctor /var/lib/rdmadoctor/store/metrics.db
	# Whatever it does, it says every five seconds that it lives.
	beat=$(property rdmadoctord WatchdogTimestampMonotonic)
	for try in {1..30}; do
		pause 1
		[ "$(property rdmadoctord WatchdogTimestampMonotonic)" = "$beat" ] || break
	done
	echo "proof: the watchdog was fed after $try s"
	[ "$try" -lt 30 ]
}

settings_of_port() {
	dcb pfc show dev "$port_a"
	cat "/sys/class/net/$port_a/mtu"
}

# What it might write to, had somebody taken it over. dcb exits with 0 when it is refused, so what counts is what is set afterwards.
daemon_cannot_change() {
	local before
	before=$(settings_of_port)
	inside_of rdmadoctord.service <<-INSIDE
		$refusals
		refused 'echo 1500 >/sys/class/net/$port_a/mtu'
		refused 'echo 1 >/proc/sys/vm/zone_reclaim_mode'
		for try in {1..5}; do dcb pfc set dev $port_a prio-pfc all:off || true; done
		refused 'ip link set $port_a mtu 1500'
		refused 'mount -o remount,rw /sys'
		refused 'unshare --user true'
		refused 'python3 -c "import socket; socket.socket(socket.AF_INET)"'
		refused 'echo >/dev/kmsg'
		refused 'touch /etc/lab'
		refused 'touch /run/rdmadoctor/lab'
		refused 'touch /var/lib/rdmadoctor/lab'
		refused 'ls /root'
		head -n 1 /dev/kmsg >/dev/null
		ibv_devinfo -d mlx5_0 | grep PORT_ACTIVE
		touch /var/lib/rdmadoctor/store/lab
		rm /var/lib/rdmadoctor/store/lab
	INSIDE
	[ "$(settings_of_port)" = "$before" ]
	# Even root, in what the daemon sees of the file system.
	proves_refused 'Read-only file system' nsenter --target "$(property rdmadoctord MainPID)" --mount \
		bash -c "echo 1500 >/sys/class/net/$port_a/mtu"
	[ "$(settings_of_port)" = "$before" ]
	# Where there is no sandbox either works.
	set_pfc none
	[ "$(settings_of_port)" != "$before" ]
	set_pfc "$roce_prio"
	echo 1500 >"/sys/class/net/$port_a/mtu"
	[ "$(settings_of_port)" != "$before" ]
	echo "$lossless_mtu" >"/sys/class/net/$port_a/mtu"
	[ "$(settings_of_port)" = "$before" ]
}

# What the daemon may not read it has from the probe, or says how to get it.
probe_leaves_a_bundle() {
	local function inode
	function=$(readlink -f "/sys/class/net/$port_a/device")
	function=${function##*/}
	proves_property rdmadoctor-probe.timer ActiveState active
	systemctl stop rdmadoctor-probe.timer rdmadoctor-probe.service
	rm -f "$probe_bundle"
	systemctl restart rdmadoctord
	wait_for_answer /v1/health '"done": [1-9]'
	told "$function" mrrs | proves_text '^gap no_privilege: .* systemctl start rdmadoctor-probe'
	told "$port_a" module_temperature | proves_text '^gap no_privilege: .* systemctl start rdmadoctor-probe'
	systemctl start rdmadoctor-probe
	proves_property rdmadoctor-probe Result success
	stat -c '%A %U:%G %n' "${probe_bundle%/*}" | proves_text '^drwxr-x--- root:rdmadoctor '
	stat -c '%A %U:%G %n' "$probe_bundle" | proves_text '^-rw-r----- root:rdmadoctor '
	proves_refused 'Permission denied' as_nobody cat "$probe_bundle"
	[ "$(ls -A "${probe_bundle%/*}")" = "${probe_bundle##*/}" ]
	probed "$function" mrrs | proves_text '^4096$'
	probed "$port_a" module_temperature | proves_text '^[0-9.]+$'
	systemctl restart rdmadoctord
	wait_for_answer /v1/health '"done": [1-9]'
	told "$function" mrrs | proves_text '^4096$'
	told "$port_a" module_temperature | proves_text '^[0-9.]+$'
	# Again: the new one comes in the place of the old one.
	inode=$(stat -c %i "$probe_bundle")
	systemctl start rdmadoctor-probe
	[ "$(stat -c %i "$probe_bundle")" != "$inode" ]
	[ "$(ls -A "${probe_bundle%/*}")" = "${probe_bundle##*/}" ]
}

# Root without any way to write. It could change settings by netlink, had it the code.
probe_cannot_change() {
	install -m 600 -o 12345 /etc/hostname /run/secret-of-somebody
	inside_of rdmadoctor-probe.service <<-INSIDE
		$refusals
		refused 'echo 1500 >/sys/class/net/$port_a/mtu'
		refused 'echo 1 >$knobs/$port_a/loss_ppm'
		refused 'echo >/sys/class/net/$port_a/device/config'
		refused 'echo 1 >/proc/sys/vm/zone_reclaim_mode'
		refused 'mount -o remount,rw /sys'
		refused 'mount -t sysfs none /tmp'
		refused 'unshare --mount true'
		refused 'modprobe dummy'
		refused 'echo >/dev/kmsg'
		refused 'touch /etc/lab'
		refused 'touch /var/lib/rdmadoctor/lab'
		refused 'cat /run/secret-of-somebody'
		refused 'cat /proc/$(property rdmadoctord MainPID)/environ'
		cat $knobs/$port_a/loss_ppm
		head -n 1 /proc/$(property rdmadoctord MainPID)/numa_maps
	INSIDE
}

watches_begun() { # PROCESS
	journalctl --unit rdmadoctord "_PID=$1" --output cat | grep -c 'watching with'
}

# Until it is over, which is with the first look by the new settings. The process stays.
reload_daemon() {
	local process before try
	process=$(property rdmadoctord MainPID)
	before=$(watches_begun "$process")
	systemctl reload rdmadoctord
	for try in {1..120}; do
		[ "$(watches_begun "$process")" -eq "$before" ] || [ "$(property rdmadoctord ActiveState)" = reloading ] || break
		pause 0.5
	done
	proves_property rdmadoctord MainPID "$process"
	[ "$(watches_begun "$process")" -gt "$before" ]
}

daemon_reads_settings_anew() {
	local process
	process=$(property rdmadoctord MainPID)
	echo 'daemon.interval = "2s"' | cat - <(site_config) >/etc/rdmadoctor/rdmadoctor.toml
	reload_daemon
	proves_property rdmadoctord ActiveState active
	proves_property rdmadoctord NRestarts 0
	journalctl --unit rdmadoctord "_PID=$process" --output cat | proves_text 'watching with'
	wait_for_answer /v1/health '"done": [1-9]'
}

alerts_are_delivered() {
	local try
	{
		echo 'alerts.alertmanager.urls = ["http://127.0.0.1:9093"]'
		site_config
	} >/etc/rdmadoctor/rdmadoctor.toml
	ip link set lo up
	python3 "$guest/alertmanager.py" 9093 >"$out/delivered" &
	# There was nobody to deliver to, so that the delivery has ended: the reload starts it.
	proves_property rdmadoctor-notify ActiveState inactive
	reload_daemon
	knob "$port_a" carrier 0
	for try in {1..120}; do
		! grep -q mlx5_0 "$out/delivered" || break
		pause 0.5
	done
	kill %%
	proves_text mlx5_0 <"$out/delivered"
	proves_property rdmadoctor-notify ActiveState active
	stat -c '%A %U:%G %n' /var/lib/rdmadoctor/spool | proves_text '^drwxr-x--- rdmadoctor:rdmadoctor '
	inside_of rdmadoctor-notify.service <<-INSIDE
		$refusals
		refused 'cat /var/lib/rdmadoctor/store/metrics.db'
		refused 'cat $installed_socket'
		refused 'echo 1500 >/sys/class/net/$port_a/mtu'
		refused 'dcb pfc show dev $port_a'
		refused 'touch /var/lib/rdmadoctor/lab'
		touch /var/lib/rdmadoctor/spool/lab
		rm /var/lib/rdmadoctor/spool/lab
	INSIDE
	knob "$port_a" carrier 1
}

daemon_stops_and_comes_back() {
	local start=${EPOCHREALTIME/./}
	systemctl stop rdmadoctord.service
	echo "proof: it stopped in $(((${EPOCHREALTIME/./} - start) / 1000)) ms of 30000"
	[ $((${EPOCHREALTIME/./} - start)) -lt 30000000 ]
	proves_property rdmadoctord Result success
	proves_property rdmadoctord ActiveState inactive
	# Who asks starts it.
	wait_for_answer /v1/health '"done": [1-9]'
	proves_property rdmadoctord ActiveState active
	proves_property rdmadoctord NRestarts 0
}

package_is_replaced_and_removed() {
	local process left
	process=$(property rdmadoctord MainPID)
	put_package
	wait_for_answer /v1/health '"done": [1-9]'
	echo "proof: process $process became $(property rdmadoctord MainPID)"
	[ "$(property rdmadoctord MainPID)" != "$process" ]
	dpkg --remove rdmadoctor
	proves_property rdmadoctord ActiveState inactive
	proves_property rdmadoctord.socket ActiveState inactive
	proves_property rdmadoctor-probe.timer ActiveState inactive
	proves_refused 'No such file' stat "$installed_socket"
	proves_refused 'No such file' stat "$installed_control"
	ls -d /var/lib/rdmadoctor/store/metrics.db /etc/rdmadoctor/rdmadoctor.toml
	dpkg --purge rdmadoctor
	for left in /var/lib/rdmadoctor /run/rdmadoctor /etc/rdmadoctor/rdmadoctor.toml; do
		proves_refused 'No such file' stat "$left"
	done
	getent passwd rdmadoctor
	# What a site wrote stays: here the lab's own.
	ls /etc/rdmadoctor/rules.d/lab-cpu-starved.toml
}
