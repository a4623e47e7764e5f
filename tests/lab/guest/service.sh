# Sourced by scenarios with init=systemd, in the guest: the package, its units, and what can be done from inside of them.

unit_folder=/lib/systemd/system
installed_socket=/run/rdmadoctor/api.sock
installed_control=/run/rdmadoctor/control.sock
probe_bundle=/run/rdmadoctor/probe/host.tar.zst

property() { # UNIT NAME
	systemctl show --property "$2" --value "$1"
}

proves_property() { # UNIT NAME VALUE
	local is
	is=$(property "$1" "$2")
	echo "proof: $1 has $2=$is"
	[ "$is" = "$3" ]
}

proves_refused() { # PATTERN COMMAND...: it fails, and says so
	local said
	if said=$("${@:2}" 2>&1); then
		echo "proof: not refused: ${*:2}"
		return 1
	fi
	proves_text "$1" <<<"$said"
}

# What the units said goes with the results, above all when a proof has failed.
keep_journal() {
	journalctl --no-pager --output short-monotonic --unit 'rdmadoctor*' --unit lab-sandbox >"$out/journal" || true
}

# Twice the same is an upgrade. What is lost when the power fails is no matter here, and waiting for it takes long.
put_package() {
	dpkg --force-unsafe-io --force-confold --install "$LAB_BUILD"/rdmadoctor_*.deb
}

install_package() {
	put_package
	site_config >/etc/rdmadoctor/rdmadoctor.toml
}

# As somebody who is in the group, or is not.
as_member() {
	setpriv --reuid 12345 --regid 12345 --groups "$(getent group rdmadoctor | cut -d: -f3)" "$@"
}

as_nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

ask_installed() { # PATH_AND_QUERY
	as_member python3 "$guest/ask.py" "$installed_socket" "$1"
}

# A fact as the daemon has it, and as the bundle of the probe has it.
told() { # ENTITY FACT
	ask_installed "/v1/facts?entity=$1" | python3 "$guest/fact.py" "$2"
}

probed() { # ENTITY FACT
	as_member rdmadoctor facts --from "$probe_bundle" "$1" --json | python3 "$guest/fact.py" "$2"
}

# What the program that is installed says it is to be is asked for until it is, for emulation is slow.
wait_for_answer() { # PATH_AND_QUERY PATTERN
	local try
	for try in {1..60}; do
		if ask_installed "$1" 2>/dev/null | grep -E "$2"; then
			echo "proof: a member of the group is told by $1 after $try tries"
			return 0
		fi
		pause 0.5
	done
	echo "proof: $1 never has '$2': $(ask_installed "$1" 2>&1 | tail -n 5)"
	return 1
}

# Runs what comes on standard input, a script of bash, in a sandbox that is the one of UNIT in all but what is run.
inside_of() { # UNIT
	local copy=lab-sandbox.service units=/run/systemd/system
	cat - >/run/inside.sh
	cp "$unit_folder/$1" "$units/$copy"
	mkdir -p "$units/$copy.d"
	cat >"$units/$copy.d/lab.conf" <<-CONF
		[Service]
		Type=oneshot
		Restart=no
		WatchdogSec=0
		ExecStartPre=
		ExecStart=
		ExecStartPost=
		Environment=PATH=$PATH
		ExecStart=/bin/bash -eu /run/inside.sh
		StandardOutput=append:/run/inside.out
		StandardError=inherit
	CONF
	: >/run/inside.out
	systemctl daemon-reload
	local status=0
	systemctl start "$copy" || status=$?
	sed 's/^/  inside: /' /run/inside.out
	systemctl reset-failed "$copy" 2>/dev/null || true
	return "$status"
}

# For scripts of inside_of.
refusals='
refused() { # COMMAND of the shell
	local said
	if said=$(bash -c "$1" 2>&1); then
		echo "not refused: $1"
		exit 1
	fi
	echo "refused: $1: ${said##*: }"
}
'
