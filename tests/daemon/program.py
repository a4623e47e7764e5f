#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""rdmadoctord as a program: what it refuses at a start and lives through at a reload, the textfile, files that may not grow.

  program.py RDMADOCTORD RDMADOCTOR SOURCE_DIR WORK_DIR [TEST…]
"""
import contextlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DAEMON, CLI, SOURCE, WORK = sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])
sys.path[:0] = [str(SOURCE / "tests/notify"), str(SOURCE / "tests/bench")]
from in_tree import make  # noqa: E402
from post import until  # noqa: E402

ENVIRONMENT = {**os.environ, "RDMADOCTOR_RULES": str(SOURCE / "rules")}
TREE = WORK / "tree"


class Daemon:
    """Watches the tree, with a configuration and a log in a folder of its own."""

    def __init__(self, name, text="", **tables):
        self.folder = WORK / name
        self.folder.mkdir()
        self.config, self.log = self.folder / "c.toml", self.folder / "log"
        self.write(text, **tables)
        self.process = None

    def write(self, text="", store="metrics.db", socket="api.sock", group=""):
        path = f"{self.folder}/{store}" if store else ""
        self.config.write_text(f'[store]\npath = "{path}"\n[api]\nsocket = "{self.folder}/{socket}"\ngroup = "{group}"\n{text}')

    def command(self, *options):
        return [DAEMON, "--foreground", "--from", str(TREE), "--config", str(self.config), *options]

    def once(self, *options, limit=None):
        return subprocess.run(self.command("--once", *options), env=ENVIRONMENT, capture_output=True, text=True, timeout=120,
                              check=False, preexec_fn=limit)

    def refused(self):
        """Of a start: what it says."""
        done = subprocess.run(self.command(), env=ENVIRONMENT, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 64, done
        return done.stderr

    def __enter__(self):
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(self.command(), env=ENVIRONMENT, stdout=log, stderr=log)
        until("the socket", self.alive(lambda: (self.folder / "api.sock").exists()), 60)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def alive(self, condition):
        def look():
            assert self.process.poll() is None, f"ended with {self.process.returncode}: {self.said()}"
            return condition()
        return look

    def said(self):
        return self.log.read_text()

    def reload(self, *wanted):
        """SIGHUP, until all of this has been said since."""
        before = len(self.said())
        self.process.send_signal(signal.SIGHUP)
        until(f"{wanted} in the log", self.alive(lambda: all(one in self.said()[before:] for one in wanted)), 60)

    def stop(self):
        self.process.terminate()
        assert self.process.wait(30) == 0, self.said()


@contextlib.contextmanager
def hooks():
    """A folder for hooks. Not in the work folder: others may write on the way to that."""
    with tempfile.TemporaryDirectory(prefix="rdmadoctor-hook.") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


def bad_hooks(folder):
    """Files that are no hooks, with what is said of each."""
    script = folder / "hook"
    yield folder / "none", "No such file", "take the key out"
    yield folder, "not a program", "name the program itself"
    for mode, remedy in ((0o644, "chmod a+x"), (0o777, "chmod go-w")):
        script.write_text("#!/bin/sh\n")
        script.chmod(mode)
        yield script, str(script), f"{remedy} {script}"
    script.chmod(0o755)
    if os.geteuid() == 0:
        os.chown(script, 4242, 4242)
        yield script, "belongs to uid 4242", f"chown -h root {script}"
        os.chown(script, 0, 0)
    folder.chmod(0o777)
    yield script, f"{folder}: others may change it", f"chmod go-w {folder}"
    folder.chmod(0o755)


def a_bad_hook_is_refused_by_its_place():
    daemon = Daemon("hook")
    with hooks() as folder, daemon:
        for path, what, remedy in bad_hooks(folder):
            daemon.write(f'[alerts.hook]\npath = "{path}"\n')
            place = f"{daemon.config}:7:8: alerts.hook.path: "
            for said in (daemon.refused(), daemon.once().stderr):
                assert place in said and what in said and remedy in said, said
            assert daemon.once().returncode == 64
            daemon.reload("the settings stay as they are: ", place, what, remedy)
            assert daemon.said().count("watching with") == 1, "what is wrong in a file interrupts nothing"
        daemon.write(f'[alerts.hook]\npath = "{folder / "hook"}"\n')
        daemon.reload("watching with")
        daemon.stop()


def a_spool_that_cannot_be_made_is_refused_by_its_place():
    daemon = Daemon("spool")
    text = '[alerts.alertmanager]\nurls = ["http://127.0.0.1:1"]\nspool = "/nowhere/spool"\n'
    with daemon:
        daemon.write(text)
        place = f"{daemon.config}:8:9: alerts.alertmanager.spool: /nowhere/spool"
        assert place in daemon.refused()
        daemon.reload("the settings stay as they are: ", place)
        daemon.stop()


def the_textfile_is_written_while_it_runs():
    daemon = Daemon("textfile")
    text, missing = daemon.folder / "a.prom", daemon.folder / "none/a.prom"
    daemon.write(f'textfile = "{missing}"\n')
    with daemon:
        until("the complaint", daemon.alive(lambda: str(missing) in daemon.said()))
        daemon.write(f'textfile = "{text}"\n')
        daemon.reload("watching with")
        until("the textfile", daemon.alive(text.exists))
        first = text.stat().st_ino
        until("the next", daemon.alive(lambda: text.stat().st_ino != first), 40)
        assert "rdmadoctor_daemon_sweeps_total" in text.read_text()
        assert daemon.said().count(str(missing)) == 1, daemon.said()
        daemon.stop()
    other = daemon.folder / "b.prom"
    done = daemon.once("--textfile", str(other))
    assert done.returncode == 0 and other.exists(), done
    assert daemon.once("--textfile", "").returncode == 64


def once_says_what_could_not_be_written():
    daemon = Daemon("once", f'textfile = "{WORK}/once/none/a.prom"\n')
    done = daemon.once()
    assert done.returncode == 70 and "none/a.prom" in done.stderr, done
    daemon.write(store="none/metrics.db")
    done = daemon.once()
    assert done.returncode == 70 and "none/metrics.db" in done.stderr, done
    daemon.write()
    assert daemon.once().returncode == 0


def files_that_may_not_grow_end_nothing():
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    daemon = Daemon("grow")
    done = daemon.once(limit=limit)
    assert done.returncode == 70 and "store: " in done.stderr, done
    out = WORK / "bundles"
    out.mkdir()
    done = subprocess.run([CLI, "record", "--from", str(TREE), str(out / "x.tar")], env=ENVIRONMENT, capture_output=True, text=True,
                          timeout=120, check=False, preexec_fn=limit)
    assert done.returncode == 70 and "File too large" in done.stderr and "ulimit" in done.stderr, done
    assert not list(out.iterdir()), list(out.iterdir())


def another_socket_waits_for_a_restart():
    daemon = Daemon("socket")
    with daemon:
        daemon.write(socket="other.sock")
        daemon.reload("needs a restart", f"{daemon.folder}/api.sock")
        before = len(daemon.said())
        daemon.write()
        daemon.reload("watching with")
        assert "needs a restart" not in daemon.said()[before:], daemon.said()
        daemon.stop()


def what_a_hook_says_is_in_the_log():
    daemon = Daemon("output")
    width = next(TREE.glob("sys/devices/pci*/*/*/current_link_width"))
    with hooks() as folder:
        hook = folder / "hook"
        hook.write_text("#!/bin/sh\necho paged somebody\n")
        hook.chmod(0o755)
        daemon.write(f'[alerts.hook]\npath = "{hook}"\n')
        with daemon:
            width.write_text("8\n")
            until("the hook's words", daemon.alive(lambda: "the hook for alerts says: paged somebody" in daemon.said()), 60)
            width.write_text("16\n")
            daemon.stop()


def what_a_hook_is_about_is_finished_at_a_reload():
    daemon = Daemon("finish")
    width = next(TREE.glob("sys/devices/pci*/*/*/current_link_width"))
    with hooks() as folder:
        hook, begun, paged = folder / "hook", daemon.folder / "begun", daemon.folder / "paged"
        hook.write_text(f"#!/bin/sh\n: > {begun}\nsleep 2\n: > {paged}\n")
        hook.chmod(0o755)
        alerts, textfile = f'[alerts]\nclear_after = "1s"\n[alerts.hook]\npath = "{hook}"\n', daemon.folder / "late.prom"
        daemon.write(alerts)
        with daemon:
            width.write_text("8\n")
            until("the hook", daemon.alive(begun.exists), 60)
            assert not paged.exists()
            daemon.process.send_signal(signal.SIGHUP)
            time.sleep(0.8)
            daemon.write(f'textfile = "{textfile}"\n{alerts}')  # while the reload waits: the newest settings count
            daemon.reload("watching with")
            until("the newest settings", daemon.alive(textfile.exists), 40)
            assert paged.exists() and "is ended with" not in daemon.said(), daemon.said()
            # One that hangs does not keep the daemon from ending, and what it did not tell is said.
            hook.write_text(f"#!/bin/sh\n: > {begun}\nexec sleep 1000\n")
            begun.unlink()
            width.write_text("16\n")
            until("the hook that hangs", daemon.alive(begun.exists), 90)
            asked = time.monotonic()
            daemon.process.send_signal(signal.SIGTERM)
            daemon.process.send_signal(signal.SIGHUP)  # a stop stays one
            assert daemon.process.wait(30) == 0, daemon.said()
            assert time.monotonic() - asked < 20
            assert re.search(r"is ended with \d running and \d waiting", daemon.said()), daemon.said()


def a_second_one_is_refused_where_another_keeps_its_alerts():
    daemon = Daemon("first")
    with daemon:
        until("what is remembered", daemon.alive((daemon.folder / "alerts.state").exists), 60)
        second = Daemon("second")
        for store in ("metrics.db", "other.db"):
            second.config.write_text(daemon.config.read_text().replace("metrics.db", store).replace("api.sock", "second.sock"))
            done = subprocess.run(second.command(), env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False)
            assert done.returncode == 70 and "another rdmadoctord remembers its alerts there" in done.stderr, done
        with Daemon("third") as other:
            # A reload does not take it away either.
            other.config.write_text(daemon.config.read_text().replace("api.sock", "second.sock"))
            other.reload("the settings stay as they are", "another rdmadoctord")
            other.stop()
        daemon.stop()
    with daemon:  # whoever has ended, has it no more
        until("its start", daemon.alive(lambda: "watching with" in daemon.said()), 60)
        daemon.stop()


def what_is_started_without_standard_files_writes_into_no_other():
    daemon = Daemon("closed")
    process = subprocess.Popen(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *daemon.command()], env=ENVIRONMENT)
    try:
        until("the store", (daemon.folder / "metrics.db").exists, 60)
        for fd in range(3):
            assert os.readlink(f"/proc/{process.pid}/fd/{fd}") == "/dev/null"
        # Where they are there, nothing is opened in their stead: the hook would have it too.
        with Daemon("open") as other:
            opened = {int(one.name): os.readlink(one) for one in Path(f"/proc/{other.process.pid}/fd").iterdir()}
            assert "/dev/null" not in [opened[fd] for fd in opened if fd > 2], opened
    finally:
        process.kill()
        process.wait()


def an_empty_argument_is_refused():
    for option in ("--config", "--from", "--textfile"):
        done = subprocess.run([DAEMON, "--once", option, ""], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 64 and f"{option} must not be empty" in done.stderr, done
    with open("/dev/full", "wb") as full:
        assert subprocess.run([DAEMON, "--help"], stdout=full, timeout=60, check=False).returncode == 70


TESTS = [a_second_one_is_refused_where_another_keeps_its_alerts, what_is_started_without_standard_files_writes_into_no_other,
         an_empty_argument_is_refused, a_bad_hook_is_refused_by_its_place, a_spool_that_cannot_be_made_is_refused_by_its_place,
         the_textfile_is_written_while_it_runs, once_says_what_could_not_be_written, files_that_may_not_grow_end_nothing,
         another_socket_waits_for_a_restart, what_a_hook_says_is_in_the_log, what_a_hook_is_about_is_finished_at_a_reload]


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    make(TREE, "--pcie")
    for test in TESTS:
        if sys.argv[5:] and test.__name__ not in sys.argv[5:]:
            continue
        begun = time.monotonic()
        test()
        print(f"ok {test.__name__} {time.monotonic() - begun:.1f} s", flush=True)


if __name__ == "__main__":
    main()
