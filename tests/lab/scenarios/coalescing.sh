# Interrupts of the interface below soft-RoCE wait for a quarter of a millisecond.
group=check boot=shared expect=interrupt-coalescing-high exit=any

set_coalescing() { # ADAPTIVE MICROSECONDS
	ethtool -C "$port_a" adaptive-rx "$1" rx-usecs "$2"
}

fault() {
	set_coalescing off 250
}

prove() {
	ethtool -c "$port_a" | proves_text 'rx-usecs:.250'
}

heal() {
	set_coalescing on 8
}
