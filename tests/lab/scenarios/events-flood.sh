# Two thousand changes of addresses, each of which is one of a GID table too. None is lost, and what is kept of them stays small.
group=daemon boot=shared expect=none exit=0
. "$(dirname "${BASH_SOURCE[0]}")/../guest/events.sh"

prove() {
	record_events events --contexts always --fold
	wait_for_event events 'name=context-opened subject=mlx5_0'
	pause 1
	addresses add | ip -batch -
	addresses del | ip -batch -
	pause 2
	end_events
	proves_total events 1000 address added "$port_a"
	proves_total events 1000 address removed "$port_a"
	proves_total events 2000 verbs GID_CHANGE mlx5_0/1
	proves_at_most events lines 60
	proves_at_most events most_memory_kb 16000
	proves_no_text 'overrun|unreadable' <"$out/events"
}
