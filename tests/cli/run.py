#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs transcripts of the command line and compares what it says.

    run.py --binary build/rdmadoctor FILE.test…            compare
    run.py --binary build/rdmadoctor --update FILE.test…   write down what it says now

A transcript is a list of sections:

    --- NOTE                for readers
    --- RUN                 a shell command. $BUNDLES and $HOSTS hold sources, $SITE keeps this machine's own settings out,
                            $TMP is a scratch folder of this transcript
    --- EXIT 1              its exit code; 0 where it is not said
    --- EXPECT              standard output, whole. A line "..." stands for any lines, within a line "..." for any text
    --- STDERR              standard error, the same; nothing where it is not said

Without EXPECT the output is not looked at. Rule hashes, the version and paths of the machine are replaced before comparing.
The rules are those in rules/, not the shipped ones, so that a new rule changes no transcript.
"""

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECTION = re.compile(r"^--- (NOTE|RUN|EXIT|EXPECT|STDERR)(?: (\d+))?$")


def parse(text):
    """[[kind, argument, lines]…]"""
    sections = []
    for line in text.splitlines():
        match = SECTION.match(line)
        if match:
            sections.append([match[1], match[2], []])
        elif sections:
            sections[-1][2].append(line)
        else:
            sys.exit(f"'{line}' stands before the first section")
    return sections


def steps(sections):
    """One dict of sections a RUN."""
    found = []
    for section in sections:
        if section[0] == "RUN":
            found.append({"RUN": section})
        elif section[0] and section[0] != "NOTE":
            found[-1][section[0]] = section
    return found


def environment(binary, scratch):
    (scratch / "site").mkdir()
    (scratch / "site.toml").touch()
    return {
        "PATH": f"{binary.parent}:{os.environ['PATH']}", "HOME": str(scratch), "TMP": str(scratch), "LC_ALL": "C.UTF-8",
        "TERM": "xterm", "RDMADOCTOR_RULES": "rules", "BUNDLES": "bundles", "HOSTS": "../hosts",
        "SITE": f"--config {scratch}/site.toml --rules-dir {scratch}/site",
    }


def plain(text, scratch, version):
    text = text.replace(str(scratch), "$TMP").replace(str(HERE.parent.parent), "$ROOT")
    text = re.sub(r"\b[0-9a-f]{16}\b", "HASH", text)
    return text.replace(version, "VERSION").splitlines()


def matches(expected, got):
    """Lines against lines, "..." for any number of them."""
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r"\n" for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in got)) is not None


def strip_end(lines):
    """Without the empty lines that only part a section from the next."""
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines


def run_step(step, env, scratch, version):
    """(complaints, what it said) of one command."""
    command = "\n".join(step["RUN"][2])
    done = subprocess.run(["sh", "-c", command], cwd=HERE, env=env, capture_output=True, timeout=120, check=False)
    got = {"EXIT": done.returncode, "EXPECT": plain(done.stdout.decode(errors="replace"), scratch, version),
           "STDERR": plain(done.stderr.decode(errors="replace"), scratch, version)}
    complaints = []
    code = int(step["EXIT"][1]) if "EXIT" in step else 0
    if got["EXIT"] != code:
        complaints.append(f"exit code {got['EXIT']}, expected {code}")
    for kind in ("EXPECT", "STDERR"):
        if kind == "EXPECT" and kind not in step:
            continue
        expected = strip_end(step[kind][2]) if kind in step else []
        if not matches(expected, strip_end(got[kind])):
            complaints += difflib.unified_diff(expected, strip_end(got[kind]), f"{kind} expected", kind, lineterm="")
    return [f"$ {command.strip()}", *complaints] if complaints else [], got


def update(step, got):
    for kind in ("EXPECT", "STDERR"):
        if kind in step and not any("..." in line for line in step[kind][2]):
            step[kind][2] = strip_end(got[kind]) + [""]
    if "EXIT" in step:
        step["EXIT"][1] = str(got["EXIT"])


def write(path, sections):
    text = []
    for kind, argument, lines in sections:
        text.append(f"--- {kind}" + (f" {argument}" if argument is not None else ""))
        text += lines
    path.write_text("\n".join(strip_end(text)) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, type=Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    options = parser.parse_args()
    binary = options.binary.resolve()
    version = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    failed = False
    for path in options.files:
        sections = parse(path.read_text())
        if not steps(sections):
            sys.exit(f"{path}: no RUN section")
        with tempfile.TemporaryDirectory() as folder:
            scratch = Path(folder)
            env = environment(binary, scratch)
            for step in steps(sections):
                complaints, got = run_step(step, env, scratch, version)
                if options.update:
                    update(step, got)
                elif complaints:
                    failed = True
                    print("\n".join([f"{path.name}:", *complaints]))
        if options.update:
            write(path, sections)
    return failed


if __name__ == "__main__":
    sys.exit(main())
