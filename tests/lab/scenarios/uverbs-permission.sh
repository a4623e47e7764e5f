# Only root may open the devices, as a udev rule of the site has it.
group=check boot=shared expect=uverbs-permission exit=2

fault() {
	chmod 600 /dev/infiniband/uverbs*
}

prove() {
	proves_fails setpriv --reuid=65534 --regid=65534 --clear-groups ibv_devinfo -d mlx5_0
	stat -c %a /dev/infiniband/uverbs0 | proves_text '^600$'
}

heal() {
	chmod 666 /dev/infiniband/uverbs*
}
