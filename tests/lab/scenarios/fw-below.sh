# The site wants newer firmware on this board than the card runs.
group=check boot=shared expect=fw-below-site-minimum exit=1

fault() {
	cat >>"$config" <<-CONFIG

		[expect.firmware]
		"MT_0000000838" = "28.43.1014"
	CONFIG
}

prove() {
	ethtool -i "$port_a" | proves_text 'firmware-version: 28.39.1002 \(MT_0000000838\)'
}
