#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the hosts `made-…`: bundles of machines that nobody has on the desk.

    make_hosts.py            write what is missing or different
    make_hosts.py --check    exit 1 when the hosts are not what this program would write

Each host is a folder: bundle/ (or tree/, plain files as `--from DIR` takes them), site.toml where the operator of
that host would have one, and expected/, which run.py keeps.
"""

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the sources are not ours to litter

from maker import bare, bundle, plain, training

HERE = Path(__file__).resolve().parent

TRAINING_SITE = f"""\
intent = "lossless"

[expect]
devices = 8
rate = 400
roce_dscp = 26

[expect.firmware]
{training.mlx5.BOARD} = "{training.mlx5.FIRMWARE}"
"""


def hosts():
    """Folder below tests/hosts → files of that folder."""
    nobody = [training.as_nobody(moment) for moment in training.moments()]
    bundles = {
        "made-cx7x8-training-healthy": (training.IDENTITY, training.moments(), TRAINING_SITE),
        "made-cx7x8-training-degraded": (training.IDENTITY, training.moments(training.degrade), TRAINING_SITE),
        "made-cx7x8-training-healthy-unprivileged": (training.UNPRIVILEGED, nobody, TRAINING_SITE),
        "made-host-without-rdma-healthy": (plain.IDENTITY, plain.moments(), None),
    }
    made = {}
    for name, (identity, moments, site) in bundles.items():
        made[name] = {"bundle/" + piece: text for piece, text in bundle.pieces(identity, moments).items()}
        if site:
            made[name]["site.toml"] = site
    made["made-bare-tree-healthy"] = {"tree/" + path: text for path, text in bare.files().items()}
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    found = []
    for name, files in hosts().items():
        if options.check:
            found += bundle.differences(HERE / name, files)
        else:
            bundle.write(HERE / name, files)
    for line in found[:20]:
        print(line, file=sys.stderr)
    if len(found) > 20:
        print(f"… and {len(found) - 20} more", file=sys.stderr)
    if found:
        sys.exit("run tests/hosts/make_hosts.py and look at the difference before committing it")


if __name__ == "__main__":
    main()
