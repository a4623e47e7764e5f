# The firmware of the host does not say on which node the card sits.
group=check boot=shared expect=numa-node-unknown exit=any

set_node() { # NODE
	local port
	for port in $ports; do
		echo "$1" >"/sys/class/net/$port/device/numa_node"
	done
}

fault() {
	set_node -1
}

prove() {
	proves_value "/sys/class/net/$port_a/device/numa_node" -1
	proves_value /sys/devices/system/node/online 0-1
}

heal() {
	set_node 1
}
