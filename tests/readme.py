#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The README shows what the program says: each block that begins with `$ rdmadoctor …` is run and compared.

  readme.py README.md PROGRAM

A line `…` stands for any lines. Paths in the commands are those of the source folder.
"""
import re
import shlex
import subprocess
import sys
from pathlib import Path


def matches(shown, said):
    """Do the lines shown stand in the output, in order, and without a gap except where … allows one?"""
    at, gap = 0, False
    for line in shown:
        if line == "…":
            gap = True
            continue
        found = next((i for i in range(at, len(said) if gap else min(at + 1, len(said))) if said[i] == line), None)
        if found is None:
            return line
        at, gap = found + 1, False
    return None if gap or at == len(said) else f"(more than shown: {said[at]})"


def main():
    readme, program = Path(sys.argv[1]).resolve(), str(Path(sys.argv[2]).resolve())
    blocks = re.findall(r"^```\n\$ rdmadoctor (.*)\n((?:.*\n)*?)```$", readme.read_text(encoding="utf-8"), re.M)
    wrong = 0
    for command, shown in blocks:
        said = subprocess.run([program, *shlex.split(command)], cwd=readme.parent, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env={"LC_ALL": "C.UTF-8"}).stdout
        different = matches(shown.splitlines(), said.rstrip("\n").splitlines())
        if different is not None:
            wrong += 1
            print(f"$ rdmadoctor {command}\nnot in its output, or not there: {different}\n--- it says\n{said}")
    print(f"{len(blocks) - wrong} of {len(blocks)} examples as shown")
    return bool(wrong) or not blocks


if __name__ == "__main__":
    sys.exit(main())
