# /sys shows the RDMA devices, but the files that programs open were not passed in.
group=check boot=shared expect=container-no-ib-devices exit=2

fault() {
	mount -t tmpfs none /dev/infiniband
}

prove() {
	proves_text '4: ACTIVE' </sys/class/infiniband/mlx5_0/ports/1/state
	proves_fails ibv_devinfo -d mlx5_0
}

heal() {
	umount /dev/infiniband
}
