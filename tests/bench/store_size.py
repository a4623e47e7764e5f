#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The size of the store beside blocks of Prometheus made from the same samples.

    store_size.py STORE_SIZE WORK_DIR [HOURS]"""

import shutil
import subprocess
import sys
from pathlib import Path

MOST_OF_BLOCKS = 0.6


def main() -> int:
    program, work = sys.argv[1], Path(sys.argv[2])
    hours = sys.argv[3] if len(sys.argv) > 3 else "2"
    promtool = shutil.which("promtool")
    if not promtool:
        raise SystemExit("promtool is missing: ./dev setup bench")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    store, text, blocks = work / "metrics.db", work / "samples.txt", work / "blocks"
    run = subprocess.run([program, hours, store, text], capture_output=True, text=True, check=True)
    print(run.stdout, end="")
    subprocess.run([promtool, "tsdb", "create-blocks-from", "openmetrics", text, blocks], check=True, stdout=subprocess.DEVNULL)
    samples = int(next(line.split()[1] for line in run.stdout.splitlines() if line.startswith("samples ")))
    ours = sum(path.stat().st_size for path in work.glob("metrics.db*"))
    theirs = sum(path.stat().st_size for path in blocks.rglob("*") if path.is_file())
    if theirs < samples / 2:
        raise SystemExit(f"promtool made {theirs} bytes of {samples} samples: the comparison would be void")
    ratio = ours / theirs
    print(f"store {ours} bytes ({ours / samples:.3f} a sample), blocks {theirs} bytes ({theirs / samples:.3f} a sample)")
    print(f"ratio store / blocks: {ratio:.3f} (at most {MOST_OF_BLOCKS})")
    print("bench:", "passed" if ratio <= MOST_OF_BLOCKS else "FAILED")
    return 0 if ratio <= MOST_OF_BLOCKS else 1


if __name__ == "__main__":
    sys.exit(main())
