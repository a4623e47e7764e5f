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

HERE = Path(__file__).resolve().parent
# The aim is 1.5 and is not reached yet; until then the guard keeps what has been reached.
GOAL_OF_LOOP = 1.5
MOST_OF_LOOP = 2.5
MOST_OF_EXPORTER = 1 / 3
SCRAPES = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cpu_ms(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def exporter_scrape_ms(binary: str, tree: Path) -> float:
    port = free_port()
    server = subprocess.Popen(
        [binary, "--collector.disable-defaults", "--collector.infiniband", f"--path.sysfs={tree / 'sys'}",
         f"--web.listen-address=127.0.0.1:{port}", "--web.disable-exporter-metrics", "--log.level=error"],
        stdin=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}/metrics"
        for _ in range(100):
            try:
                page = urllib.request.urlopen(url, timeout=5).read()
                break
            except OSError:
                time.sleep(0.05)
        else:
            raise SystemExit("node exporter did not answer")
        series = sum(1 for line in page.splitlines() if line.startswith(b"node_infiniband_"))
        if series < 100:
            raise SystemExit(f"node exporter gave {series} infiniband series only: the comparison would be void")
        begin = cpu_ms(server.pid)
        for _ in range(SCRAPES):
            urllib.request.urlopen(url, timeout=5).read()
        spent = (cpu_ms(server.pid) - begin) / SCRAPES
        print(f"node exporter: {series} series, {spent:.3f} ms CPU a scrape (over {SCRAPES} scrapes)")
        return spent
    finally:
        server.kill()
        server.wait()


def main() -> int:
    sweep_cost, work = sys.argv[1], Path(sys.argv[2])
    exporter = sys.argv[3] if len(sys.argv) > 3 else shutil.which("prometheus-node-exporter")
    tree = work / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    subprocess.run([sys.executable, HERE / "make_tree.py", tree], check=True)
    run = subprocess.run([sweep_cost, tree, str(MOST_OF_LOOP)], capture_output=True, text=True)
    print(run.stdout, end="")
    print(run.stderr, end="", file=sys.stderr)
    failed = run.returncode != 0
    of_loop = next((float(line.split()[4]) for line in run.stdout.splitlines() if line.startswith("ratio sweep / loop:")), None)
    if of_loop is not None and of_loop > GOAL_OF_LOOP:
        print(f"the aim of {GOAL_OF_LOOP} times the bare loop is missed by {of_loop - GOAL_OF_LOOP:.2f}")
    if not exporter:
        raise SystemExit("prometheus-node-exporter is missing: ./dev setup bench")
    ours = float(next(line.split()[1] for line in run.stdout.splitlines() if line.startswith("sweep_cpu_ms")))
    theirs = exporter_scrape_ms(exporter, tree)
    ratio = ours / theirs
    print(f"ratio sweep / scrape: {ratio:.3f} (at most {MOST_OF_EXPORTER:.3f})")
    failed = failed or ratio > MOST_OF_EXPORTER
    print("bench:", "FAILED" if failed else "passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
