# The neighbour of one port says by LLDP that its PFC is on priority 4; ours is on 3.
group=check boot=shared expect=pfc-neighbour-mismatch exit=1 max_seconds=40

traffic() {
	python3 "$guest/lldp.py" "$port_a" 16
}

traffic_ready() { pause 1; }

prove() {
	dcb pfc show dev "$port_b" prio-pfc | proves_text '3:on 4:off'
}
