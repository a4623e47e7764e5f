# All huge pages were given to node 0; the card sits on node 1.
group=check boot=shared expect=hugepages-exhausted exit=1

pages=/sys/devices/system/node/node1/hugepages/hugepages-2048kB

fault() {
	echo 0 >"$pages/nr_hugepages"
}

prove() {
	proves_value "$pages/nr_hugepages" 0
	proves_value "/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages" 16
	proves_value "/sys/class/net/$port_a/device/numa_node" 1
}

heal() {
	echo 16 >"$pages/nr_hugepages"
}
