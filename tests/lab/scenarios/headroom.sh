# PFC is right on both ends, but the receive buffer of its priority was made so small that what is
# still on its way after a pause frame does not fit.
group=check boot=shared expect=nic-rx-headroom-too-small exit=any

# The tool says 0 also when the driver refused, hence the proof.
set_buffers() { # ARGUMENT...
	dcb_set buffer set dev "$port_b" "$@"
}

fault() {
	set_buffers prio-buffer all:0 3:1 buffer-size all:0 0:200K 1:20K
	knob "$port_b" loss_ppm 50000
}

traffic() {
	stream_traffic --uc   # repeats nothing, so that only the receiver has something to say
}

prove() {
	dcb buffer show dev "$port_b" prio-buffer | proves_text '3:1'
	proves_moved "$port_b" rx_prio3_discards 20
	proves_moved "$port_b" tx_prio3_pause 20
	dcb pfc show dev "$port_b" prio-pfc | proves_text '3:on'
}

heal() {
	knob "$port_b" loss_ppm 0
	set_buffers prio-buffer all:0 buffer-size all:0 0:262016
}
