# All vectors of the card fire on one CPU of the far node, under load.
group=check boot=shared expect=irq-affinity-remote-or-stacked exit=1

fault() {
	local port vector
	for port in $ports; do
		knob "$port" irq_frames 0
		for vector in /sys/class/net/"$port"/device/msi_irqs/*; do
			echo 0 >"/proc/irq/${vector##*/}/smp_affinity_list"
		done
	done
	cp /proc/interrupts "$out/interrupts"
}

traffic() {
	stream_traffic
}

# The counts on the two processors, of all completion vectors of the card.
fired() { # FILE
	awk '/mlx5_comp/ { near += $3; far += $2 } END { print far, near }' "$1"
}

prove() {
	local far near far_before near_before
	proves_value "/sys/class/net/$port_a/device/local_cpulist" 1
	read -r far_before near_before < <(fired "$out/interrupts")
	read -r far near < <(fired /proc/interrupts)
	echo "proof: on processor 0 +$((far - far_before)), on processor 1 +$((near - near_before))"
	[ $((far - far_before)) -gt 1000 ] && [ $((near - near_before)) -lt 100 ]
}

heal() {
	local port
	interrupts_near_card
	for port in $ports; do
		knob "$port" irq_frames 16
	done
}
