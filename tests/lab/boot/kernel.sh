#!/bin/bash
# Fetches the Debian kernel a metapackage points at today, and the headers to build modules for it.
# Nothing is installed: packages are unpacked below CACHE and reused.
#   kernel.sh SERIES CACHE      SERIES = 6.12 or 6.1
# Prints the directory of the unpacked kernel, whose name is the kernel release. It holds
#   boot/vmlinuz-RELEASE  lib/modules/RELEASE  usr/src/linux-headers-RELEASE
set -euo pipefail

series=$1 cache=$2

case $series in
6.12) image_meta=linux-image-6.12-amd64 headers_meta=linux-headers-6.12-amd64 ;;
6.1) image_meta=linux-image-amd64 headers_meta=linux-headers-amd64 ;;
*)
	echo "kernel.sh: unknown kernel series '$series' (6.12 or 6.1)" >&2
	exit 64
	;;
esac

# What PACKAGE depends on directly, filtered by a pattern.
depends() {
	apt-cache depends --no-recommends --no-suggests "$1" |
		sed -n 's/^ *Depends: //p' | grep -E "$2"
}

# Exact names change with every security update, so they come from the metapackages.
image=$(depends "$image_meta" '^linux-image-[0-9].*-amd64$')
headers=$(depends "$headers_meta" '^linux-headers-[0-9].*-amd64$')
release=${image#linux-image-}
dir=$cache/$release

if [ ! -e "$dir/.complete" ]; then
	mkdir -p "$dir/packages"
	# The headers package needs its common half and the kernel's own build programs.
	mapfile -t needed < <(depends "$headers" '^linux-(headers|kbuild)-')
	(cd "$dir/packages" && apt-get -q download "$image" "$headers" "${needed[@]}") >&2
	for package in "$dir"/packages/*.deb; do
		dpkg -x "$package" "$dir"
	done
	rm -r "$dir/packages"
	# The headers refer to their installed place; here they live below $dir.
	tree=$dir/usr/src/linux-headers-$release
	grep -rlI --exclude-dir=include '/usr/src/linux-headers-' "$tree" |
		xargs -r sed -i "s|/usr/src/linux-headers-|$dir/usr/src/linux-headers-|g"
	depmod -b "$dir" "$release"
	touch "$dir/.complete"
fi
echo "$dir"
