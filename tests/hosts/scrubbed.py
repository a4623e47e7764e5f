#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A scrubbed bundle tells the same as the one it was made of: the same findings, and the same facts apart from the names in them.

    scrubbed.py --binary build/rdmadoctor
"""

import argparse
import difflib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

from run import HERE, SHOWN, ask, facts_text, findings_text, names, site_of


def without_names(facts):
    facts = re.sub(r'= "[^"]*"', '= "…"', facts)
    facts = re.sub(r"^(\[nvme \S+\]) .*", r"\1", facts, flags=re.M)
    return re.sub(r"^\[host .*", "[host]", re.sub(r"guid-[0-9a-f:]+", "guid-…", facts), flags=re.M)


def told(binary, bundle, site):
    code, report = ask(binary, ["check"], bundle, site)
    _, facts = ask(binary, ["facts", "--all"], bundle, site)
    return re.sub(r"\bhost \S+", "host", findings_text(code, report)) + without_names(facts_text(facts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, type=Path)
    binary = parser.parse_args().binary.resolve()
    bundles = [name for name in names() if (HERE / name / "bundle").is_dir()]
    failed = not bundles
    with tempfile.TemporaryDirectory() as folder:
        for name in bundles:
            source, target = HERE / name / "bundle", Path(folder) / name
            subprocess.run([binary, "record", "--from", source, target, "--scrub"], check=True, stdout=subprocess.DEVNULL)
            before, after = (told(binary, bundle, site_of(HERE / name)).splitlines() for bundle in (source, target))
            difference = list(difflib.unified_diff(before, after, name, f"{name} scrubbed", lineterm=""))
            if difference:
                failed = True
                print("\n".join(difference[:SHOWN]))
    return failed


if __name__ == "__main__":
    sys.exit(main())
