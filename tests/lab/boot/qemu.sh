#!/bin/bash
# Boots one lab machine and waits for it to power itself off.
#   qemu.sh KERNEL_DIR INITRAMFS GUEST_SCRIPT SHARE SECONDS
# SHARE is the writable directory the guest sees as /run/lab; it receives console.log
# and qemu.log. A file "disk" in it is a disk of the machine, /dev/vda.
set -euo pipefail

kernel=$1 initramfs=$2 guest=$3 share=$4 limit=$5
release=$(basename "$kernel")

case $guest$share$kernel in
*[[:space:],]*)
	echo "qemu.sh: paths with spaces or commas cannot be passed to the guest: $guest" >&2
	exit 64
	;;
esac

share9p() { # PATH ID TAG OPTIONS
	printf '%s\n' -fsdev "local,id=$2,path=$1,security_model=none$4" \
		-device "virtio-9p-pci,bus=pcie.0,fsdev=$2,mount_tag=$3"
}
port() { # N: a root port on the second NUMA node with one emulated function below it
	printf '%s\n' \
		-device "pcie-root-port,id=rp$1,bus=far,x-speed=16,x-width=16,slot=$1,chassis=$1" \
		-device "e1000e,id=nic$1,bus=rp$1,subsys_ven=0x15b3,subsys=0x0083"
}

kernel_options=(
	console=ttyS0 quiet panic=-1 mitigations=off
	# A busy host stops a virtual CPU for long, which is not the guest's fault.
	nosoftlockup rcupdate.rcu_cpu_stall_suppress=1 no_timer_check
	# The emulated functions are for our module.
	"modprobe.blacklist=e1000e,mlx5_core"
)
options=(
	# Plain emulation: works in any container, and is the same everywhere.
	-accel "tcg,thread=multi"
	# Without the first flag the machine does not look virtual, so PCIe findings are not held back. Without the others the kernel
	# copies and clears words: string instructions are emulated step by step, and a step of one byte takes as long.
	-cpu "max,-hypervisor,-erms,-fsrm"
	-machine q35 -m 3072 -display none -no-reboot -nic none -monitor none
	-serial "file:$share/console.log"
	-kernel "$kernel/boot/vmlinuz-$release" -initrd "$initramfs"
	-append "${kernel_options[*]} lab.guest=$guest"
	# A socket each: the kernel warns about a processor that spans NUMA nodes.
	-smp "2,sockets=2,cores=1,threads=1"
	-object "memory-backend-ram,id=mem0,size=1536M" -numa "node,nodeid=0,cpus=0,memdev=mem0"
	-object "memory-backend-ram,id=mem1,size=1536M" -numa "node,nodeid=1,cpus=1,memdev=mem1"
	-device "pxb-pcie,id=far,bus_nr=0x40,numa_node=1,bus=pcie.0"
)
mapfile -t -O "${#options[@]}" options < <(
	share9p / root hostroot ,readonly=on,multidevs=remap
	share9p "$kernel/lib/modules" modules modules ,readonly=on
	share9p "$share" out out ""
	port 1
	port 2
)
[ ! -e "$share/disk" ] ||
	options+=(-drive "if=none,id=disk,file=$share/disk,format=raw,cache=writeback" -device "virtio-blk-pci,bus=pcie.0,drive=disk")
exec timeout "$limit" qemu-system-x86_64 "${options[@]}" >"$share/qemu.log" 2>&1
