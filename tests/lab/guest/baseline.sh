# Sourced in the guest: the steps that make the raw virtual machine a healthy RDMA host.
#
# The raw machine trusts PCP, has no PFC, small MTU, MRRS 512, THP "always", 8 MiB memlock and no
# huge pages: each of these is a finding on a real host, so a healthy one is put together here.

roce_tos=106         # DSCP 26 with an ECN-capable codepoint
roce_dscp=26
roce_prio=3
lossless_mtu=4200    # leaves room for 4096 bytes of RDMA payload

# iproute2 6.1 leaves the answer to its own query unread; when the second changes before it writes,
# it takes that answer for an error, although the kernel did what it was told. So: say it again.
dcb_set() { # ARGUMENT... of a dcb command that may be repeated
	local try
	for try in {1..5}; do
		dcb "$@" && return 0
	done
	echo "dcb $*: failed $try times" >&2
	return 1
}

set_pfc() { # PRIO, or none
	local port on=()
	[ "$1" = none ] || on=("$1:on")
	for port in $ports; do
		dcb_set pfc set dev "$port" prio-pfc all:off "${on[@]}"
	done
}

trust_dscp() {
	local port
	for port in $ports; do
		dcb_set app replace dev "$port" dscp-prio "$roce_dscp:$roce_prio"
	done
}

set_mtu() {
	ip -batch - <<-BATCH
		link set $port_a mtu $1
		link set $port_b mtu $1
	BATCH
}

# rdma_cm gives its connections this ToS when the application asks for none.
set_default_tos() {
	local device
	for device in $mlx5_devices; do
		mkdir -p "/sys/kernel/config/rdma_cm/$device"
		echo "$1" >"/sys/kernel/config/rdma_cm/$device/ports/1/default_roce_tos"
	done
}

# The field of PCIe Device Control: 5 is 4096 bytes.
set_read_request() {
	local port path options=()
	for port in $ports; do
		path=$(readlink -f "/sys/class/net/$port/device")
		options+=(-s "${path##*/}" "CAP_EXP+8.w=${1}000:7000")
	done
	setpci "${options[@]}"
}

interrupts_near_card() {
	local port vector cpus
	for port in $ports; do
		read -r cpus <"/sys/class/net/$port/device/local_cpulist"
		for vector in /sys/class/net/"$port"/device/msi_irqs/*; do
			echo "$cpus" >"/proc/irq/${vector##*/}/smp_affinity_list"
		done
	done
}

memory_for_rdma() {
	local node
	echo madvise >/sys/kernel/mm/transparent_hugepage/enabled
	echo never >/sys/kernel/mm/transparent_hugepage/defrag
	for node in 0 1; do
		echo 16 >"/sys/devices/system/node/node$node/hugepages/hugepages-2048kB/nr_hugepages"
	done
	echo 0 >/proc/sys/vm/zone_reclaim_mode
	echo 0 >/proc/sys/kernel/numa_balancing
	ulimit -l unlimited
}

# What this site says about itself; a scenario may append to it.
site_config() {
	cat <<-CONFIG
		intent = "lossless"

		[expect]
		devices = 2
	CONFIG
}

# What is true of an emulated machine and no fault of a scenario: its clock is a device, and it shares two processors with its emulation.
site_rules() {
	without_rule clocksource-slow "an emulated machine has no better clock"
	without_rule cpu-starved "an emulated machine waits for its emulation"
}

without_rule() { # ID REASON; until its file is removed
	mkdir -p /etc/rdmadoctor/rules.d
	printf '%s\n' "id = \"$1\"" "enabled = false" "reason = \"$2\"" >"/etc/rdmadoctor/rules.d/lab-$1.toml"
}

baseline_apply() {
	site_rules
	memory_for_rdma
	set_mtu "$lossless_mtu"
	trust_dscp
	set_pfc "$roce_prio"
	set_read_request 5
	interrupts_near_card
	set_default_tos "$roce_tos"
	wait_for_ports
}

show() { # FILE...: name and content
	local file text
	for file in "$@"; do
		read -r text <"$file"
		echo "$file $text"
	done
}

# Everything the scenarios change; after a heal it must read as it did after the baseline.
host_state() {
	local port device
	for port in $ports; do
		show "/sys/class/net/$port"/{mtu,carrier} "$knobs/$port"/{{loss,cut,ecn,damage}_ppm,pause_us,irq_frames,temp,ofed,stalled_wr} \
			"/sys/class/net/$port/device"/{current,max}_link_{speed,width}
		echo "$(<"$knobs/$port/settings")"
	done
	for device in $mlx5_devices; do
		show "/sys/class/infiniband/$device/ports/1/state" \
			"/sys/kernel/config/rdma_cm/$device/ports/1/default_roce_tos"
	done
	rdma resource show qp | sed -n 's/.*\( comm [^[]*\)$/\1/p'
}
