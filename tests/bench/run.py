#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the benchmarks whose ratios may fail a build, and prints the rest.

    run.py SWEEP_COST WORK_DIR [NODE_EXPORTER]

A sweep's CPU against a bare C loop over the same files, and against a scrape of prometheus-node-exporter (infiniband collector only)
on the same tree, in one run."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from in_tree import make

HERE = Path(__file__).resolve().parent
MOST_OF_LOOP = 1.5
MOST_OF_EXPORTER = 1 / 3
SCRAPES = 60
STEP = 137  # what a counter counts between two looks: no rate that a rule has as its boundary


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cpu_ms(pid: int) -> float:
    """Of all threads, by the scheduler's own account: clock ticks are too coarse for one scrape."""
    return sum(int((task / "schedstat").read_text().split()[0]) for task in Path(f"/proc/{pid}/task").iterdir()) / 1e6


class Exporter:
    """prometheus-node-exporter over the tree, on the processor that the sweeps have too."""

    def __init__(self, binary: str, tree: Path) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/metrics"
        self.counters = [os.open(path, os.O_WRONLY) for path in tree.glob("sys/class/infiniband/*/ports/*/*counters/*")]
        self.value = 20_000_000
        self.server = subprocess.Popen(
            [binary, "--collector.disable-defaults", "--collector.infiniband", f"--path.sysfs={tree / 'sys'}",
             f"--web.listen-address=127.0.0.1:{port}", "--web.disable-exporter-metrics", "--log.level=error"],
            stdin=subprocess.DEVNULL)
        for _ in range(100):
            try:
                page = urllib.request.urlopen(self.url, timeout=5).read()
                break
            except OSError:
                time.sleep(0.05)
        else:
            raise SystemExit("node exporter did not answer")
        series = sum(1 for line in page.splitlines() if line.startswith(b"node_infiniband_"))
        if series < 100:
            raise SystemExit(f"node exporter gave {series} infiniband series only: the comparison would be void")
        print(f"node exporter: {series} series")

    def scrape_ms(self, times: int = SCRAPES) -> float:
        """CPU of a scrape while the counters count on, as they do between the sweeps it is compared with."""
        spent = 0.0
        for _ in range(times):
            self.value += STEP
            text = f"{self.value}\n".encode()
            for counter in self.counters:
                os.pwrite(counter, text, 0)
            begin = cpu_ms(self.server.pid)
            urllib.request.urlopen(self.url, timeout=5).read()
            spent += cpu_ms(self.server.pid) - begin
        return spent / times

    def stop(self) -> None:
        self.server.kill()
        self.server.wait()


def contest(sweep_cost: str, tree: Path, exporter: Exporter) -> tuple[bool, float]:
    """Whether the sweeps kept to their bar against the loop, and a sweep as a part of a scrape."""
    before = exporter.scrape_ms()
    run = subprocess.run([sweep_cost, tree, str(MOST_OF_LOOP)], capture_output=True, text=True)
    print(run.stdout, end="")
    print(run.stderr, end="", file=sys.stderr)
    if run.returncode not in (0, 1):
        raise SystemExit(run.returncode)
    after = exporter.scrape_ms()
    ours = float(next(line.split()[1] for line in run.stdout.splitlines() if line.startswith("sweep_cpu_ms")))
    ratio = ours / ((before + after) / 2)
    print(f"node exporter: {before:.3f} ms CPU a scrape before the sweeps, {after:.3f} ms after them")
    print(f"ratio sweep / scrape: {ratio:.3f} (at most {MOST_OF_EXPORTER:.3f})")
    return run.returncode == 0, ratio


def main() -> int:
    sweep_cost, work = sys.argv[1], Path(sys.argv[2])
    binary = sys.argv[3] if len(sys.argv) > 3 else shutil.which("prometheus-node-exporter")
    if not binary:
        raise SystemExit("prometheus-node-exporter is missing: ./dev setup bench")
    tree = work / "tree"
    make(tree)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # the children too
    exporter = Exporter(binary, tree)
    try:
        # A neighbour on the machine can spoil one contest, not three.
        for _ in range(3):
            kept, ratio = contest(sweep_cost, tree, exporter)
            if kept and ratio <= MOST_OF_EXPORTER:
                print("bench: passed")
                return 0
    finally:
        exporter.stop()
    print("bench: FAILED")
    return 1


if __name__ == "__main__":
    sys.exit(main())
