# The netdevs have the Ethernet default MTU, so RDMA messages go out in 1024-byte packets.
group=check boot=shared expect=active-mtu-low exit=1

fault() {
	set_mtu 1500
}

prove() {
	proves_value "/sys/class/net/$port_a/mtu" 1500
	ibv_devinfo -d mlx5_0 | proves_text 'active_mtu:.*1024'
}

heal() {
	set_mtu "$lossless_mtu"
}
