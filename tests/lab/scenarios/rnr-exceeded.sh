# Messages arrive for which nobody has posted a receive, and the senders give up after three tries.
group=check boot=shared expect=rnr-retry-exceeded exit=2

traffic() {
	rcpair fail --count 40 --every-ms 400 --late-ms 1 --rnr-retry 3 --timeout 14
}

traffic_ready() {
	wait_for_output status
}

prove() {
	proves_text 'status 13 \(RNR retry counter exceeded\)' <"$out/traffic"
	proves_moved mlx5_0 retry_rnr_exceeded_err
}
