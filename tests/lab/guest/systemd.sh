# Sourced by init.sh: systemd becomes process 1 and runs the scenarios as a unit. Of what Debian starts besides there is the journal only:
# the rest would undo the baseline (udev renames, sysctl) or wait for what an emulated machine has not.

units=/run/systemd/system

# Folders of links that make targets want units: those of this machine, and those that come with systemd.
mask_wanted() {
	local wanted
	rm -rf /etc/systemd/system/*.wants
	for wanted in /lib/systemd/system/{sysinit,sockets,timers,local-fs}.target.wants/*; do
		wanted=${wanted##*/}
		case $wanted in
		systemd-journald*) ;;
		*) ln -s /dev/null "$units/$wanted" ;;
		esac
	done
}

hand_over_to_systemd() {
	chmod 755 /run
	mkdir -p "$units"
	mask_wanted
	: >/etc/fstab
	# Debian's containers have it, and packages then start no service.
	rm -f /usr/sbin/policy-rc.d
	cat >"$units/lab.service" <<-UNIT
		[Unit]
		After=basic.target
		[Service]
		Type=oneshot
		Environment=PATH=$PATH HOME=$HOME LC_ALL=$LC_ALL
		LimitMEMLOCK=infinity
		StandardOutput=append:/run/lab/boot.log
		StandardError=inherit
		ExecStart=/bin/bash $guest/scenarios.sh
		ExecStopPost=/bin/busybox sync
		ExecStopPost=/bin/busybox poweroff -f
	UNIT
	exec /lib/systemd/systemd --unit=lab.service --crash-reboot --show-status=no
}
