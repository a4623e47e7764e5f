# Both ports are in one IP network and answer for each other's address.
group=check boot=shared expect=arp-flux-multi-nic exit=1

set_arp_ignore() { # VALUE
	local port
	for port in $ports; do
		echo "$1" >"/proc/sys/net/ipv4/conf/$port/arp_ignore"
	done
}

fault() {
	set_arp_ignore 0
}

prove() {
	proves_value "/proc/sys/net/ipv4/conf/$port_a/arp_ignore" 0
	proves_value /proc/sys/net/ipv4/conf/all/arp_ignore 0
	ip -brief address | proves_text "^$port_b .*$address_b/24"
}

heal() {
	set_arp_ignore 1
}
