# The power goes under a daemon that writes: the machine is reset without a sync, and its disk is as it is. LAB_ROUNDS says how often.
group=daemon boot=own disk=64M expect=none exit=0
. "$(dirname "${BASH_SOURCE[0]}")/../guest/daemon.sh"

# What the disk does not keep: one line for each time the power went, with until when samples were kept just before.
rounds=/run/lab/rounds
daemon_store=/run/disk/metrics.db

mount_disk() {
	modprobe -a virtio_blk ext4
	mkdir -p /run/disk
	mount -t ext4 /dev/vda /run/disk
}

in_store() { # QUERY
	python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])' "$daemon_store" "$1"
}

prove() {
	local gone kept whole lost
	mount_disk
	touch "$rounds"
	gone=$(wc -l <"$rounds")
	if [ "$gone" -gt 0 ]; then
		whole=$(in_store "PRAGMA integrity_check")
		kept=$(in_store "SELECT max(to_ms) FROM journal")
		echo "proof: after power-off $gone: $whole, kept until $kept, before it $(tail -n 1 "$rounds")"
		[ "$whole" = ok ] && [ "$kept" -ge "$(tail -n 1 "$rounds")" ]
	fi
	start_daemon never
	pause "1.$RANDOM"
	if [ "$gone" -lt "$LAB_ROUNDS" ]; then
		in_store "SELECT max(to_ms) FROM journal" >>"$rounds"
		touch /run/lab/again
		echo b >/proc/sysrq-trigger
	fi
	end_daemon
	lost=$(in_store "SELECT count(*) FROM event WHERE name = 'lost' AND details LIKE 'the last run%'")
	echo "proof: $gone power-offs, $lost losses stated"
	[ "$lost" = "$gone" ] && [ "$(in_store "SELECT count(*) FROM event WHERE name = 'set-aside'")" = 0 ]
	umount /run/disk
}
