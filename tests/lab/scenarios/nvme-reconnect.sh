# The NVMe target does not offer its subsystem any more; the host tries to reconnect, in vain. When it is offered again, the daemon has the
# change of the controller's state among its events.
group=check boot=own expect=cm-reject-invalid-service-id also=nvme-rdma-recovery-loop exit=2
. "$(dirname "${BASH_SOURCE[0]}")/../guest/daemon.sh"

target=/sys/kernel/config/nvmet

fault() {
	modprobe -a null_blk nvmet-rdma nvme-rdma
	mkdir "$target/subsystems/lab"
	echo 1 >"$target/subsystems/lab/attr_allow_any_host"
	mkdir "$target/subsystems/lab/namespaces/1"
	echo -n /dev/nullb0 >"$target/subsystems/lab/namespaces/1/device_path"
	echo 1 >"$target/subsystems/lab/namespaces/1/enable"
	mkdir "$target/ports/1"
	echo rdma >"$target/ports/1/addr_trtype"
	echo ipv4 >"$target/ports/1/addr_adrfam"
	echo "$address_b" >"$target/ports/1/addr_traddr"
	echo 4420 >"$target/ports/1/addr_trsvcid"
	ln -s "$target/subsystems/lab" "$target/ports/1/subsystems/lab"
	echo "transport=rdma,traddr=$address_b,trsvcid=4420,nqn=lab,nr_io_queues=2,reconnect_delay=1" >/dev/nvme-fabrics
	proves_value /sys/class/nvme/nvme0/state live
	rm "$target/ports/1/subsystems/lab"
}

traffic() {
	sleep 1000
}

traffic_ready() {
	until grep -q connecting /sys/class/nvme/nvme0/state; do
		pause 0.2
	done
}

prove() {
	proves_value /sys/class/nvme/nvme0/state connecting
	dmesg | proves_text 'nvme nvme0: Failed reconnect attempt'
	local try
	start_daemon never
	ln -s "$target/subsystems/lab" "$target/ports/1/subsystems/lab"
	for try in {1..120}; do
		! kept "/v1/events?limit=100" >"$out/events.json" || ! grep -q '"from=connecting to=live"' "$out/events.json" || break
		pause 0.5
	done
	proves_text '"details": "from=connecting to=live"' <"$out/events.json"
	end_daemon
}
