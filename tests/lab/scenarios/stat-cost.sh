# Nothing is wrong. What the counters of a port cost by one netlink call and by their files: here, where the counters are software, about
# the same; on an adapter each file asks the firmware.
group=check boot=shared expect=none exit=0

prove() {
	"$(dirname "$LAB_BINARY")/tests/bench/stat_cost" mlx5_0 1 1.5
}
