#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes a tree and runs a benchmark in it.

    in_tree.py TREE [--large] -- PROGRAM ARG…

PROGRAM gets the tree as its first argument."""

import shutil
import subprocess
import sys
from pathlib import Path


def make(tree: Path, *options: str) -> None:
    shutil.rmtree(tree, ignore_errors=True)
    subprocess.run([sys.executable, Path(__file__).with_name("make_tree.py"), tree, *options], check=True)


def main() -> int:
    split = sys.argv.index("--")
    tree, *options = sys.argv[1:split]
    program, *arguments = sys.argv[split + 1:]
    make(Path(tree), *options)
    return subprocess.run([program, tree, *arguments], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
