#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A second compiler's opinion, without objects: clang reads, warns and writes nothing.

  compile.py sources BUILD    every unit of compile_commands.json of BUILD that belongs to the product; what the tree of the
                              fuzzers has compiled with the same compiler and warnings need not be read twice
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


def compiled_by_fuzzers(build):
    """Units that the fuzzers in BUILD/fuzz are made of, when they are up to date. The rest of that tree nobody builds."""
    tree, fuzzers = os.path.join(build, "fuzz"), "tests/fuzz/all"
    commands = os.path.join(tree, "compile_commands.json")
    if not os.path.exists(commands) or "no work to do" not in asked(tree, "-n", fuzzers):
        return set()
    objects = set(asked(tree, "-t", "inputs", fuzzers).split("\n"))
    with open(commands, encoding="utf-8") as file:
        entries = json.load(file)
    made = [entry for entry in entries if re.search(r" -o (\S+)", entry["command"]).group(1) in objects]
    same = all(COMPILER in entry["command"] and "-Werror" in entry["command"] for entry in made)
    return {entry["file"] for entry in made} if same else set()


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
    done = compiled_by_fuzzers(build) if mode == "sources" else set()
    todo = list(jobs(mode, root, units, done))
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        results = list(pool.map(lambda job: compile_one(build, job[1]), todo))
    failed = [(name, result) for (name, _), result in zip(todo, results) if result.returncode]
    for name, result in failed:
        print(f"--- {os.path.relpath(name, root)}\n{result.stdout}")
    print(f"{len(todo) - len(failed)} of {len(todo)} {mode} accepted by {COMPILER}" +
          (f", {len(done)} more by the tree of the fuzzers" if done else ""))
    return bool(failed) or not todo


if __name__ == "__main__":
    sys.exit(main())
