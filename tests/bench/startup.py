#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What starting the program costs, beside starting an interpreter that does nothing.

    startup.py RDMADOCTOR HOST_BUNDLE

Monitoring systems start a check every minute on every host. CPU of whole processes, taking turns; the median of the ratios counts."""

import resource
import subprocess
import sys
import tempfile

ROUNDS, STARTS = 9, 5
# All rules are read and their patterns compiled, five hundred of each.
MOST = {"--version": 1.0, "rules list": 18.0, "check": 36.0}


def cpu_ms(command: list[str]) -> float:
    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    begin = spent()
    for _ in range(STARTS):
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if done.returncode not in (0, 1, 2, 3) or done.stderr:
            raise SystemExit(f"{' '.join(command)}: exit code {done.returncode} {done.stderr.decode()}")
    return (spent() - begin) * 1000 / STARTS


def main() -> int:
    program, host = sys.argv[1:3]
    empty = tempfile.NamedTemporaryFile(suffix=".toml")  # not the configuration of the machine that runs this
    nothing = empty.name
    commands = {
        "--version": [program, "--version"],
        "rules list": [program, "rules", "list", "--config", nothing],
        "check": [program, "check", "--from", host, "--config", nothing],
    }
    failed = False
    for name, command in commands.items():
        ours, theirs, ratios = [], [], []
        for _ in range(ROUNDS):
            theirs.append(cpu_ms([sys.executable, "-S", "-c", "pass"]))
            ours.append(cpu_ms(command))
            ratios.append(ours[-1] / theirs[-1])
        ratio = sorted(ratios)[ROUNDS // 2]
        print(f"{name}: {sorted(ours)[ROUNDS // 2]:.1f} ms CPU, an idle interpreter {sorted(theirs)[ROUNDS // 2]:.1f} ms (budgets); "
              f"ratio {ratio:.2f}, at most {MOST[name]:.1f}")
        failed = failed or ratio > MOST[name]
    print("startup:", "FAILED" if failed else "passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
