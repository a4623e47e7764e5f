# Card and slot can do 16 GT/s, the link trained at 8.
group=check boot=shared expect=pcie-link-speed-degraded exit=2

set_speed() { # SPEED_CODE
	knob "$port_a" ep_speed "$1"
	knob "$port_a" rp_speed "$1"
}

fault() {
	set_speed 3
}

prove() {
	proves_value "/sys/class/net/$port_a/device/current_link_speed" "8.0 GT/s PCIe"
	proves_value "/sys/class/net/$port_a/device/max_link_speed" "16.0 GT/s PCIe"
}

heal() {
	set_speed 4
}
