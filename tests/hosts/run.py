#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Asks the program about recorded and made hosts, and compares with what it said when somebody last looked.

    run.py --binary build/rdmadoctor NAME…            compare with NAME/expected/
    run.py --binary build/rdmadoctor --update NAME…   write NAME/expected/ anew

NAME is a folder beside this file; without one, all of them. A host with `healthy` in its name must be told healthy
whatever is written down: that is the promise not to cry wolf.
"""

import argparse
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHOWN = 40  # lines of a difference: one new fact may be there for each of 64 priorities
# How long looking took, and how much was asked, is not a property of the host.
OF_THE_OBSERVER = re.compile("sweep_(reads|failed|seconds)$|(source_reads|source_ns|source_failed|source_late_ns|discovery_ns|read_backoff)_")


def names():
    return sorted(path.name for path in HERE.iterdir() if any((path / kind).is_dir() for kind in ("bundle", "tree")))


def source_of(host):
    return host / ("bundle" if (host / "bundle").is_dir() else "tree")


def site_of(host):
    site = host / "site.toml"
    return site if site.is_file() else None


def ask(binary, command, source, site):
    """Exit code and answer of `rdmadoctor COMMAND --json`. Nothing of the machine that runs the test comes in: neither
    its configuration nor its site rules."""
    with tempfile.TemporaryDirectory() as folder:
        nothing = Path(folder) / "rdmadoctor.toml"
        nothing.touch()
        # The deadline is for devices that hang. Here only a busy machine could miss it.
        arguments = [binary, *command, "--json", "--from", source, "--config", site or nothing, "--deadline", "50s"]
        if command[0] == "check":
            rules = Path(folder) / "rules.d"
            rules.mkdir()
            arguments += ["--rules-dir", rules]
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "RDMADOCTOR_RULES": str(HERE.parent.parent / "rules")})
    if done.stderr or not done.stdout:
        sys.exit(f"{' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stderr}")
    return done.returncode, json.loads(done.stdout)


def label(entity):
    """As people name it: "port mlx5_0/1"."""
    return f"{entity['kind']} {entity['name'] or entity['id']}".strip()


def value_text(fact):
    value = fact["value"]
    if isinstance(value, dict):
        return "→ " + label({"name": "", **value})
    text = json.dumps(value, ensure_ascii=False)
    return text if isinstance(value, str) else f"{text} {fact['unit']}".strip()


def without_value(facts):
    """Facts that are gaps, a line or a few for each class: there are as many of them as there are values."""
    classes = {}
    for fact in facts:
        classes.setdefault(fact["gap"]["class"], []).append(fact["fact"])
    for kind, names in sorted(classes.items()):
        yield from textwrap.wrap(f"({kind}) {' '.join(names)}", 160, subsequent_indent="  ", break_on_hyphens=False)


def facts_text(report):
    lines = []
    for entity in report["entities"]:
        lines.append(f"[{label(entity)}]" + (f" {entity['id']}" if entity["id"] not in ("", entity["name"]) else ""))
        facts = [fact for fact in entity["facts"] if not (entity["kind"] == "host" and OF_THE_OBSERVER.match(fact["fact"]))]
        lines += [f"{fact['fact']} = {value_text(fact)}" for fact in facts if "gap" not in fact]
        lines += without_value([fact for fact in facts if "gap" in fact])
        lines.append("")
    lines += [f"{missing['kind']}: not enumerated ({missing['gap']['class']})" for missing in report["not_enumerated"]]
    return "\n".join(lines).rstrip("\n") + "\n"


def finding_line(finding):
    line = f"{finding['severity']} {finding['rule']} {label(finding['subject'])} {finding['state']}"
    causes = sorted(f"{cause['rule']} {label(cause['subject'])}" for cause in finding["causes"])
    return line + (f" (caused by {', '.join(causes)})" if causes else "")


def unknown_lines(unknown):
    for missing in unknown["missing"]:
        fact = f"{label(missing['entity'])}.{missing['fact']}"
        yield f"unknown {unknown['rule']} {label(unknown['subject'])}: {fact} {missing['class']}"


def findings_text(code, report):
    lines = sorted(finding_line(finding) for finding in report["findings"] + report["suspected"])
    unknown = sorted({line for unknown in report["unknown"] for line in unknown_lines(unknown)})
    return "\n".join([f"exit code {code}", *lines, *unknown]) + "\n"


def false_alarms(code, report, is_tree):
    found = [finding_line(finding) for finding in report["findings"] + report["suspected"]]
    # Files alone do not tell everything, and that is said: exit code 3.
    if code != 0 and not (is_tree and code == 3):
        found.append(f"exit code {code}")
    return found


def compare(path, text):
    old = path.read_text() if path.is_file() else ""
    where = path.relative_to(HERE)
    lines = list(difflib.unified_diff(old.splitlines(True), text.splitlines(True), f"{where}", f"{where} now"))
    more = f"… and {len(lines) - SHOWN} lines more\n" if len(lines) > SHOWN else ""
    return "".join(lines[:SHOWN]) + more


def examine(binary, name, update):
    """Complaints about one host, as text; empty when all is as expected."""
    host = HERE / name
    _, facts = ask(binary, ["facts", "--all"], source_of(host), site_of(host))
    code, report = ask(binary, ["check"], source_of(host), site_of(host))
    expected = {"facts.txt": facts_text(facts), "findings.txt": findings_text(code, report)}
    complaint = ""
    for file, text in expected.items():
        path = host / "expected" / file
        if update:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        else:
            complaint += compare(path, text)
    if "healthy" in name:
        alarms = false_alarms(code, report, source_of(host).name == "tree")
        complaint += "".join(f"{name} is healthy, but: {alarm}\n" for alarm in alarms)
    return complaint


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, type=Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    failed = False
    for name in options.names or names():
        complaint = examine(options.binary.resolve(), name, options.update)
        if complaint:
            failed = True
            print(complaint)
    if failed and not options.update:
        print("If this is what it should say now: tests/hosts/run.py --binary build/rdmadoctor --update")
    return failed


if __name__ == "__main__":
    sys.exit(main())
