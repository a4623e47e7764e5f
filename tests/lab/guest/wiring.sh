# Sourced in the guest: loads the test card and joins its two ports by RoCE.
#
# Both ends live in one network namespace, since soft-RoCE cannot use two on these kernels. The
# kernel would deliver packets between two local addresses by itself, so rules send them out.
#
# Starting a program costs a tenth of a second here, hence the batches and the shell's own reads.

port_a=ens1f0 port_b=ens2f0
address_a=10.9.0.1 address_b=10.9.0.2
ports="$port_a $port_b"
mlx5_devices="mlx5_0 mlx5_1"
knobs=/sys/kernel/debug/labnic

# Sleeps without starting a program: nobody writes to this pipe.
[ -p /run/silence ] || mkfifo /run/silence
exec {silence}<>/run/silence
pause() { # SECONDS
	read -rt "$1" -u "$silence" || true
}

# knob IF NAME VALUE
knob() {
	echo "$3" >"$knobs/$1/$2"
}

# The card shows itself as a ConnectX-7. $1: more module parameters.
load_card() {
	# Nothing but our module may answer to that name.
	mkdir -p /etc/modprobe.d
	echo "install mlx5_core /bin/true" >/etc/modprobe.d/lab.conf
	# shellcheck disable=SC2086  # parameters are words
	insmod "$LAB_BUILD/labnic.ko" spoof_id=0x102115b3 $1
	modprobe -a rdma_rxe ib_uverbs rdma_ucm rdma_cm
}

route_over_wire() {
	local port
	for port in all $ports; do
		echo 0 >"/proc/sys/net/ipv4/conf/$port/rp_filter"
	done
	for port in $ports; do
		echo 1 >"/proc/sys/net/ipv4/conf/$port/accept_local"
		echo 1 >"/proc/sys/net/ipv4/conf/$port/arp_ignore"
	done
	ip -batch - <<-BATCH
		link set lo up
		rule add pref 100 lookup local
		rule del pref 0
		rule add pref 10 iif $port_a lookup local
		rule add pref 11 iif $port_b lookup local
		rule add pref 20 to $address_b oif $port_a lookup 100
		rule add pref 21 to $address_a oif $port_b lookup 101
		rule add pref 22 from $address_a to $address_b lookup 100
		rule add pref 23 from $address_b to $address_a lookup 101
		rule add pref 24 to $address_b iif lo lookup 100
		rule add pref 25 to $address_a iif lo lookup 101
	BATCH
}

give_addresses() {
	ip -batch - <<-BATCH
		address add $address_a/24 dev $port_a
		address add $address_b/24 dev $port_b
		link set $port_a up
		link set $port_b up
		route add $address_b dev $port_a src $address_a table 100
		route add $address_a dev $port_b src $address_b table 101
	BATCH
}

# What soft-RoCE sends it sends from whichever processor, and each has a queue of its own: frames would overtake each other, which
# no wire lets them.
keep_order() {
	local port
	for port in $ports; do
		echo 2 >"/sys/class/net/$port/queues/rx-0/rps_cpus"
	done
}

wire_up() {
	load_card "$1"
	keep_order
	route_over_wire
	give_addresses
	rdma link add mlx5_0 type rxe netdev "$port_a"
	rdma link add mlx5_1 type rxe netdev "$port_b"
}

# Carrier and port state follow a change after a moment, in this order.
wait_for_ports() {
	local file up try
	for try in {1..50}; do
		for file in /sys/class/net/ens*/carrier /sys/class/infiniband/*/ports/1/state; do
			read -r up <"$file"
			case $up in
			1 | "4: ACTIVE") ;;
			*) pause 0.1; continue 2 ;;
			esac
		done
		return 0
	done
	echo "ports are not active after $try tries" >&2
}
