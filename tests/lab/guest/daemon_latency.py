# SPDX-License-Identifier: GPL-2.0-or-later
"""How long after a port has lost its carrier, and has got it back, the daemon says so, and its store has it.

    daemon_latency.py RDMADOCTORD CONFIG STORE KNOB INTERFACE TIMES MOST_MS"""

import statistics
import sys
import time

from daemon import Daemon, put

SPACING = 2.2  # the kernel tells of a link at most once a second


class Kept:
    """Events of the store, as they come in."""

    def __init__(self, daemon: Daemon, interface: str):
        self.database, self.interface = daemon.connect(), interface

    def wait(self, name: str, last: int, most: float = 20) -> tuple[float, int]:
        until = time.monotonic() + most
        while time.monotonic() < until:
            row = self.database.execute("SELECT id FROM event WHERE id > ? AND source = 'link' AND name = ? AND subject = ?",
                                        (last, name, self.interface)).fetchone()
            if row:
                return time.monotonic(), row[0]
            time.sleep(0.002)
        raise SystemExit(f"proof: no {name} of {self.interface} in the store within {most} s")

    def last(self) -> int:
        return self.database.execute("SELECT coalesce(max(id), 0) FROM event").fetchone()[0]


def show(what: str, seconds: list[float]) -> float:
    ordered = sorted(1000 * one for one in seconds)
    median = statistics.median(ordered)
    print(f"proof: {what}: median {median:.1f} ms, least {ordered[0]:.1f}, most {ordered[-1]:.1f}, of {len(ordered)}")
    return median


def main() -> None:
    program, config, store, knob, interface, times, most = sys.argv[1:]
    daemon = Daemon(program, config, store)
    daemon.start()
    daemon.wait_for_row("SELECT 1 FROM journal")
    kept = Kept(daemon, interface)
    alerts, downs, ups = [], [], []
    for _ in range(int(times)):
        time.sleep(SPACING)
        last = kept.last()
        start = put(knob, "0")
        seen, last = kept.wait("carrier-down", last)
        downs.append(seen - start)
        alerts.append(daemon.wait_for_line("^raise: An RDMA port lost its link", start) - start)
        time.sleep(SPACING)
        start = put(knob, "1")
        seen, _ = kept.wait("carrier-up", last)
        ups.append(seen - start)
        daemon.wait_for_line("^clear: An RDMA port lost its link", start)
    daemon.stop()
    medians = [show("loss of the carrier to the alert", alerts), show("loss of the carrier to the store", downs)]
    show("return of the carrier to the store", ups)
    if max(medians) > float(most):
        raise SystemExit(f"proof: more than {most} ms")


if __name__ == "__main__":
    main()
