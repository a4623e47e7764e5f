# A service without privileges may lock 64 KiB, too little to register its buffers.
group=check boot=shared expect=memlock-too-low exit=1

traffic() {
	local pinned
	pin_to 1
	"${pinned[@]}" prlimit --memlock=65536:65536 \
		setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$LAB_BUILD/rcpair" register --mib 16 >"$out/traffic"
}

traffic_ready() {
	wait_for_output register
}

prove() {
	proves_text 'cannot register 16 MiB: Cannot allocate memory' <"$out/traffic"
	proves_text 'Max locked memory +65536' <"/proc/$(pidof rcpair)/limits"
}
