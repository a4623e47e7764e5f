# The optical module is above the temperature at which it raises its alarm.
group=check boot=shared expect=module-high-temperature exit=2

fault() {
	knob "$port_a" temp 78
}

prove() {
	ethtool -m "$port_a" >"$out/module"
	proves_text 'Module temperature +: 78' <"$out/module"
	proves_text 'Module temperature high alarm +: On' <"$out/module"
}

heal() {
	knob "$port_a" temp 40
}
