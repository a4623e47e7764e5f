# The minimum RNR timer is 0, which means 655 ms: a receive that comes late stops its sender for long.
# Long enough that these few answers, three in four seconds, are a rate.
group=check boot=shared expect=rnr-timer-stall exit=1
interval=6s

traffic() {
	rcpair late --count 100 --late-ms 300 --every-ms 660 --rnr-timer 0 --timeout 14
}

traffic_ready() {
	wait_for_output status
}

prove() {
	proves_text 'status 0 \(success\) after (6[5-9]|[7-9])[0-9]+\.' <"$out/traffic"
	proves_moved mlx5_0 rcvd_rnr_err 2
}
