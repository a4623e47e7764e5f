#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds rules/index.toml to the rules, and docs/troubleshooting.md to both.

    index.py RULES PAGE              complains, one a line
    index.py --update RULES PAGE     writes PAGE; so does RDMADOCTOR_UPDATE_GOLDEN=1 in the environment
    index.py --selftest              each complaint is made when it should be

Each id of the index is a rule or explained: nothing that is known may be dropped without a word.
"""

import os
import sys
import tempfile
import tomllib
from pathlib import Path

STATUSES = {"part of": "of", "not visible on a host": "why"}
KEYS = {"id", "title", "severity", "status", "of", "why"}


def load(path):
    return tomllib.loads(path.read_text(encoding="utf-8"))


def load_rules(folder):
    rules = {}
    for path in sorted(folder.glob("*/*.toml")):
        rule = load(path)
        rules[rule["id"]] = rule | {"path": path.relative_to(folder).as_posix(), "folder": path.parent.name}
    return rules


def complaints(index, rules):
    listed = [name for group in index["group"] for name in group["ids"]]
    entries = {entry["id"]: entry for entry in index.get("entry", [])}
    waiting = index.get("open", [])
    for name in sorted({name for name in listed if listed.count(name) > 1}):
        yield f"{name}: listed twice"
    if len(entries) != len(index.get("entry", [])):
        yield "an id has two entries"
    for name in listed:
        if name not in rules and name not in entries and name not in waiting:
            yield f"{name}: neither a rule nor explained by an entry"
    for name in waiting:
        if name not in listed:
            yield f"{name}: open, but in no group"
        if name in entries:
            yield f"{name}: open and explained at once"
    for name, entry in entries.items():
        if name in rules:
            yield f"{name}: explained by an entry, but it has a rule now"
        if name not in listed:
            yield f"{name}: explained by an entry, but in no group"
        if not KEYS >= entry.keys() or not entry.get("title") or not entry.get("severity"):
            yield f"{name}: an entry has id, title, severity, status, and of or why"
        needed = STATUSES.get(entry.get("status"))
        if needed is None:
            yield f"{name}: no status '{entry.get('status')}'; there are {', '.join(STATUSES)}"
        elif not entry.get(needed):
            yield f"{name}: '{entry['status']}' needs '{needed}'"
        for other in entry.get("of", []):
            if other not in rules:
                yield f"{name}: part of '{other}', which is no rule"


def rule_status(rule):
    if "log" not in rule:
        return "rule (facts)"
    return "rule + log" if "when" in rule else "log only"


def link(rule):
    return f"[{rule['id']}](../rules/{rule['path']})"


def entry_status(entry, rules):
    why = entry.get("why", "")
    if entry["status"] == "part of":
        return f"part of {', '.join(link(rules[name]) for name in entry['of'])}" + (f". {why}" if why else "")
    return f"{entry['status']}: {why[0].lower()}{why[1:]}".rstrip(".")


def table(rows):
    yield from ("| id | severity | what is wrong | status |", "| --- | --- | --- | --- |")
    yield from ("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)


def row_of(name, rules, entries):
    if name in rules:
        rule = rules[name]
        return link(rule), rule["severity"], rule["title"], rule_status(rule)
    if name in entries:
        entry = entries[name]
        return name, entry["severity"], entry["title"], entry_status(entry, rules)
    return name, "", "", "open"


def page(index, rules):
    entries = {entry["id"]: entry for entry in index.get("entry", [])}
    listed = {name for group in index["group"] for name in group["ids"]}
    counts = {}
    for rule in rules.values():
        counts[rule_status(rule)] = counts.get(rule_status(rule), 0) + 1
    yield "# Troubleshooting"
    yield ""
    yield "<!-- Made by tests/rules/index.py from rules/. To write it anew: RDMADOCTOR_UPDATE_GOLDEN=1 ctest -R rules.index -->"
    yield ""
    yield (f"What can be wrong, and what `rdmadoctor check` makes of it. {len(rules)} rules: "
           f"{counts.get('rule (facts)', 0)} judge facts of the host, {counts.get('log only', 0)} lines of logs, "
           f"{counts.get('rule + log', 0)} both. `rdmadoctor explain ID` tells all of a rule; "
           "`rdmadoctor explain TERM` what a status, a counter or an error means.")
    yield ""
    yield ("*Rule (facts)*: the condition is judged by facts. *Log only*: no interface of the host offers it; it is known by what the kernel or "
           "an application writes. *Rule + log*: either. *Part of*: another rule finds it. *Not visible on a host*: the reason is said.")
    for group in index["group"]:
        yield from ("", f"## {group['name']}", "")
        yield from table(row_of(name, rules, entries) for name in group["ids"])
    yield from ("", "## Beyond these lists")
    others = [rule for rule in rules.values() if rule["id"] not in listed]
    for folder in sorted({rule["folder"] for rule in others}):
        yield from ("", f"### {folder}", "")
        yield from table(row_of(rule["id"], rules, entries) for rule in others if rule["folder"] == folder)


def differs(written, path):
    if not path.is_file():
        return f"{path}: not there"
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, (ours, theirs) in enumerate(zip(written.splitlines() + [""], lines + [""]), 1):
        if ours != theirs:
            return f"{path}:{number}: it says '{theirs[:90]}', and should '{ours[:90]}'"
    return None if len(lines) == len(written.splitlines()) else f"{path}: it has {len(lines)} lines"


def check(folder, path, update):
    index, rules = load(folder / "index.toml"), load_rules(folder)
    found = list(complaints(index, rules))
    if found:
        return found
    written = "\n".join(page(index, rules)) + "\n"
    if update:
        path.write_text(written, encoding="utf-8")
    stale = differs(written, path)
    return [f"{stale}\nmake it anew: RDMADOCTOR_UPDATE_GOLDEN=1 ctest -R rules.index"] if stale else []


RULE = 'id = "{0}"\ntitle = "T"\nseverity = "low"\nwhen = \'x\'\n'
GOOD = """
open = ["c"]
[[group]]
name = "G"
ids = ["a", "b", "c"]
[[entry]]
id = "b"
title = "B"
severity = "low"
status = "part of"
of = ["a"]
"""
# What is changed in the good index, and what must be said of it.
BREACHES = [
    ('ids = ["a", "b", "c"]', 'ids = ["a", "b", "c", "d"]', "d: neither a rule nor explained"),
    ('open = ["c"]', "open = []", "c: neither a rule nor explained"),
    ('open = ["c"]', 'open = ["c", "e"]', "e: open, but in no group"),
    ('open = ["c"]', 'open = ["b", "c"]', "b: open and explained at once"),
    ('ids = ["a", "b", "c"]', 'ids = ["a", "b", "c", "a"]', "a: listed twice"),
    ('id = "b"', 'id = "a"', "a: explained by an entry, but it has a rule now"),
    ('id = "b"', 'id = "z"', "z: explained by an entry, but in no group"),
    ('of = ["a"]', 'of = ["q"]', "b: part of 'q', which is no rule"),
    ('of = ["a"]', "", "b: 'part of' needs 'of'"),
    ('"part of"', '"log"', "b: no status 'log'"),
    ('"part of"', '"not visible on a host"', "b: 'not visible on a host' needs 'why'"),
    ('title = "B"', "", "b: an entry has id, title"),
]


def selftest():
    with tempfile.TemporaryDirectory() as name:
        folder, written = Path(name), Path(name) / "page.md"
        (folder / "g").mkdir()
        (folder / "g" / "a.toml").write_text(RULE.format("a"))
        for before, after, expected in [("", "", None), *BREACHES]:
            (folder / "index.toml").write_text(GOOD.replace(before, after) if before else GOOD)
            got = check(folder, written, True)
            if (expected is None and got) or (expected and not any(line.startswith(expected) for line in got)):
                yield f"'{before}' -> '{after}': expected '{expected}', got {got}"
        (folder / "index.toml").write_text(GOOD)
        (folder / "g" / "c.toml").write_text(RULE.format("c"))
        if check(folder, written, True):
            yield "an open id that has a rule now is no fault"
        written.write_text(written.read_text() + "more\n")
        if not check(folder, written, False):
            yield "a page that is not what it should be goes unnoticed"


def main(arguments):
    if arguments == ["--selftest"]:
        found = list(selftest())
    else:
        update = "--update" in arguments or os.environ.get("RDMADOCTOR_UPDATE_GOLDEN") == "1"
        folder, path = (Path(argument) for argument in arguments if argument != "--update")
        found = check(folder, path, update)
    if found:
        print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
