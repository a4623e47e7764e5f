#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A device that is pulled out must be missed: made from a healthy bundle by taking one device away everywhere.

    unplugged.py --binary build/rdmadoctor before   gone before anybody looked; the site expects eight devices
    unplugged.py --binary build/rdmadoctor between  gone between the two moments; nothing is expected
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

from maker import bundle, training
from run import HERE, ask, finding_line

GONE = "mlx5_7"
HEALTHY = "made-cx7x8-training-healthy"


def without_device(moment, nic, address):
    """As if neither the RDMA device nor its netdev and PCI function were there."""
    names = {nic.name, nic.netdev.name, address}

    def doomed(name):
        return any(part in names for part in name.split("/"))

    left = bundle.without(moment, doomed)
    for subject, key in (("rdma.devices", f"name={nic.name} "), ("rtnl.link", f"ifname={nic.netdev.name} ")):
        left.reads[subject] = "".join(line for line in left.reads[subject].splitlines(True) if key not in line)
    return left


def moments(when):
    nic = training.healthy(0).nic(GONE)
    before, after = training.moments()
    pulled = [without_device(moment, nic, nic.function.address) for moment in (before, after)]
    return pulled if when == "before" else [before, pulled[1]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, type=Path)
    parser.add_argument("when", choices=("before", "between"))
    options = parser.parse_args()
    site = HERE / HEALTHY / "site.toml" if options.when == "before" else None
    with tempfile.TemporaryDirectory() as folder:
        bundle.write(folder, bundle.pieces(training.IDENTITY, moments(options.when)))
        code, report = ask(options.binary.resolve(), ["check"], Path(folder), site)
    said = [finding_line(finding) for finding in report["findings"]]
    if code != 2 or not any(finding["rule"] == "rdma-device-missing" for finding in report["findings"]):
        sys.exit(f"{GONE} was pulled out and not missed: exit code {code}, findings: {said}")


if __name__ == "__main__":
    main()
