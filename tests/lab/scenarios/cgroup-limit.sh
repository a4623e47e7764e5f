# The control group of a process allows it one RDMA object, so that registering memory is refused.
group=check boot=shared expect=rdma-cgroup-limit exit=1

limited=/sys/fs/cgroup/lab

fault() {
	echo +rdma >/sys/fs/cgroup/cgroup.subtree_control
	mkdir "$limited"
	echo "mlx5_0 hca_handle=1 hca_object=1" >"$limited/rdma.max"
}

traffic() {
	echo "$BASHPID" >"$limited/cgroup.procs"
	rcpair register --mib 16
}

traffic_ready() {
	wait_for_output register
}

prove() {
	proves_text 'cannot register 16 MiB: Resource temporarily unavailable' <"$out/traffic"
	proves_text 'mlx5_0 hca_handle=1 hca_object=1' <"$limited/rdma.current"
}

heal() {
	rmdir "$limited"
	echo -rdma >/sys/fs/cgroup/cgroup.subtree_control
}
