#!/usr/bin/env python3
# Judges the results of the scenarios against what their headers expect.
#   judge.py RESULTS KERNEL_RELEASE
# RESULTS/plan has one scenario a line, tab-separated: name, expected rule, expected exit code, most
# seconds, expected gap, rules that must also be found, rules that come and go with the moment. RESULTS/NAME
# is what the guest left. Exits 1 when a scenario failed.
import json
import pathlib
import re
import sys

# Of the kernel, and of the program; that the load crashed when it was killed is neither.
KERNEL_TROUBLE = re.compile(r"BUG:|WARNING:|blocked for more than|Oops:|general protection fault[,:]"
                            r"|rdmadoctor[\w-]*\[\d+\].*(segfault|general protection|invalid opcode|divide error)")


def text(path):
    return path.read_text(errors="replace").strip() if path.exists() else ""


def plain(words):
    return str(words).replace("_", " ").replace("-", " ").lower()


def has_gap(report, fact, gap_class):
    return any(
        missing.get("fact", "").split(".")[-1] == fact
        and plain(missing.get("class")) == plain(gap_class)
        for unknown in report.get("unknown", [])
        for missing in unknown.get("missing", [])
    ) or any(
        evidence.get("fact", "").split(".")[-1] == fact
        and plain(gap_class) in plain(evidence.get("gap"))
        for finding in report.get("findings", [])
        for evidence in finding.get("evidence", [])
    )


def rules_of(path):
    return sorted({finding["rule"] for finding in json.loads(text(path)).get("findings", [])})


def judge(results, name, rule, exit_code, most_seconds, gap, also, passing):
    """Returns the first rule found, the exit code, the seconds, and what is wrong."""
    out = results / name
    got_exit, seconds = text(out / "exit") or "-", text(out / "seconds") or "-"
    if got_exit == "-":
        return "-", got_exit, seconds, ["did not run: " + (text(out / "log")[-300:] or "no log")]
    wrong = []
    try:
        report = json.loads(text(out / "check.json"))
        found = [finding["rule"] for finding in report.get("findings", [])]
    except (ValueError, KeyError, AttributeError) as error:
        return "no report", got_exit, seconds, [
            f"check.json: {error!r}; stderr: {text(out / 'check.stderr')[-300:]}"]
    first = found[0] if found else "none"
    if rule not in ("any", first):
        wrong.append("findings: " + (", ".join(found) or "none"))
    for missed in set(also.split()) - set(found):
        wrong.append(f"{missed} is not among the findings: " + ", ".join(found))
    if exit_code not in ("any", got_exit):
        wrong.append(f"exit code {got_exit}")
    if most_seconds and float(seconds) > float(most_seconds):
        wrong.append(f"took {seconds} s of {most_seconds}")
    if gap and not has_gap(report, *gap.split(" ", 1)):
        wrong.append(f"no gap '{gap}' in the report")
    if (out / "recorded.json").exists():
        try:
            live, recorded = rules_of(out / "check.json"), rules_of(out / "recorded.json")
            if (set(live) ^ set(recorded)) - set(passing.split()):
                wrong.append(f"live: {', '.join(live) or 'none'}; recorded: {', '.join(recorded) or 'none'}")
        except ValueError as error:
            wrong.append(f"recorded.json: {error!r}")
    for file in ("unproven", "unhealed"):
        if text(out / file):
            wrong.append(f"{file}: {text(out / file)}")
    trouble = [line for line in text(out / "kernel.log").splitlines() if KERNEL_TROUBLE.search(line)]
    if trouble:
        wrong.append("kernel log: " + "; ".join(trouble[:3]))
    if text(out / "status") != "0":
        wrong.append("the scenario's script failed: " + text(out / "log")[-300:])
    return first, got_exit, seconds, wrong


def main():
    results, release = pathlib.Path(sys.argv[1]), sys.argv[2]
    rows, notes, failed = [], [], 0
    for line in text(results / "plan").splitlines():
        name, rule, exit_code, most_seconds, gap, also, passing = (line + "\t" * 6).split("\t")[:7]
        first, got_exit, seconds, wrong = judge(
            results, name, rule, exit_code, most_seconds, gap, also, passing)
        failed += bool(wrong)
        rows.append((name, rule, first, f"{exit_code}/{got_exit}", seconds,
                     "FAILED" if wrong else "passed"))
        notes += [f"{name}: {what}" for what in wrong]
    if rows:
        rows.insert(0, ("scenario", "expected rule", "found rule", "exit", "check s", "result"))
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        for row in rows:
            print(" | ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        del rows[0]
    for note in notes:
        print(note)
    print(f"lab: {len(rows)} scenarios, {len(rows) - failed} passed, {failed} failed (kernel {release})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
