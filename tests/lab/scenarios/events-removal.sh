# RDMA devices that are taken away and come back. Their driver waits for every open context, so they are held only when that is
# asked for, and then let go of at once.
group=daemon boot=own expect=none exit=0
. "$(dirname "${BASH_SOURCE[0]}")/../guest/events.sh"

prove() {
	record_events held --contexts always
	wait_for_event held 'name=context-opened subject=mlx5_[01]' 2
	rdma resource show ctx | proves_text 'mlx5_0 .*comm events_dump'
	remove_in_time mlx5_0
	wait_for_event held 'source=verbs name=context-closed subject=mlx5_0 .*reason=the%20device%20goes'
	wait_for_event held 'source=uevent name=remove subject=uverbs0'
	rdma link add mlx5_0 type rxe netdev "$port_a"
	wait_for_event held 'source=verbs name=context-opened subject=mlx5_0' 2
	wait_for_event held 'source=uevent name=add subject=mlx5_0'
	case $(uname -r) in
	6.1.*)
		proves_text 'absent rdma-monitor: not_supported' <"$out/held"
		;;
	*)
		wait_for_event held 'source=rdma-monitor name=UNREGISTER subject=mlx5_0'
		wait_for_event held 'source=rdma-monitor name=REGISTER subject=mlx5_0'
		wait_for_event held "source=rdma-monitor name=NETDEV_ATTACH subject=mlx5_0/1 .*netdev=$port_a"
		;;
	esac
	end_events

	record_events polled
	wait_for_event polled 'name=context-not-held subject=mlx5_[01]' 2
	rdma resource show ctx | proves_no_text events_dump
	remove_in_time mlx5_0
	rdma link add mlx5_0 type rxe netdev "$port_a"
	wait_for_event polled 'name=context-not-held subject=mlx5_0' 2
	end_events
	cat "$out/held" "$out/polled" | proves_no_text 'overrun|unreadable|context-refused'
}

heal() {
	set_default_tos "$roce_tos"
}
