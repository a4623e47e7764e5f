#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds the code to the may-include table of docs/architecture.md and to the calls that have one place only.

  layering.py ROOT        complaints about the tree at ROOT, one a line: path:line: kind: what
  layering.py --selftest  fixtures/ breaks every rule once; each breach must be found, and nothing else
"""
import os
import re
import shutil
import sys
import tempfile

MAX_LINES = 400

# Room → what it may include beside its own files: a folder, or one header. A folder of code without a row is refused.
MAY_INCLUDE = {
    "core/base": [],
    "core/host": ["core/base/"],
    "core/ingest": ["core/base/", "core/host/"],
    "core/facts": ["core/base/", "core/host/host.h", "core/host/clock.h"],
    "core/diagnosis": ["core/base/", "core/host/host.h", "core/facts/"],
    "core/render": ["core/base/", "core/host/host.h", "core/facts/", "core/diagnosis/"],
    "core/tuning": ["core/base/", "core/host/host.h", "core/facts/", "core/diagnosis/"],
    "core/store": ["core/base/", "core/host/host.h", "core/facts/", "core/diagnosis/", "core/tuning/"],
    "core/program": ["core/base/", "core/diagnosis/"],
    "collectors": ["core/base/", "core/host/host.h", "core/facts/"],
    "daemon": ["core/", "collectors/"],
    "daemon/alerts": ["core/base/", "core/host/host.h", "core/host/descriptor.h", "core/facts/", "core/diagnosis/"],
    "notify": ["core/base/", "core/host/clock.h", "core/host/descriptor.h", "daemon/alerts/config.h", "daemon/alerts/spool.h"],
    "cli": ["core/", "collectors/"],
}
# Collectors do not know each other: beside its own header, a file may include only the shared helpers.
COLLECTOR_SHARED = ("collectors/common/", "collectors/all.h")

PURE = ("core/base/", "core/facts/", "core/diagnosis/", "core/render/", "core/tuning/", "collectors/")
LIBRARIES = ("core/", "collectors/")
NOT_MEMBER = r"(?<![\w.>:])(?:std::|::)?"  # `host.open(` and `Host::open(` are no system calls
OPENS = r"(?:open|openat|fopen|freopen|opendir)\s*\(|\b(?:std::)?[iow]?fstream\b|\bdirectory_iterator\b"

# kind, pattern in code without comments and string contents, where it is looked for, where it may stand
BANS = [
    ("program", NOT_MEMBER + r"(?:system|popen|exec(?:l|le|lp|v|ve|vp|vpe)|posix_spawnp?)\s*\(", (), ("daemon/alerts/hook.cpp",)),
    ("fork", NOT_MEMBER + r"v?fork\s*\(", (), ("cli/supervise.cpp",)),
    ("sqlite", r"\bsqlite3_", (), ("core/store/",)),
    ("http", r"\bMHD_", (), ("daemon/api/",)),
    ("clock", r"::now\s*\(|" + NOT_MEMBER + r"(?:clock_gettime|gettimeofday|time)\s*\(", (), ("core/host/", "cli/supervise.cpp")),
    ("open", NOT_MEMBER + OPENS, PURE, ()),
    ("netlink", r"\b[AP]F_NETLINK\b|\bNETLINK_(?:ROUTE|GENERIC|RDMA|KOBJECT_UEVENT)\b", (), ("core/host/",)),
    ("verbs", r"\bibv_\w+\s*\(", (), ("core/host/", "workload/")),
    ("environment", r"\bgetenv\s*\(", LIBRARIES, ("core/program/",)),
    ("print", r"\bstd::(?:cout|cerr|clog)\b|" + NOT_MEMBER + r"(?:printf|puts)\s*\((?!\s*\))|\bfprintf\s*\(\s*std(?:out|err)",
     LIBRARIES, ()),
]
# The same, in code with its strings: what reaches the machine behind the back of Host.
RAW = ("raw-path", NOT_MEMBER + r"(?:" + OPENS + r')[^;"]*"/(?:sys|proc|dev)\b', (), ("core/host/",))
INCLUDE_BANS = [
    ("include-cli11", r"CLI/", (), ("cli/arguments.cpp",)),
    ("include-json", r"nlohmann/", (),
     ("core/render/", "cli/render/", "daemon/api/", "daemon/alerts/payload.cpp", "notify/outbox.")),
    ("include-regex", r"regex$", (), ()),
    ("include-iostream", r"iostream$", LIBRARIES, ()),
    ("include-log", r"spdlog/", LIBRARIES, ()),
]
CODE = (".cpp", ".h", ".c", ".cc", ".hpp")
LIMITED = CODE + (".py", ".sh", ".cmake")
MARK = re.compile(r"\b(?:TOD[O]|FIXM[E]|XX[X])\b(?!\(#\d+\))")
SKIP = {".git", "build", "fixtures", "__pycache__", "LICENSE"}
KINDS = {ban[0] for ban in BANS + INCLUDE_BANS + [RAW]} | {
    "include", "unknown-include", "room", "rules-folder", "too-long", "mark"}


def blank(text, strings):
    """The code with comments (and, if `strings`, the insides of literals) blanked; line breaks stay."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)

    def replace(match):
        found = match.group()
        if found[0] != "/":
            return re.sub(r"[^\n]", " ", found) if strings else found
        return re.sub(r"[^\n]", " ", found)

    # A digit separator (1'000) is no character literal.
    return token.sub(replace, re.sub(r"(?<=\d)'(?=\d)", " ", text))


def applies(path, looked_for, allowed):
    return (not looked_for or path.startswith(looked_for)) and not path.startswith(tuple(allowed) or ("\0",))


def room_of(path):
    return max((room for room in MAY_INCLUDE if path.startswith(room + "/")), key=len, default=None)


def may_include(path, room, header):
    if room == "collectors" and header.startswith("collectors/"):
        return header.startswith(COLLECTOR_SHARED) or os.path.splitext(header)[0] == os.path.splitext(path)[0]
    return header.startswith(room + "/") or any(header.startswith(allowed) for allowed in MAY_INCLUDE[room])


def check_includes(root, path, room, code):
    for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', code, re.M):
        line = code.count("\n", 0, match.start()) + 1
        own, system = match.groups()
        for kind, pattern, looked_for, allowed in INCLUDE_BANS:
            if re.match(pattern, own or system) and applies(path, looked_for, allowed):
                yield line, kind, f"{own or system} is not included here"
        if own and not os.path.isfile(os.path.join(root, own)):
            yield line, "unknown-include", f"{own} is no file below the root"
        elif own and not may_include(path, room, own):
            yield line, "include", f"{room} may not include {own}"


def check_code(root, path, text):
    room = room_of(path)
    if room is None:
        yield 1, "room", "no row in the may-include table"
        return
    code = blank(text, strings=False)
    yield from check_includes(root, path, room, code)
    for (kind, pattern, looked_for, allowed), subject in [(ban, blank(text, strings=True)) for ban in BANS] + [(RAW, code)]:
        if applies(path, looked_for, allowed):
            for match in re.finditer(pattern, subject):
                found = " ".join(match.group().split())
                yield subject.count("\n", 0, match.start()) + 1, kind, f"'{found}' has no place here"


def check_file(root, path):
    try:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
    except UnicodeDecodeError:  # recordings may hold any bytes; marks and lengths are for what people write
        return
    top = path.split("/")[0]
    if path.endswith(CODE) and top not in ("tests", "rules"):
        yield from check_code(root, path, text)
    if top == "rules" and not path.endswith((".toml", ".md")):
        yield 1, "rules-folder", "rules/ holds rules and nothing that runs"
    lines = text.count("\n")
    if (path.endswith(LIMITED) or text.startswith("#!")) and lines > MAX_LINES:
        yield lines, "too-long", f"{lines} lines: is this one subject? (at most {MAX_LINES})"
    for number, line in enumerate(text.split("\n"), 1):
        if MARK.search(line):
            yield number, "mark", "a mark without the number of its issue"


def complaints(root):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(set(folders) - SKIP)
        for name in sorted(set(files) - SKIP):
            path = os.path.relpath(os.path.join(folder, name), root)
            if not os.path.islink(os.path.join(root, path)):
                yield from ((path, *rest) for rest in check_file(root, path))


def selftest():
    """Lines of the fixtures say themselves what is wrong with them: `expect: kind`."""
    fixtures = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.join(folder, "tree")
        shutil.copytree(fixtures, root)
        with open(os.path.join(root, "core/base/long.h"), "w", encoding="utf-8") as file:
            file.write("\n" * MAX_LINES + "// expect: too-long\n")
        expected = set()
        for base, _, files in os.walk(root):
            for name in files:
                path = os.path.join(base, name)
                with open(path, encoding="utf-8") as file:
                    for number, line in enumerate(file, 1):
                        expected |= {(os.path.relpath(path, root), number, kind)
                                     for kind in re.findall(r"expect: ([\w-]+)", line)}
        found = {complaint[:3] for complaint in complaints(root)}
    wrong = [f"not found: {item}" for item in sorted(expected - found)]
    wrong += [f"found without cause: {item}" for item in sorted(found - expected)]
    wrong += [f"no fixture breaks: {kind}" for kind in sorted(KINDS - {kind for _, _, kind in expected})]
    print("\n".join(wrong) or f"{len(expected)} breaches found, no other")
    return bool(wrong)


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    root = os.path.abspath(sys.argv[1])
    found = list(complaints(root))
    for path, line, kind, what in found:
        print(f"{path}:{line}: {kind}: {what}")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
