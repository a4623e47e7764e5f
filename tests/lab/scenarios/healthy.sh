# A host that follows the guide, under load: nothing to find.
group=check boot=shared expect=none exit=0

traffic() {
	write_traffic 1 --tclass="$roce_tos"
}

prove() {
	proves_moved mlx5_0 sent_pkts 100
	proves_moved "$port_a" tx_prio3_packets 100
	proves_still "$port_b" rx_discards_phy
	proves_still mlx5_1 out_of_seq_request
}
