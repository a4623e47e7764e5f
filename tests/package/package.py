#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the Debian package of a tree, unpacks it, and looks at what is in it: files, fields, scripts, users, units. That it works under
systemd is shown by the lab (group "service").

  package.py SOURCE TREE VERSION
"""
import os
import re
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

# Beside rules and documents, which are as many as there are. Modes as the package has them.
FILES = {
    "usr/bin/rdmadoctor": 0o755,
    "usr/bin/rdmadoctord": 0o755,
    "usr/bin/rdmadoctor-notify": 0o755,
    "lib/systemd/system/rdmadoctord.service": 0o644,
    "lib/systemd/system/rdmadoctord.socket": 0o644,
    "lib/systemd/system/rdmadoctord-control.socket": 0o644,
    "lib/systemd/system/rdmadoctor-probe.service": 0o644,
    "lib/systemd/system/rdmadoctor-probe.timer": 0o644,
    "lib/systemd/system/rdmadoctor-notify.service": 0o644,
    "usr/lib/sysusers.d/rdmadoctor.conf": 0o644,
    "usr/lib/tmpfiles.d/rdmadoctor.conf": 0o644,
    "etc/rdmadoctor/rdmadoctor.toml": 0o644,
}
RULES, DOCUMENTS = "usr/share/rdmadoctor/rules/", "usr/share/doc/rdmadoctor/"
SERVICES = ("rdmadoctord.service", "rdmadoctor-probe.service", "rdmadoctor-notify.service")
ENABLED = {"rdmadoctord.socket", "rdmadoctord-control.socket", "rdmadoctord.service", "rdmadoctor-probe.timer", "rdmadoctor-notify.service"}
MOST_EXPOSURE = 20  # tenths


# To compress it well takes longer than all else.
ENVIRONMENT = {**os.environ, "LC_ALL": "C", "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin", "DPKG_DEB_COMPRESSOR_LEVEL": "1"}


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          env=ENVIRONMENT, **more)
    assert done.returncode == 0, f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}"
    return done.stdout


class Package:
    def __init__(self, source, tree, version, scratch):
        self.source, self.tree, self.version, self.scratch = source, tree, version, scratch
        run(source / "packaging/deb", tree, scratch)
        found = list(scratch.glob("*.deb"))
        assert len(found) == 1, found
        self.deb = found[0]
        self.root, self.control = scratch / "root", scratch / "control"
        run("dpkg-deb", "--extract", self.deb, self.root)
        run("dpkg-deb", "--control", self.deb, self.control)

    def field(self, name):
        return run("dpkg-deb", "--field", self.deb, name).strip()

    def script(self, name):
        return (self.control / name).read_text()


def says_what_it_is(package):
    machine = run("dpkg", "--print-architecture").strip()
    # Ours, and how often that one was packed.
    assert re.fullmatch(re.escape(package.version) + "-[0-9]+", package.field("Version")), \
        f"{package.field('Version')}: packaging/debian/changelog has another version than CMakeLists.txt"
    assert package.deb.name == f"rdmadoctor_{package.field('Version')}_{machine}.deb", package.deb.name
    depends = set(re.findall(r"(?:^|, )([a-z0-9.+-]+)", package.field("Depends")))
    # One library of each program, and what makes the user.
    needed = {"libc6", "libibverbs1", "libmicrohttpd12", "libcurl3-gnutls", "libsqlite3-0", "systemd"}
    assert needed <= depends, needed - depends
    assert not [name for name in depends if name.endswith("-dev")], depends
    assert package.script("conffiles").split() == ["/etc/rdmadoctor/rdmadoctor.toml"], package.script("conffiles")


def has_what_is_needed(package):
    files = {str(path.relative_to(package.root)): stat.S_IMODE(path.stat().st_mode)
             for path in package.root.rglob("*") if not path.is_dir()}
    own = {name: mode for name, mode in files.items() if not name.startswith((RULES, DOCUMENTS))}
    assert own == FILES, set(own.items()) ^ set(FILES.items())
    shipped = {name.removeprefix(RULES) for name in files if name.startswith(RULES)}
    rules = package.source / "rules"
    assert shipped == {str(path.relative_to(rules)) for path in rules.rglob("*.toml")}
    documents = {name.removeprefix(DOCUMENTS) for name in files if name.startswith(DOCUMENTS)}
    assert {"copyright", "changelog.gz", "changelog.Debian.gz", "README.md", "api.md", "alerts.md", "rules.md", "troubleshooting.md"} <= documents, documents
    assert (package.root / "etc/rdmadoctor/rules.d").is_dir()
    named = set(re.findall(r"^Documentation=file://(.*)$", "".join(unit(package, name) for name in SERVICES), re.M))
    assert named, "no unit names a document"
    for name in named:
        assert (package.root / name.lstrip("/")).exists(), name
    # Owners, which an extraction by somebody else than root does not show.
    for line in run("dpkg-deb", "--contents", package.deb).splitlines():
        assert line.split()[1] == "root/root", line


def programs_start(package):
    there = package.root / "usr/bin"
    assert package.version in run(there / "rdmadoctor", "--version")
    assert package.version in run(there / "rdmadoctord", "--version")
    # The rules are those that lie beside it.
    assert "pcie-link-width-degraded" in run(there / "rdmadoctor", "rules", "list", cwd="/")
    run(there / "rdmadoctor-notify", "--config", package.root / "etc/rdmadoctor/rdmadoctor.toml")
    for name in ("rdmadoctor", "rdmadoctord", "rdmadoctor-notify"):
        assert ".debug_info" not in run("readelf", "--section-headers", "--wide", there / name), f"{name} has its debugging symbols"


def unit(package, name):
    return (package.root / "lib/systemd/system" / name).read_text()


def units_are_right(package):
    folder = package.root / "lib/systemd/system"
    for path in sorted(folder.iterdir()):
        # Of a program in /usr/bin it wants to see that it is there: it is, in the scratch root.
        text = re.sub(r"=/usr/bin/(rdmadoctor\S*)", rf"={package.root}/usr/bin/\1", path.read_text())
        (package.scratch / path.name).write_text(text)
    units = [package.scratch / path.name for path in sorted(folder.iterdir())]
    said = run("systemd-analyze", "verify", "--man=no", *units)
    ours = [line for line in said.splitlines() if "rdmadoctor" in line]
    assert not ours, "\n".join(ours)
    for name in SERVICES:
        run("systemd-analyze", "security", "--offline=true", f"--threshold={MOST_EXPOSURE}", folder / name)
    daemon, probe = unit(package, "rdmadoctord.service"), unit(package, "rdmadoctor-probe.service")
    assert "CapabilityBoundingSet=CAP_SYSLOG\n" in daemon and "User=rdmadoctor\n" in daemon
    # A delivery that has ended, since there was nobody to deliver to, begins when the daemon takes a new configuration.
    delivery = "rdmadoctor-notify.service"
    assert re.search(rf"^ExecReload=-\+/bin/systemctl --no-block start {re.escape(delivery)}$", daemon, re.M), "a reload does not start it"
    assert re.search(r"^WantedBy=.*\brdmadoctord\.service$", unit(package, delivery), re.M), "a start does not start it"
    # The threads of the API change their own priority; the rest of @resources stays closed.
    filters = re.findall(r"^SystemCallFilter=(.*)$", daemon, re.M)
    assert filters == ["@system-service", "~@privileged @resources", "setpriority"], filters
    assert "CapabilityBoundingSet=CAP_SYS_ADMIN CAP_NET_ADMIN CAP_SYS_PTRACE\n" in probe and "ReadWritePaths" not in probe


def scripts_do_what_debian_does(package):
    added = package.script("postinst")
    for name in ENABLED:
        assert re.search(rf"deb-systemd-helper enable.*'?{re.escape(name)}", added), f"{name} is not enabled"
    assert re.search(r"systemd-sysusers.*rdmadoctor\.conf", added), "no user"
    assert re.search(r"systemd-tmpfiles.*rdmadoctor\.conf", added), "no folders"
    # Whoever asks for it starts it, or its timer.
    started = [line for line in added.splitlines() if "deb-systemd-invoke" in line]
    assert started and not [line for line in started if "rdmadoctor-probe.service" in line], started
    assert re.search(r"purge.*\n.*rm -rf /var/lib/rdmadoctor /run/rdmadoctor\n", package.script("postrm"))


def users_and_folders(package):
    """What a system gets of it at installation."""
    root = package.scratch / "system"
    (root / "etc").mkdir(parents=True)
    for kind in ("sysusers", "tmpfiles"):
        there = root / f"usr/lib/{kind}.d"
        there.mkdir(parents=True)
        (there / "rdmadoctor.conf").write_text((package.root / f"usr/lib/{kind}.d/rdmadoctor.conf").read_text())
    run("systemd-sysusers", f"--root={root}", "rdmadoctor.conf")
    user = next(line.split(":") for line in (root / "etc/passwd").read_text().splitlines() if line.startswith("rdmadoctor:"))
    assert 0 < int(user[2]) < 1000 and user[5:] == ["/var/lib/rdmadoctor", "/usr/sbin/nologin"], user
    (root / "etc/passwd").write_text((root / "etc/passwd").read_text() + "root:x:0:0::/root:/bin/sh\n")
    (root / "etc/group").write_text((root / "etc/group").read_text() + "root:x:0:\n")
    if os.geteuid() != 0:
        return
    run("systemd-tmpfiles", f"--root={root}", "--create", "rdmadoctor.conf")
    for folder in ("run/rdmadoctor", "var/lib/rdmadoctor"):
        there = (root / folder).stat()
        assert (there.st_uid, stat.S_IMODE(there.st_mode)) == (0, 0o755), folder


def lintian_has_no_errors(package):
    run("lintian", "--fail-on", "error", "--allow-root" if os.geteuid() == 0 else "--no-tag-display-limit", package.deb)


CHECKS = [says_what_it_is, has_what_is_needed, programs_start, units_are_right, scripts_do_what_debian_does, users_and_folders,
          lintian_has_no_errors]


def main():
    source, tree, version = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="rdmadoctor-package.") as scratch:
        package = Package(source, tree, version, Path(scratch))
        for check in CHECKS:
            try:
                check(package)
                print(f"passed: {check.__name__}")
            except AssertionError as error:
                failed += 1
                print(f"FAILED: {check.__name__}: {error}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
