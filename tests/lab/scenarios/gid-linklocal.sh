# The interfaces have lost their addresses: all that is left are link-local GIDs, and what connects
# over them gets no answer.
group=check boot=shared expect=no-ipv4-gid also=gid-linklocal-selected exit=2

fault() {
	ip address del "$address_a/24" dev "$port_a"
	ip address del "$address_b/24" dev "$port_b"
	knob "$port_b" cut_ppm 1000000
}

traffic() {
	rcpair fail --count 40 --every-ms 400 --gid-index 0
}

traffic_ready() {
	wait_for_output status
}

prove() {
	proves_text 'fe80:' </sys/class/infiniband/mlx5_0/ports/1/gids/0
	grep -h . /sys/class/infiniband/mlx5_*/ports/1/gids/* | proves_no_text ffff:0a09
	proves_text 'status 12' <"$out/traffic"
}

heal() {
	knob "$port_b" cut_ppm 0
	give_addresses
}
