# Both ports are in one IP network, and packets that would be answered through the other are dropped.
group=check boot=shared expect=rp-filter-strict-multihomed exit=1

set_rp_filter() { # VALUE
	local port
	for port in $ports; do
		echo "$1" >"/proc/sys/net/ipv4/conf/$port/rp_filter"
	done
}

fault() {
	set_rp_filter 1
}

prove() {
	proves_value "/proc/sys/net/ipv4/conf/$port_a/rp_filter" 1
	ip -brief address | proves_text "^$port_b .*$address_b/24"
}

heal() {
	set_rp_filter 0
}
