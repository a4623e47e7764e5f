# A lossy site lives on congestion marks, and on the priority of RoCE this host neither answers nor
# obeys them.
group=check boot=shared expect=ecn-disabled-on-host exit=1

site_config() {
	cat <<-CONFIG
		intent = "lossy"

		[expect]
		devices = 2
	CONFIG
}

fault() {
	local port side
	set_pfc none
	knob "$port_b" ecn_ppm 100000
	for port in $ports; do
		knob "$port" ofed 1
		for side in np rp; do
			echo 0 >"/sys/class/net/$port/ecn/roce_$side/enable/$roce_prio"
		done
	done
}

traffic() {
	stream_traffic
}

prove() {
	proves_value "/sys/class/net/$port_a/ecn/roce_rp/enable/$roce_prio" 0
	proves_moved "$port_b" rx_prio3_marked 10
	proves_still "$port_b" rx_discards_phy
}

heal() {
	local port
	knob "$port_b" ecn_ppm 0
	for port in $ports; do
		knob "$port" ofed 0
	done
	set_pfc "$roce_prio"
}
