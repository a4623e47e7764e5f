#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A text of twice the size takes about twice the time of the processor, and no more memory: whoever pipes a day of logs into `check` must get an answer.

    large_text.py RDMADOCTOR [MIB]

The text is a mix of what large texts are made of: log lines of many kinds, outputs pasted again and again, prose. It runs the program
on MIB and on twice as much (20 and 40 unless said otherwise). The ratio of the times, each the best of three, and the largest resident
set decide."""
import os
import random
import subprocess
import sys
import tempfile

MOST_TIME = 2.6       # times as long for twice as much
MOST_MEMORY = 128     # MiB
WORDS = "flow rule queue page link state probe cache timer reset sync block route table frame".split()


def line_of(rng, number):
    kind = rng.randrange(6)
    words = " ".join(rng.choices(WORDS, k=6))
    if kind == 0:
        return f"[{number / 100:12.6f}] mlx5_core 0000:41:00.{rng.randrange(2)}: {words} {rng.randrange(10**6)}"
    if kind == 1:
        return f"Dec  1 {number // 3600 % 24:02d}:{number // 60 % 60:02d}:{number % 60:02d} host1 daemon[{rng.randrange(10**5)}]: {words}"
    if kind == 2:
        return f"host1:{number}:{number + 1} [{rng.randrange(8)}] transport/net_ib.cc:94 NCCL WARN NET/IB : {words} failed {rng.randrange(10**6)}"
    if kind == 3:
        return f"     rx_{rng.choice(WORDS)}_{rng.randrange(40)}: {rng.randrange(10**12)}"
    if kind == 4:
        return f"/sys/class/net/eth{rng.randrange(4)}/statistics/rx_{rng.choice(WORDS)}:{number}"
    return f"somebody wrote {words} and nothing came of it"


def make(path, mib):
    rng = random.Random(7)
    block = []
    with open(path, "w", encoding="ascii") as file:
        for number in range(60_000):
            if number % 200 == 0:
                block.append("[root@host1 ~]# ethtool -S eth2")
            block.append(line_of(rng, number))
        text = "\n".join(block) + "\n"
        for _ in range(mib * (1 << 20) // len(text) + 1):
            file.write(text)


def run(binary, path):
    """Seconds of the processor, and MiB."""
    child = subprocess.Popen([binary, "check", "--json", "--from", path], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1, 2, 3):
        sys.exit(f"exit code {child.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    binary = sys.argv[1]
    mib = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for size in (mib, 2 * mib):
            path = os.path.join(folder, f"{size}.txt")
            make(path, size)
            runs = [run(binary, path) for _ in range(3)]
            results.append((min(each[0] for each in runs), max(each[1] for each in runs)))
            print(f"{size} MiB: {results[-1][0]:.2f} s, {results[-1][1]:.0f} MiB resident")
    ratio = results[1][0] / results[0][0]
    memory = max(each[1] for each in results)
    print(f"twice the text takes {ratio:.2f} times as long (at most {MOST_TIME}); {memory:.0f} MiB (at most {MOST_MEMORY})")
    return ratio > MOST_TIME or memory > MOST_MEMORY


if __name__ == "__main__":
    sys.exit(main())
