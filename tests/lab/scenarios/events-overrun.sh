# A program is kept from reading while more happens than the kernel holds for it. It says so, and finds what it missed. Links and addresses
# are read without rights, the kernel log by root.
group=daemon boot=own expect=none exit=0
. "$(dirname "${BASH_SOURCE[0]}")/../guest/events.sh"

# More than the log holds, by a writer that the kernel does not slow down.
flood_log() {
	local i log
	echo on >/proc/sys/kernel/printk_devkmsg
	exec {log}>/dev/kmsg
	for i in {1..8000}; do
		echo "<6>lab: line $i" >&"$log"
	done
	exec {log}>&-
}

prove() {
	local i down_before down_after
	ip link add lab0 type veth peer name lab1
	record_events kernel kmsg
	record_as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	record_events events link address
	pause 1
	read -r down_before <"/sys/class/net/$port_a/carrier_down_count"
	kill -STOP "${recorders[@]}"
	for i in {1..600}; do
		echo "link set lab0 mtu $((1400 + i % 2))"
		echo "address add 10.98.$((i / 250)).$((i % 250 + 1))/32 dev lab0"
	done | ip -batch -
	for i in {1..3}; do
		knob "$port_a" carrier 0
		pause 0.2
		knob "$port_a" carrier 1
		pause 0.2
	done
	ip link set lab1 name lab2
	flood_log
	kill -CONT "${recorders[@]}"
	wait_for_event events 'source=link name=overrun .*lost=[1-9]'
	wait_for_event events 'source=address name=overrun .*lost=[1-9]'
	wait_for_event events 'source=link name=renamed subject=lab2 .*from=lab1 to=lab2 found_by=dump'
	wait_for_event events 'source=address name=added subject=lab0 .*address=10.98.2.101/32 found_by=dump'
	wait_for_event kernel 'source=kmsg name=overrun'
	wait_for_ports
	knob "$port_a" temp 80
	wait_for_event kernel 'source=kmsg name=err .*text=.*High%20Temperature'
	pause 2
	end_events
	read -r down_after <"/sys/class/net/$port_a/carrier_down_count"
	[ $((down_after - down_before)) -ge 3 ]
	proves_total events $((down_after - down_before)) link carrier-down "$port_a"
	proves_total events 600 address added lab0
	cat "$out/events" "$out/kernel" | proves_no_text unreadable
}

heal() {
	ip link del lab0
	knob "$port_a" temp 40
	knob "$port_a" carrier 1
}
