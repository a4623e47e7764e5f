# A bad cable or module: frames arrive with symbol errors, and their checksum is wrong.
group=check boot=shared expect=crc-errors exit=2

fault() {
	knob "$port_b" damage_ppm 50000
}

traffic() {
	stream_traffic --uc   # repeats nothing, so that only the receiver has something to say
}

prove() {
	proves_moved "$port_b" rx_symbol_err_phy 10
	proves_moved "$port_b" rx_crc_errors_phy 10
	proves_still "$port_b" rx_discards_phy
}

heal() {
	knob "$port_b" damage_ppm 0
}
