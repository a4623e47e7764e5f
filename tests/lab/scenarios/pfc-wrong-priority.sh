# PFC protects priority 4, the traffic rides on 3.
group=check boot=shared expect=pfc-priority-mismatch exit=2

fault() {
	set_pfc 4
	knob "$port_b" loss_ppm 50000
}

traffic() {
	stream_traffic --timeout 14   # short, so that loss does not end the flow
}

prove() {
	proves_moved "$port_b" rx_prio3_discards 50
	proves_still "$port_b" tx_prio4_pause
	dcb pfc show dev "$port_b" prio-pfc | proves_text '3:off 4:on'
}

heal() {
	knob "$port_b" loss_ppm 0
	set_pfc "$roce_prio"
}
