# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints a fact of a report as `facts --json` and /v1/facts give it (standard input): its value, or its gap.

    fact.py NAME"""

import json
import sys

for entity in json.load(sys.stdin)["entities"]:
    for fact in entity["facts"]:
        if fact["fact"] == sys.argv[1]:
            gap = fact.get("gap", {})
            print(fact["value"] if not gap else f"gap {gap['class']}: {gap['reason']}: {gap['remedy']}")
