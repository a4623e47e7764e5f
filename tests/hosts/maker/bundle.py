# SPDX-License-Identifier: GPL-2.0-or-later
"""What a host answers, moment by moment, and how it is written as a bundle (the format is in core/host/bundle.h)."""

import copy
from pathlib import Path

BYTES = "latin-1"  # files may hold any bytes, as /dev/cpu_dma_latency does: one character each


def escaped(text, plain):
    """Bytes that are not `plain` as %XX, in the way of core/base/records.h and the tables of a bundle."""
    return "".join(chr(b) if plain(b) else f"%{b:02X}" for b in str(text).encode(BYTES))


def record(**fields):
    """One record line. None leaves a field out, as the readers do for what the kernel does not give."""
    return named_record({key: value for key, value in fields.items() if value is not None})


def named_record(fields):
    """One record line whose keys a driver chose."""
    def plain(byte):
        return 0x21 <= byte < 0x7F and chr(byte) not in "%="

    return " ".join(f"{escaped(key, plain)}={escaped(value, plain)}" for key, value in fields.items()) + "\n"


def field(text):
    """One field of the tables values, links, lists, errors and gone."""
    return escaped(text, lambda byte: 0x20 <= byte and byte != 0x7F and chr(byte) != "%")


class Link(str):
    """In place of the text of a file: a symbolic link, and where it leads. Never in a bundle."""


class Moment:
    """All answers of a host at one time. A name is an absolute path or `subject/argument`."""

    def __init__(self, boot_ns, wall_ns):
        self.boot_ns = boot_ns
        self.wall_ns = wall_ns
        self.reads = {}
        self.links = {}
        self.lists = {}
        self.errors = {}  # name, "link:" name or "list:" name → (class, what, remedy)

    def file(self, path, value):
        """A file of one line."""
        self.reads[path] = f"{value}\n"

    def folder(self, path, values):
        """Files of one line below `path`; None: the file is not there. The listing is complete."""
        for name, value in values.items():
            if value is None:
                self.missing(f"{path}/{name}")
            else:
                self.file(f"{path}/{name}", value)

    def text(self, name, text):
        """A file or an answer as it is."""
        self.reads[name] = text

    def answer(self, subject, *records):
        self.reads[subject] = "".join(records)

    def link(self, path, target):
        self.links[path] = target

    def listing(self, path, names):
        self.lists[path] = sorted(names)

    def missing(self, *names):
        """Names the host was asked for and does not have: without this nobody would know that it was asked."""
        for name in names:
            self.fail(name, "not_found", "No such file or directory")

    def missing_folder(self, *paths):
        for path in paths:
            self.errors["list:" + path] = ("not_found", f"{path}: No such file or directory", "")

    def missing_link(self, *paths):
        for path in paths:
            self.errors["link:" + path] = ("not_found", f"{path}: No such file or directory", "")

    def not_supported(self, subject, why):
        self.fail(subject, "not_supported", why)

    def fail(self, name, kind, why, remedy=""):
        """`name` was asked, and there was no answer: `why`."""
        self.reads.pop(name, None)
        self.errors[name] = (kind, f"{name}: {why}", remedy)


def children(moment, path):
    """What lies directly below `path` and is there."""
    prefix = path + "/"
    there = set(moment.reads) | set(moment.links) | set(moment.lists)
    return {name[len(prefix):].split("/")[0] for name in there if name.startswith(prefix)}


def with_listings(moment):
    """A folder without a listing of its own lists what lies below it, and so would show what is known to be missing: such
    folders get one."""
    parents = {name.rsplit("/", 1)[0] for name in moment.errors if name.startswith("/")} - set(moment.lists)
    known = {path: sorted(children(moment, path)) for path in sorted(parents)}
    moment.lists |= {path: names for path, names in known.items() if names}
    return moment


def without(moment, doomed):
    """The moment as if every name for which `doomed(name)` holds had never been there, in listings neither."""
    left = copy.deepcopy(moment)
    for table in (left.reads, left.links, left.lists):
        for name in [name for name in table if doomed(name)]:
            del table[name]
    for name in [name for name in left.errors if doomed(name.removeprefix("link:").removeprefix("list:"))]:
        del left.errors[name]
    for path, names in left.lists.items():
        left.lists[path] = [name for name in names if not doomed(f"{path}/{name}")]
    return left


def manifest(identity, moments, unchanged):
    """`unchanged`: numbers of the moments in which nothing differs from the one before."""
    def text(value):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'

    out = 'format = 1\ntool = "rdmadoctor 0.1.0"\n'
    for key in ("hostname", "kernel", "machine", "boot_id"):
        out += f"{key} = {text(identity[key])}\n"
    out += f"uid = {identity['uid']}\ncapabilities = {text(format(identity['capabilities'], 'x'))}\n"
    out += f"hypervisor = {'true' if identity['hypervisor'] else 'false'}\nscrubbed = false\n"
    for number, moment in enumerate(moments):
        out += f"\n[[sweep]]\nboot_ns = {moment.boot_ns}\nwall_ns = {moment.wall_ns}\n"
        out += "unchanged = true\n" if number in unchanged else ""
    return out


def table(rows):
    return "".join("\t".join(field(part) for part in row) + "\n" for row in sorted(rows))


def changed(before, now):
    return {name: value for name, value in now.items() if before.get(name) != value}


def vanished(before, now):
    """Names of `before` that have no answer now, neither a good one nor an error."""
    def names(moment):
        return (set(moment.reads) | {"link:" + path for path in moment.links} | {"list:" + path for path in moment.lists}
                | set(moment.errors))

    return names(before) - names(now)


def is_short(text):
    """Fits into one line of the table of values, where an end of line within is %0A."""
    return len(text) < 800 and text.endswith("\n")


def pieces(identity, moments):
    """Relative file name → text of a whole bundle. Later moments hold only what differs."""
    files = {}
    before = Moment(0, 0)
    for number, now in enumerate(map(with_listings, moments)):
        folder = f"t{number}/"
        answers = changed(before.reads, now.reads)
        for name, text in answers.items():
            if not is_short(text):
                files[folder + (name[1:] if name.startswith("/") else "@/" + name)] = text
        tables = {
            "values": table((name, text[:-1]) for name, text in answers.items() if is_short(text)),
            "links": table(changed(before.links, now.links).items()),
            "lists": table((path, *names) for path, names in changed(before.lists, now.lists).items()),
            "errors": table((name, *why) for name, why in changed(before.errors, now.errors).items()),
            "gone": table((name,) for name in vanished(before, now)),
        }
        files |= {folder + name: text for name, text in tables.items() if text}
        before = now
    unchanged = {n for n in range(1, len(moments)) if not any(name.startswith(f"t{n}/") for name in files)}
    return {"manifest.toml": manifest(identity, moments, unchanged)} | files


def content(path):
    """What lies at `path`: a text, a Link, or None."""
    if path.is_symlink():
        return Link(path.readlink())
    return path.read_text(encoding=BYTES) if path.is_file() else None


def is_same(path, wanted):
    found = content(path)
    return type(found) is type(wanted) and found == wanted


def write(folder, files):
    """Makes `folder` hold exactly `files`; what is right already is left alone."""
    folder = Path(folder)
    for path in stale(folder, files):
        path.unlink()
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink() and not any(path.iterdir()):
            path.rmdir()
    for name, wanted in files.items():
        path = folder / name
        if is_same(path, wanted):
            continue
        path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(wanted, Link):
            path.symlink_to(wanted)
        else:
            path.write_text(wanted, encoding=BYTES)


def stale(folder, files):
    """What the generator did not make. expected/ is kept by run.py."""
    folder = Path(folder)
    wanted = {folder / name for name in files}
    return [path for path in folder.rglob("*")
            if (path.is_symlink() or not path.is_dir()) and path not in wanted and folder / "expected" not in path.parents]


def differences(folder, files):
    """Why `folder` does not hold exactly `files`; empty when it does."""
    found = [f"{path}: not made by the generator" for path in stale(folder, files)]
    for name, wanted in files.items():
        path = Path(folder) / name
        if content(path) is None:
            found.append(f"{path}: missing")
        elif not is_same(path, wanted):
            found.append(f"{path}: differs")
    return sorted(found)
