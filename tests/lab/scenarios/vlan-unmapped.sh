# RoCE on a VLAN of a port that trusts PCP, and the VLAN maps no priority: all of it travels on 0.
group=check boot=shared expect=vlan-priority-not-mapped exit=1

fault() {
	local port
	for port in $ports; do
		dcb_set app flush dev "$port" dscp-prio
	done
	set_default_tos 0
	ip link add link "$port_a" name lab100 type vlan id 100
	ip address add 10.9.100.1/24 dev lab100
	ip link set lab100 up
}

prove() {
	proves_text 'INGRESS priority mappings: 0:0.*' </proc/net/vlan/lab100
	{ cat /sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/* || true; } 2>/dev/null | proves_text '^lab100$'
	dcb pfc show dev "$port_a" prio-pfc | proves_text '3:on'
}

heal() {
	ip link del lab100
	set_default_tos "$roce_tos"
	trust_dscp
}
