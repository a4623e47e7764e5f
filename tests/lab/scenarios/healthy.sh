# A host that follows the guide, under load: nothing to find. The load does not poll: a poller would have to share the one processor of
# its node with the interrupts, which is a fault to be found.
group=check boot=shared expect=none exit=0

traffic() {
	stream_traffic
}

prove() {
	proves_moved mlx5_0 sent_pkts 100
	proves_moved "$port_a" tx_prio3_packets 100
	proves_still "$port_b" rx_discards_phy
	proves_still mlx5_1 out_of_seq_request
}
