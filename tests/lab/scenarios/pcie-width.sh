# The card trained x8 in a x16 slot.
group=check boot=shared expect=pcie-link-width-degraded exit=2

fault() {
	knob "$port_a" ep_width 8
	knob "$port_a" rp_width 8
}

prove() {
	proves_value "/sys/class/net/$port_a/device/current_link_width" 8
	proves_value "/sys/class/net/$port_a/device/max_link_width" 16
	lspci -vv -s "$(basename "$(readlink -f "/sys/class/net/$port_a/device")")" |
		proves_text 'LnkSta:.*Width x8 \(downgraded\)'
}

heal() {
	knob "$port_a" ep_width 16
	knob "$port_a" rp_width 16
}
