# The network swallows everything, so nothing at all comes back; queue pairs run into the retry limit, their process lives on.
group=check boot=shared expect=retry-exceeded-immediate also=retry-exceeded-intermittent exit=2

fault() {
	knob "$port_b" cut_ppm 1000000
}

traffic() {
	rcpair fail --count 200 --every-ms 400 # on a slow machine, until it is ended
}

traffic_ready() {
	wait_for_output status
}

prove() {
	proves_text 'status 12 \(transport retry counter exceeded\)' <"$out/traffic"
	proves_moved mlx5_0 retry_exceeded_err
	rdma resource show qp | proves_text 'state ERR .*comm rcpair'
}

heal() {
	knob "$port_b" cut_ppm 0
}
