#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A second compiler's opinion, without objects: clang reads, warns and writes nothing.

  compile.py sources BUILD    every unit of compile_commands.json of BUILD that belongs to the product; what a sanitizer
                              tree has compiled with the same compiler and warnings need not be read twice
  compile.py headers BUILD    every header of the product and the tests on its own; a unit that includes its header first
                              is that proof already
"""
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

COMPILER = "clang++-16"
ROOMS = ("core/", "collectors/", "daemon/", "notify/", "cli/", "workload/")


def flags_of(command):
    """Defines, include paths, standard and warnings: what the two compilers understand alike."""
    words = iter(shlex.split(command))
    for word in words:
        if word in ("-isystem", "-I", "-D"):
            yield from (word, next(words))
        elif word.startswith(("-I", "-D", "-isystem", "-std=", "-W")):
            yield word


def common_prefix(first, second):
    return len(os.path.commonpath([first, second]))


def first_includes(root, units):
    """Headers that nothing stands before in some unit."""
    for path in units:
        with open(path, encoding="utf-8") as file:
            found = re.search(r'^#include "([^"]+)"|^#include', file.read(), re.M)
        if found and found.group(1):
            yield os.path.join(root, found.group(1))


def asked(tree, *arguments):
    return subprocess.run(["ninja", "-C", tree, *arguments], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout


def newer_than_their_sources(tree, objects):
    """Of the objects in the tree. A dry run of ninja does not tell: it takes the list of files for changed, always."""
    times = {}

    def time_of(path):
        if path not in times:
            full = os.path.join(tree, path)
            times[path] = os.stat(full).st_mtime_ns if os.path.exists(full) else None
        return times[path]

    made, current = set(), None
    for line in asked(tree, "-t", "deps", *objects).split("\n"):
        if line.startswith(" "):
            changed = time_of(line.strip())
            if current and (changed is None or changed > time_of(current)):
                made.discard(current)
        else:
            current = line.split(": #deps")[0] if line.endswith("(VALID)") else None
            if current and time_of(current) is not None:
                made.add(current)
    return made


def compiled_already(build):
    """Units that the tests and fuzzers in BUILD/asan are made of, as they are now. The rest of that tree nobody builds."""
    tree = os.path.join(build, "asan")
    commands = os.path.join(tree, "compile_commands.json")
    if not os.path.exists(commands):
        return set()
    with open(commands, encoding="utf-8") as file:
        entries = {re.search(r" -o (\S+)", entry["command"]).group(1): entry for entry in json.load(file)}
    inputs = asked(tree, "-t", "inputs", "unit_tests", "tests/fuzz/all").split("\n")
    made = newer_than_their_sources(tree, [name for name in inputs if name in entries])
    same = all(COMPILER in entries[name]["command"] and "-Werror" in entries[name]["command"] for name in made)
    return {entries[name]["file"] for name in made} if same else set()


def jobs(mode, root, units, done):
    if mode == "sources":
        for path, flags in units.items():
            if os.path.relpath(path, root).startswith(ROOMS) and path not in done:
                yield path, [*flags, path]
        return
    proven = set(first_includes(root, units))
    for top in (*ROOMS, "tests/unit/"):
        for folder, _, files in os.walk(os.path.join(root, top)):
            for header in sorted(os.path.join(folder, name) for name in files if name.endswith(".h")):
                if header in proven:
                    continue
                # A header is seen as its nearest unit sees it.
                nearest = max(units, key=lambda unit, header=header: common_prefix(unit, header))
                yield header, [*units[nearest], "-include", header, "-x", "c++", os.devnull]


def compile_one(build, flags):
    return subprocess.run([COMPILER, "-fsyntax-only", *flags], cwd=build, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def main():
    mode, build = sys.argv[1], os.path.abspath(sys.argv[2])
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        units = {entry["file"]: list(flags_of(entry["command"])) for entry in json.load(file)}
    done = compiled_already(build) if mode == "sources" else set()
    todo = list(jobs(mode, root, units, done))
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        results = list(pool.map(lambda job: compile_one(build, job[1]), todo))
    failed = [(name, result) for (name, _), result in zip(todo, results) if result.returncode]
    for name, result in failed:
        print(f"--- {os.path.relpath(name, root)}\n{result.stdout}")
    print(f"{len(todo) - len(failed)} of {len(todo)} {mode} accepted by {COMPILER}" +
          (f", {len(done)} more by the tree of the sanitizers" if done else ""))
    return bool(failed) or not todo


if __name__ == "__main__":
    sys.exit(main())
