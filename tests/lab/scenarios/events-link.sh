# Events of a port that goes down and comes back, with and without open contexts, of flaps that are too fast for messages of their
# own, and of a line of the kernel log.
group=daemon boot=shared expect=none exit=0
. "$(dirname "${BASH_SOURCE[0]}")/../guest/events.sh"

prove() {
	local down_before down_after try
	record_events held --contexts always
	record_events polled --contexts auto verbs
	wait_for_event held 'name=context-opened subject=mlx5_[01]' 2
	wait_for_event polled 'source=port name=context-not-held subject=mlx5_[01] .*reason=a%20software' 2
	read -r down_before <"/sys/class/net/$port_a/carrier_down_count"
	pause 2
	knob "$port_a" carrier 0
	wait_for_event held "source=link name=carrier-down subject=$port_a count=1 .*carrier=0"
	wait_for_event held "source=link name=operstate subject=$port_a .*from=UP to=DOWN"
	wait_for_event held 'source=verbs name=PORT_ERR subject=mlx5_0/1 .*state=DOWN'
	wait_for_event polled 'source=port name=state subject=mlx5_0/1 .*from=ACTIVE to=DOWN'
	pause 2
	knob "$port_a" carrier 1
	wait_for_event held "source=link name=carrier-up subject=$port_a"
	wait_for_event held 'source=verbs name=PORT_ACTIVE subject=mlx5_0/1 .*state=ACTIVE'
	wait_for_event polled 'source=port name=state subject=mlx5_0/1 .*from=DOWN to=ACTIVE'
	for try in {1..10}; do
		knob "$port_a" carrier 0
		knob "$port_a" carrier 1
	done
	knob "$port_a" temp 80
	wait_for_event held 'source=kmsg name=[a-z]+ subject=0000:.*text=.*[Hh]igh'
	knob "$port_a" temp 40
	pause 2
	end_events
	read -r down_after <"/sys/class/net/$port_a/carrier_down_count"
	proves_total held $((down_after - down_before)) link carrier-down "$port_a"
	[ $((down_after - down_before)) -ge 11 ]
	cat "$out/held" "$out/polled" | proves_no_text 'overrun|unreadable'
}

heal() {
	knob "$port_a" temp 40
	knob "$port_a" carrier 1
}
