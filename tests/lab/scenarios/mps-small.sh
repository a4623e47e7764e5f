# The firmware of the host left the largest PCIe payload at 128 bytes, though card and slot can do more.
group=check boot=shared expect=pcie-max-payload-small exit=any

set_payload() { # CODE
	setpci -s "$(basename "$(readlink -f "/sys/class/net/$port_a/device")")" "CAP_EXP+8.w=${1}:e0"
}

fault() {
	set_payload 00
}

prove() {
	lspci -vv -s "$(basename "$(readlink -f "/sys/class/net/$port_a/device")")" >"$out/lspci"
	proves_text 'MaxPayload 128 bytes, MaxReadReq' <"$out/lspci"
	proves_text 'DevCap:.*MaxPayload 512 bytes' <"$out/lspci"
}

heal() {
	set_payload 40
}
