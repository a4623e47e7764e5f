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

from maker import (bare, broadcom, bundle, container, faults, infiniband, intel, lag, misconfigured, mlx5, ofed, plain, soft,
                   storage, training)

HERE = Path(__file__).resolve().parent


def site(devices, firmware=None, intent=None, **expect):
    """What the operator of a host says of it. `firmware`: board → lowest version."""
    lines = [f'intent = "{intent}"', ""] if intent else []
    lines += ["[expect]", f"devices = {devices}"] + [f"{key} = {value}" for key, value in expect.items()]
    if firmware:
        lines += ["", "[expect.firmware]"] + [f'"{board}" = "{version}"' for board, version in firmware.items()]
    return "\n".join(lines) + "\n"


TRAINING_SITE = site(8, {mlx5.BOARD: mlx5.FIRMWARE}, "lossless", rate=400, roce_dscp=26)
STORAGE_SITE = site(2, intent="lossless", rate=100, roce_dscp=26)
ROCE_SITE = site(2, rate=100, roce_dscp=26)
IB_SITE = site(5, {infiniband.CX6.board: infiniband.CX6.firmware}, rate=100)
LAG_SITE = site(1, intent="lossless", rate=100, roce_dscp=26)
OFED_SITE = site(2, {"*": "16.31.1014"})


def hosts():
    """Folder below tests/hosts → files of that folder."""
    nobody = [training.as_nobody(moment) for moment in training.moments()]
    bundles = {
        "made-cx7x8-training-healthy": (training.IDENTITY, training.moments(), TRAINING_SITE),
        "made-cx7x8-training-degraded": (training.IDENTITY, training.moments(faults.network), TRAINING_SITE),
        "made-cx7x8-training-misconfigured": (
            training.IDENTITY, training.moments(misconfigured.host_side), TRAINING_SITE),
        "made-cx7x8-training-healthy-unprivileged": (training.UNPRIVILEGED, nobody, TRAINING_SITE),
        "made-cx5-storage-healthy": (storage.IDENTITY, storage.moments(), STORAGE_SITE),
        "made-cx5-storage-degraded": (storage.IDENTITY, storage.moments(storage.degrade), STORAGE_SITE),
        "made-bnxt-database-healthy": (broadcom.IDENTITY, broadcom.moments(), ROCE_SITE),
        "made-bnxt-database-degraded": (broadcom.IDENTITY, broadcom.moments(broadcom.degrade), ROCE_SITE),
        "made-irdma-compute-healthy": (intel.IDENTITY, intel.moments(), ROCE_SITE),
        "made-irdma-compute-degraded": (intel.IDENTITY, intel.moments(intel.degrade), ROCE_SITE),
        "made-cx6-infiniband-healthy": (infiniband.IDENTITY, infiniband.moments(), IB_SITE),
        "made-cx6-infiniband-degraded": (infiniband.IDENTITY, infiniband.moments(infiniband.degrade), IB_SITE),
        "made-vf-container-healthy": (container.IDENTITY, container.moments(), None),
        "made-vf-container-degraded": (container.IDENTITY, container.moments(container.degrade), None),
        "made-cx6-lag-healthy": (lag.IDENTITY, lag.moments(), LAG_SITE),
        "made-cx6-lag-degraded": (lag.IDENTITY, lag.moments(lag.degrade), LAG_SITE),
        "made-pod-shared-degraded": (container.IDENTITY, container.moments(container.degrade_shared), None),
        "made-ofed-2021-healthy": (ofed.IDENTITY, ofed.moments(), OFED_SITE),
        "made-ofed-2021-degraded": (ofed.IDENTITY, ofed.moments(ofed.degrade), OFED_SITE),
        "made-soft-healthy": (soft.IDENTITY, soft.moments(), None),
        "made-soft-degraded": (soft.IDENTITY, soft.moments(soft.degrade), None),
        "made-soft-without-module": (soft.IDENTITY, soft.moments(soft.without_module), None),
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
