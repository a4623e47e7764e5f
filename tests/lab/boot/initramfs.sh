#!/bin/bash
# Builds the initramfs of the lab: it mounts the host's root file system read-only over 9p, puts a
# tmpfs overlay on it, mounts the results share and hands over to the guest script.
#   initramfs.sh KERNEL_DIR OUT_FILE
set -euo pipefail

kernel=$1 out=$2
release=$(basename "$kernel")
modules=(virtio_pci 9pnet_virtio 9p overlay)

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{bin,proc,sys,dev,lower,rw,root,modules}
cp "$(command -v busybox)" "$tree/bin/busybox"
for applet in sh mount mkdir switch_root insmod cat; do
	ln -s busybox "$tree/bin/$applet"
done
# Uncompressed and numbered in the order they have to be loaded.
for module in "${modules[@]}"; do
	modprobe -d "$kernel" -S "$release" --show-depends "$module"
done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | awk '!seen[$0]++' | {
	number=10
	while read -r file; do
		name=$number-$(basename "$file")
		case $file in
		*.xz) xz -dc "$file" >"$tree/modules/${name%.xz}" ;;
		*) cp "$file" "$tree/modules/$name" ;;
		esac
		number=$((number + 1))
	done
}

cat >"$tree/init" <<'INIT'
#!/bin/sh
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in /modules/*; do insmod "$module"; done
share=trans=virtio,version=9p2000.L,msize=512000
mount -t 9p -o $share,ro,cache=loose hostroot /lower
mount -t tmpfs tmpfs /rw
mkdir /rw/upper /rw/work
mount -t overlay -o lowerdir=/lower,upperdir=/rw/upper,workdir=/rw/work overlay /root
mkdir -p /root/lib/modules
mount -t 9p -o $share,ro,cache=loose modules /root/lib/modules
mount -t tmpfs tmpfs /root/run
mkdir /root/run/lab
mount -t 9p -o $share out /root/run/lab
for tree in proc sys dev; do mount --move /$tree /root/$tree; done
guest=$(cat /root/proc/cmdline)
guest=${guest##*lab.guest=}
exec switch_root /root /bin/bash "${guest%% *}"
INIT
chmod +x "$tree/init"
(cd "$tree" && find . | cpio -o -H newc --quiet | gzip -1) >"$out"
