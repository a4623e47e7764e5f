#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A skipped test proves nothing, so each one must be expected by name.

  skips.py RESULTS.xml EXPECTED      ctest's JUnit file; EXPECTED has one test name a line, "# why" behind it

Says nothing when nothing was skipped. With CI=true an unexpected skip fails.
"""
import os
import sys
from xml.etree import ElementTree


def main():
    results, expected_file = sys.argv[1:]
    with open(expected_file, encoding="utf-8") as file:
        expected = {line.split("#")[0].strip() for line in file} - {""}
    skipped = {case.get("name") for case in ElementTree.parse(results).iter("testcase")
               if case.get("status") in ("notrun", "disabled")}
    unexpected = sorted(skipped - expected)
    if unexpected:
        print(f"{len(skipped)} tests were skipped; {len(unexpected)} of them are not in {expected_file}:", file=sys.stderr)
        print("\n".join(f"  {name}" for name in unexpected), file=sys.stderr)
    return bool(unexpected) and os.environ.get("CI") == "true"


if __name__ == "__main__":
    sys.exit(main())
