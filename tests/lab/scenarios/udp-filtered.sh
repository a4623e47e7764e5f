# A packet filter drops UDP 4791, which is all of soft-RoCE: connection requests get no answer.
group=check boot=shared expect=firewall-blocks-4791 exit=1

fault() {
	nft -f - <<-NFT
		table inet lab {
			chain input {
				type filter hook input priority 0; policy accept;
				udp dport 4791 counter drop
			}
		}
	NFT
}

# The kernel counts the repetitions of a request when it gives up, or is told to.
traffic() {
	while :; do
		timeout --foreground -s KILL 8 rping -c -a "$address_b" -p 9999 -C 1 >>"$out/traffic" 2>&1 &
		pause 0.5
	done
}

traffic_ready() {
	local repeated=0
	until [ "$repeated" -gt 0 ]; do
		pause 0.2
		read -r repeated </sys/class/infiniband/mlx5_0/ports/1/cm_tx_retries/req
	done
}

prove() {
	nft list ruleset | proves_text 'udp dport 4791 counter packets [1-9]'
	proves_text '^[1-9]' </sys/class/infiniband/mlx5_0/ports/1/cm_tx_retries/req
	proves_still mlx5_1 rcvd_pkts
}

heal() {
	nft delete table inet lab
}
