# The PCIe link has to repeat what arrives damaged: correctable errors in numbers.
group=check boot=shared expect=pcie-aer-correctable-storm exit=2

# One record for the kernel's aer_inject module, struct aer_error_inj.
inject_bad_tlp() { # PCI_ADDRESS
	local domain bus device function
	IFS=':.' read -r domain bus device function <<<"$1"
	# Bus, device, function, padding; uncorrectable 0; correctable 0x40; header log; domain.
	printf "\\x$bus\\x$device\\x0$function\\0\\0\\0\\0\\0\\x40\\0\\0\\0\\0\\0\\0\\0\\x1\\0\\0\\0\\x2\\0\\0\\0\\x3\\0\\0\\0\\0\\0\\0\\0" \
		>/dev/aer_inject
}

traffic() {
	local address
	address=$(basename "$(readlink -f "/sys/class/net/$port_a/device")")
	modprobe aer_inject
	while :; do
		for _ in {1..20}; do
			inject_bad_tlp "$address" 2>/dev/null || break   # its queue is full
		done
		pause 0.1
	done
}

errors() {
	sed -n 's/^BadTLP //p' "/sys/class/net/$port_a/device/aer_dev_correctable"
}

traffic_ready() {
	until [ "$(errors)" -gt 2 ]; do
		pause 0.2
	done
}

prove() {
	errors | proves_text '^([5-9]|[0-9]{2,})$'
	grep -h . "/sys/class/net/$port_a/device/../aer_rootport_total_err_cor" | proves_text '^([5-9]|[0-9]{2,})$'
	dmesg | proves_text 'PCIe Bus Error: severity=Correct'
}
