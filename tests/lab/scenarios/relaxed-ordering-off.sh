# The card may not let its writes overtake each other, and spends its time waiting for the host.
group=check boot=shared expect=pcie-relaxed-ordering-off also=host-pcie-backpressure exit=2

set_ordering() { # BIT
	setpci -s "$(basename "$(readlink -f "/sys/class/net/$port_b/device")")" "CAP_EXP+8.w=${1}:10"
}

fault() {
	set_ordering 0
	knob "$port_b" stalled_wr 60
}

prove() {
	lspci -vv -s "$(basename "$(readlink -f "/sys/class/net/$port_b/device")")" | proves_text 'RlxdOrd-'
	ethtool -S "$port_b" | proves_text 'outbound_pci_stalled_wr: 60'
}

heal() {
	knob "$port_b" stalled_wr 0
	set_ordering 10
}
