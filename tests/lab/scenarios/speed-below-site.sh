# The site wants 200 Gb/s here, the link came up with 100.
group=check boot=shared expect=link-width-or-speed-reduced exit=2

fault() {
	sed -i 's/^devices = 2/&\nrate = 200/' "$config"
}

prove() {
	proves_value "/sys/class/net/$port_a/speed" 100000
}
