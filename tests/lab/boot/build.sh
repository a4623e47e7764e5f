#!/bin/bash
# Builds what runs in the guest: the test card's module and the traffic helper.
#   build.sh KERNEL_DIR OUT      KERNEL_DIR as printed by kernel.sh
# Leaves OUT/labnic.ko and OUT/rcpair.
set -euo pipefail

lab=$(dirname "$(dirname "$(readlink -f "$0")")")
kernel=$1 out=$2
release=$(basename "$kernel")

# kbuild writes beside its sources, so it gets copies; unchanged ones keep their time.
mkdir -p "$out/module"
cp -up "$lab"/module/Kbuild "$lab"/module/*.[ch] "$out/module/"
# Type information for BPF is not needed and would ask for one more package (pahole).
if ! make -s -C "$kernel/usr/src/linux-headers-$release" M="$out/module" \
	CONFIG_DEBUG_INFO_BTF_MODULES= modules >"$out/module.log" 2>&1 ||
	grep -E '^[^ ]+\.[ch]:[0-9]+:.*warning:' "$out/module.log" >&2; then
	cat "$out/module.log" >&2
	exit 1
fi
strip --strip-debug -o "$out/labnic.ko" "$out/module/labnic.ko"

gcc -std=gnu17 -O2 -g -Wall -Wextra -Werror -o "$out/rcpair" "$lab/tools/rcpair.c" -libverbs
