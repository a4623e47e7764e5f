# SPDX-License-Identifier: GPL-2.0-or-later
"""In how many sweeps the daemon says that packets are lost, and that it is over.

    daemon_loss.py RDMADOCTORD CONFIG STORE SOCKET KNOB LOSS_PPM RULE TITLE MOST_SWEEPS"""

import json
import sys
import time

from ask import ask
from daemon import Daemon, put

CLEAR_SECONDS = 60  # the rule looks back on ten seconds; the rest is for a slow machine
COUNTING = "mlx5_0/1"  # read by every sweep


def sweeps_between(daemon: Daemon, socket: str, start: float, rule: str) -> int:
    """How many had begun after `start` (seconds since 1970) when the finding began, that one too."""
    (began,) = daemon.wait_for_row("SELECT from_ms FROM finding WHERE rule = ? AND from_ms >= ?", (rule, int(1000 * start)))
    series = json.loads(ask(socket, f"/v1/series?entity={COUNTING}&fact=rx_packets&since={start:.3f}&until={began / 1000:.3f}"))
    return len(series["points"])


def main() -> None:
    program, config, store, socket, knob, loss, rule, title, most = sys.argv[1:]
    daemon = Daemon(program, config, store)
    daemon.start()
    daemon.wait_for_row("SELECT 1 FROM journal")
    time.sleep(3)  # traffic without loss is what it is to know first
    quiet = [line for _, line in daemon.said if line.startswith("raise:")]
    if quiet:
        raise SystemExit(f"proof: alerts before anything was lost: {quiet}")
    start, wall = put(knob, loss), time.time()
    raised = daemon.wait_for_line(f"^raise: {title}", start)
    time.sleep(3)  # a flush
    taken = sweeps_between(daemon, socket, wall, rule)
    print(f"proof: loss to the alert: {1000 * (raised - start):.0f} ms, {taken} sweeps of at most {most}")
    start = put(knob, "0")
    cleared = daemon.wait_for_line(f"^clear: {title}", start, CLEAR_SECONDS)
    print(f"proof: end of the loss to the end of the alert: {cleared - start:.1f} s")
    daemon.stop()
    if not 0 < taken <= int(most):
        raise SystemExit(f"proof: {taken} sweeps")


if __name__ == "__main__":
    main()
