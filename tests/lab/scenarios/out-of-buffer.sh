# The receiver posts its receives late, and turns away what arrives meanwhile.
group=check boot=shared expect=responder-out-of-buffer exit=1

traffic() {
	rcpair late --count 1000 --late-ms 300 --rnr-timer 12 --timeout 18
}

traffic_ready() {
	wait_for_output status
}

prove() {
	proves_text 'status 0 \(success\)' <"$out/traffic"
	proves_moved mlx5_1 send_rnr_err 20
}
