#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Examines labelled reports and tells how often the program names the cause.

    run.py --binary build/rdmadoctor [--verbose] [NAME…]

A case is a folder: report.txt, what a person pasted, and case.toml:
  group     of the symptom, for the table
  expect    rule ids; a case is right when one of them is among the first three that are reported (found, then suspected)
  must_not  rule ids that would be wrong, whether found or suspected
  healthy   nothing of severity medium or above may be found
  source    where such a report was made, or "made" for one written for the symptom
"""

import argparse
import json
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
SERIOUS = ("medium", "high", "critical")
# Of those that expect something.
LEAST_FIRST, LEAST_OF_THREE = 0.80, 0.95


def reports_of(binary: str, report: Path) -> list:
    done = subprocess.run([binary, "check", "--from", report, "--json"], capture_output=True, text=True, timeout=120)
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        return [{"error": (done.stderr or f"exit code {done.returncode}").strip()}]
    return answer.get("hosts", [answer])


def ids(reports: list) -> tuple[list, list]:
    """Rule ids in the order of the report, and findings that are serious."""
    named, serious = [], []
    for part in ("findings", "suspected"):
        for report in reports:
            for finding in report.get(part, []):
                if finding["rule"] not in named:
                    named.append(finding["rule"])
                if part == "findings" and finding["severity"] in SERIOUS:
                    serious.append(finding["rule"])
    return named, serious


class Score:
    def __init__(self):
        self.cases = self.first = self.three = self.healthy = self.alarms = self.violations = 0

    def row(self, group: str) -> str:
        def share(part, whole):
            return f"{part}/{whole}" if whole else "-"

        return (f"{group:<12} {share(self.first, self.cases):>9} {share(self.three, self.cases):>9} "
                f"{share(self.alarms, self.healthy):>13} {self.violations:>9}")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--cases", type=Path, default=HERE, help="a folder of cases")
    parser.add_argument("name", nargs="*")
    options = parser.parse_args()
    folders = sorted(p.parent for p in options.cases.glob("*/case.toml") if not options.name or p.parent.name in options.name)
    if not folders:
        print("no such case", file=sys.stderr)
        return 64
    scores, total = defaultdict(Score), Score()
    for folder in folders:
        case = tomllib.loads((folder / "case.toml").read_text())
        reports = reports_of(options.binary, folder / "report.txt")
        errors = [report["error"] for report in reports if "error" in report]
        named, serious = ids(reports)
        expect, wrong = set(case["expect"]), sorted(set(case["must_not"]) & set(named))
        first, three = bool(expect & set(named[:1])), bool(expect & set(named[:3]))
        for score in (scores[case["group"]], total):
            if expect:
                score.cases += 1
                score.first += first
                score.three += three
            if case["healthy"]:
                score.healthy += 1
                score.alarms += bool(serious)
            score.violations += len(wrong)
        faults = [*errors]
        if expect and not three:
            faults.append(f"expected one of {', '.join(case['expect'])}")
        elif expect and not first:
            faults.append(f"not the first: one of {', '.join(case['expect'])}")
        if case["healthy"] and serious:
            faults.append(f"false alarm: {', '.join(serious)}")
        if wrong:
            faults.append(f"must not be named: {', '.join(wrong)}")
        if faults or options.verbose:
            print(f"{folder.name}: {'; '.join(faults) or 'right'}\n    named: {', '.join(named) or 'nothing'}")
    print(f"\n{'group':<12} {'recall@1':>9} {'recall@3':>9} {'false alarms':>13} {'must not':>9}")
    for group in sorted(scores):
        print(scores[group].row(group))
    print(total.row("all"))
    if options.name:
        return 0
    good = (total.first >= LEAST_FIRST * total.cases and total.three >= LEAST_OF_THREE * total.cases
            and total.alarms == 0 and total.violations == 0)
    print(f"cases: {len(folders)}, recall@1 {total.first / max(total.cases, 1):.0%} (at least {LEAST_FIRST:.0%}), "
          f"recall@3 {total.three / max(total.cases, 1):.0%} (at least {LEAST_OF_THREE:.0%}): {'passed' if good else 'FAILED'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
