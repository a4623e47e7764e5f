#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds real --json output to the schemas that the program itself prints.

    schemas.py --binary build/rdmadoctor
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from jsonschema import Draft202012Validator

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RULE_DIRECTORIES = (ROOT / "rules", HERE / "rules")

TERMS = ["wc:12", "RNR_RETRY_EXC_ERR", "vendor:0x81", "vendor:0x77", "IBV_EVENT_PORT_ERR", "ENOMEM", "ibv_reg_mr: ENOMEM",
         "mlx5:out_of_sequence", "bnxt_re:recoverable_errors"]


def sources():
    yield from (path for path in sorted((HERE / "bundles").iterdir()) if path.is_dir())
    for host in sorted((HERE.parent / "hosts").iterdir()):
        yield from (host / kind for kind in ("bundle", "tree") if (host / kind).is_dir())


def commands(rule_ids, fact_names):
    """(schema, arguments) of everything that prints JSON."""
    yield "facts", ["facts", "--list"]
    yield "rules", ["rules", "list"]
    yield "rules", ["rules", "diff", HERE / "rules", ROOT / "rules"]
    # What `rules list` and `explain` say of every rule has the same parts.
    yield from (("rules", ["rules", "show", rule]) for rule in rule_ids[::25])
    yield "explain", ["explain", *rule_ids, *fact_names]
    yield "explain", ["explain", *TERMS]
    everything = list(sources())
    yield "diff", ["diff", *everything, "--as", "twins"]
    yield "diff", ["diff", *everything[:2], "--as", "recordings", "--counters"]
    for source in everything:
        for interval in (["--interval", "0"], []):
            yield "check", ["check", "--from", source, *interval]
        yield "facts", ["facts", "--all", "--from", source]
    texts = HERE / "texts"
    yield "check", ["check", "--from", texts / "two-readings.txt"]
    yield "check", ["check", "--from", texts / "two-hosts.txt", "--host", "client1"]
    yield "facts", ["facts", "--from", texts / "two-readings.txt"]
    yield "check-hosts", ["check", "--from", texts / "two-hosts.txt"]


class Program:
    def __init__(self, binary, rules):
        self.binary = binary
        self.env = {**os.environ, "RDMADOCTOR_RULES": str(rules)}

    def ask(self, arguments):
        done = subprocess.run([self.binary, *arguments], env=self.env, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode not in range(4) or done.stderr:
            sys.exit(f"{arguments}: exit code {done.returncode}\n{done.stderr}")
        return json.loads(done.stdout)


def validators(program):
    """By schema: what the program prints is what docs/schema holds."""
    found = {}
    for path in sorted((ROOT / "docs" / "schema").glob("*.schema.json")):
        name = path.name.removesuffix(".schema.json")
        schema = json.loads(path.read_text())
        if schema != program.ask(["schema", name]):
            sys.exit(f"schema {name}: the program prints another one than docs/schema holds; build it anew")
        Draft202012Validator.check_schema(schema)
        found[name] = Draft202012Validator(schema)
    return found


def complaints(binary):
    known = validators(Program(binary, ROOT / "rules"))
    for rules in RULE_DIRECTORIES:
        program = Program(binary, rules)
        rule_ids = [rule["id"] for rule in program.ask(["rules", "list", "--json"])["rules"]]
        facts = [fact for fact in program.ask(["facts", "--list", "--json"])["catalog"] if not fact["family"]]
        names = [f"{fact['kind']}.{fact['name']}" for fact in facts]
        for name, arguments in commands(rule_ids, names):
            answer = program.ask([*arguments, "--json"])
            errors = list(known[name].iter_errors(answer))
            if name == "check-hosts":
                errors += [error for host in answer["hosts"] for error in known["check"].iter_errors(host)]
            for error in errors:
                where = "/".join(map(str, error.absolute_path))
                yield f"{' '.join(map(str, arguments))}: at {where}: {error.message[:300]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, type=Path)
    found = list(complaints(parser.parse_args().binary.resolve()))
    print("\n".join(found[:40]))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
