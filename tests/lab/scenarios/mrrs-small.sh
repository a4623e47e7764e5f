# The card may ask for 128 bytes a read only, as some firmware sets it up.
group=check boot=shared expect=pcie-mrrs-small exit=any

fault() {
	set_read_request 0
}

prove() {
	lspci -vv -s "$(basename "$(readlink -f "/sys/class/net/$port_a/device")")" |
		proves_text 'MaxReadReq 128 bytes'
}

heal() {
	set_read_request 5
}
