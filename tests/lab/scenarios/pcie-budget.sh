# Both ends of the link can do Gen3 x8 and do: nothing is degraded, but 63 Gb/s is below the port.
group=check boot=shared expect=pcie-path-bottleneck exit=1

set_link() { # SPEED_CODE WIDTH
	local end
	for end in ep rp; do
		knob "$port_a" ${end}_max_speed "$1"
		knob "$port_a" ${end}_speed "$1"
		knob "$port_a" ${end}_max_width "$2"
		knob "$port_a" ${end}_width "$2"
	done
}

fault() {
	set_link 3 8
}

prove() {
	proves_value "/sys/class/net/$port_a/device/max_link_speed" "8.0 GT/s PCIe"
	proves_value "/sys/class/net/$port_a/device/current_link_width" 8
	proves_value "/sys/class/net/$port_a/device/max_link_width" 8
	proves_value "/sys/class/net/$port_a/speed" 100000
}

heal() {
	set_link 4 16
}
