#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What Prometheus says of our metrics: nothing.

    metrics.py METRICS_TEXT WORK_DIR

On the tree of the benchmarks, each host of tests/hosts, and a frame that has every row of the catalogue:
  - the older text form passes `promtool check metrics` without a word;
  - OpenMetrics text is taken by promtool's parser, sample for sample."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# A host without a device has what the observer tells of itself, by collector.
MOST_SERIES, MOST_SERIES_OF_A_DEVICE = 1500, 1000


def texts_of(program: str, source: str, work: Path) -> tuple[str, str]:
    work.mkdir(parents=True, exist_ok=True)
    files = work / "open", work / "prometheus"
    subprocess.run([program, source, *files], check=True)
    return files[0].read_text(), files[1].read_text()


def lint(promtool: str, text: str) -> str:
    done = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr + ("" if done.returncode == 0 else f"exit status {done.returncode}\n")


def with_times(text: str) -> str:
    """Blocks are made of samples that have a time; ours have none, for Prometheus gives them its own."""
    return "".join(line if line.startswith("#") else f"{line.rstrip()} 1764547200\n" for line in text.splitlines(True))


def parse(promtool: str, text: str, work: Path) -> str:
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / "text").write_text(with_times(text))
    done = subprocess.run([promtool, "tsdb", "create-blocks-from", "openmetrics", "-r", work / "text", work / "blocks"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stdout + done.stderr
    samples = sum(not line.startswith("#") for line in text.splitlines())
    table = re.findall(r"^\w{26}\s.*", done.stdout, re.M)
    taken = sum(int(line.split()[-3]) for line in table)
    return "" if taken == samples else f"{taken} of {samples} samples were taken\n{done.stdout}"


def judge(promtool: str, program: str, source: str, work: Path) -> list[str]:
    new, old = texts_of(program, source, work)
    wrong = lint(promtool, old).splitlines() + parse(promtool, new, work / "blocks").splitlines()
    samples = [line for line in new.splitlines() if not line.startswith("#")]
    if sorted(samples) != sorted(line for line in old.splitlines() if not line.startswith("#")):
        wrong.append("the two forms have different samples")
    devices = sum(line.startswith("rdmadoctor_device_info{") for line in samples)
    if source != "--catalogue" and len(samples) > MOST_SERIES + MOST_SERIES_OF_A_DEVICE * devices:
        wrong.append(f"{len(samples)} series for {devices} devices")
    print(f"{source}: {len(samples)} series, {devices} devices, {len(wrong)} complaints")
    return [f"{source}: {line}" for line in wrong]


def main() -> int:
    program, work = sys.argv[1], Path(sys.argv[2])
    promtool = shutil.which("promtool")
    if not promtool:
        raise SystemExit("promtool is missing: ./dev setup bench")
    tree = work / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    subprocess.run([sys.executable, ROOT / "tests/bench/make_tree.py", tree], check=True, stdout=subprocess.DEVNULL)
    hosts = sorted([*ROOT.glob("tests/hosts/*/bundle"), *ROOT.glob("tests/hosts/*/tree")])
    wrong = [line for source in ("--catalogue", tree, *hosts)
             for line in judge(promtool, program, str(source), work / "texts")]
    print("\n".join(wrong))
    return bool(wrong) or not hosts


if __name__ == "__main__":
    sys.exit(main())
