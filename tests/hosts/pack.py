#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packs a recorded bundle: files of a few lines go into the table `values` of their moment.

    pack.py BUNDLE

A GID table of soft-RoCE alone is a thousand files. What the bundle says stays the same.
"""

import argparse
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True

from maker.bundle import BYTES, is_short, table

TABLES = ("values", "links", "lists", "errors", "gone")


def name_of(piece):
    """The name a file stands for: below @/ a subject, else a path."""
    name = re.sub("%([0-9A-F]{2})", lambda byte: chr(int(byte.group(1), 16)), str(piece))
    return name.removeprefix("@/") if name.startswith("@/") else "/" + name


def pack(moment):
    rows = []
    for path in sorted(path for path in moment.rglob("*") if path.is_file()):
        text = path.read_text(encoding=BYTES)
        piece = path.relative_to(moment)
        if str(piece) in TABLES or not is_short(text):
            continue
        rows.append((name_of(piece), text[:-1]))
        path.unlink()
    for folder in sorted((path for path in moment.rglob("*") if path.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
    if rows:
        values = moment / "values"
        before = values.read_text(encoding=BYTES) if values.exists() else ""
        values.write_text(before + table(rows), encoding=BYTES)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundle", type=Path)
    bundle = parser.parse_args().bundle
    for moment in sorted(bundle.glob("t[0-9]*")):
        pack(moment)
    manifest = bundle / "manifest.toml"
    manifest.write_text(re.sub(r"(?m)^pieces = .*\n", "", manifest.read_text()))


if __name__ == "__main__":
    main()
