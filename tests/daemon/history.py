#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line and the daemon as they go together: rdmadoctord on a copied tree, and rdmadoctor asking it.

    history.py RDMADOCTOR RDMADOCTORD

What the daemon has found, and what it remembers over a restart, is what `check`, `diff --at`, `history` and `alerts` tell; who may not ask or
order is told the line that mends it; a daemon that hangs holds up nobody."""

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path

from jsonschema import Draft202012Validator

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / "tests/hosts/made-bare-tree-healthy/tree"
FIRMWARE = "sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/infiniband/mlx5_0/fw_ver"
RULE = "rdma-device-missing"
NOBODY = 65534

# More devices than any machine has: the daemon finds it on the tree, and `check` on the machine of this test.
CONFIG = """
{expect}
[daemon]
interval = "200ms"
[store]
path = "{work}/metrics.db"
flush = "1s"
[api]
socket = "{work}/api.sock"
group = ""
control = "{work}/control.sock"
[alerts]
clear_after = "1s"
"""
EXPECT = "[expect]\ndevices = 999"


def now() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Scene:
    def __init__(self, program: str, daemon: str, work: Path):
        self.program, self.daemon_program, self.work = program, daemon, work
        self.env = {**os.environ, "RDMADOCTOR_RULES": str(ROOT / "rules"), "LC_ALL": "C.UTF-8"}
        (work / "rules.d").mkdir()
        work.chmod(0o755)
        shutil.copytree(TREE, work / "tree", symlinks=True)
        self.config, self.site = work / "rdmadoctor.toml", work / "site.toml"
        self.daemon = None
        self.wrong = []

    def expect(self, so, what) -> None:
        if not so:
            self.wrong.append(what)
            print(f"not so: {what}")

    def configure(self, expect: str) -> None:
        self.config.write_text(CONFIG.format(work=self.work, expect=expect))
        self.site.write_text(expect)

    def start(self) -> None:
        with (self.work / "log").open("a") as log:
            self.daemon = subprocess.Popen(
                [self.daemon_program, "--foreground", "--from", self.work / "tree", "--config", self.config],
                stdin=subprocess.DEVNULL, stderr=log, env=self.env)
        self.until(lambda: self.health() > 2, "the daemon looks")

    def stop(self) -> None:
        if self.daemon and self.daemon.poll() is None:
            self.daemon.send_signal(signal.SIGTERM)
            self.expect(self.daemon.wait(timeout=60) == 0, "the daemon ends well")

    def health(self) -> int:
        """How often it has looked."""
        if self.daemon.poll() is not None:
            raise SystemExit(f"rdmadoctord ended: {(self.work / 'log').read_text()}")
        try:
            with socket.socket(socket.AF_UNIX) as asking:
                asking.settimeout(10)
                asking.connect(str(self.work / "api.sock"))
                asking.sendall(b"GET /v1/health HTTP/1.0\r\nHost: x\r\n\r\n")
                answer = b"".join(iter(lambda: asking.recv(65536), b""))
            return json.loads(answer.partition(b"\r\n\r\n")[2])["sweeps"]["done"]
        except (OSError, ValueError, KeyError):  # not yet
            return 0

    def until(self, so, what: str, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if so():
                return
            time.sleep(0.1)
        self.expect(False, f"{what}, within {seconds} s")

    def run(self, *arguments, door="api", **options) -> subprocess.CompletedProcess:
        return subprocess.run([self.program, *arguments, "--socket", self.work / f"{door}.sock"], env=self.env, text=True,
                              capture_output=True, timeout=120, check=False, **options)

    def check(self, *arguments, **options) -> subprocess.CompletedProcess:
        return self.run("check", "--interval", "100ms", "--config", self.site, "--rules-dir", self.work / "rules.d", *arguments,
                        **options)

    def held_to(self, schema: str, done: subprocess.CompletedProcess):
        self.expect(not done.stderr, f"{done.args}: {done.stderr}")
        answer = json.loads(done.stdout)
        known = json.loads((ROOT / f"docs/schema/{schema}.schema.json").read_text())
        for error in Draft202012Validator(known).iter_errors(answer):
            self.expect(False, f"{schema} at {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
        return answer

    def checked(self):
        return self.held_to("check", self.check("--json"))

    def alerts(self):
        return self.held_to("alerts", self.run("alerts", "list", "--json"))

    def alert(self):
        return next((one for one in self.alerts()["alerts"] if one["rule"] == RULE), None)


def past_of(report):
    """What `check` says of the past of RULE, whether or not it finds it on this machine itself."""
    entries = [*report["findings"], *report["past"]["not_now"]]
    return next((one for one in entries if one["rule"] == RULE and one["history"]), None)


def what_is_found(scene: Scene) -> None:
    scene.until(scene.alert, "the daemon alerts")
    report = scene.checked()
    past = past_of(report)
    scene.expect(report["past"]["gap"] is None and past, "check knows what the daemon found")
    if past:
        scene.expect(past["history"]["times"] == 1 and past["history"]["goes_on"], f"once, and it goes on: {past['history']}")
        began = past["since"] if "since" in past else past["from"]
        scene.expect(began == past["history"]["first"], f"since then: {began}")
        scene.expect(began < report["window"]["from"] or "from" in past, "which is before this look")
    scene.expect(RULE in scene.run("history").stdout, "history has it")
    scene.expect("No event" in scene.run("events").stdout, "a copied tree has no events")


def what_is_over(scene: Scene) -> None:
    scene.configure("")
    scene.daemon.send_signal(signal.SIGHUP)
    scene.until(lambda: past_of(scene.checked()) and past_of(scene.checked()).get("to"), "what is over is told as past")
    text = scene.check().stdout
    scene.expect("Not found now, but by the daemon in the last 24 hours" in text and f"{RULE}: fired once, " in text, text)
    scene.configure(EXPECT)
    scene.daemon.send_signal(signal.SIGHUP)
    scene.until(lambda: (past_of(scene.checked()) or {"history": {"times": 0}})["history"]["times"] == 2, "it came again")
    scene.expect("fired 2 times since " in scene.check().stdout, "and that is told")


def what_is_ordered(scene: Scene) -> None:
    scene.until(scene.alert, "it alerts again")
    fingerprint = scene.alert()["fingerprint"]
    ack = scene.run("alerts", "ack", fingerprint, "--comment", "a card is on its way", door="control")
    scene.expect((ack.returncode, ack.stdout) == (0, f"acknowledged: {fingerprint}\n"), f"{ack}")
    silence = scene.run("alerts", "silence", "--rule", "link-*", "--for", "30m", "--comment", "new cables", door="control")
    scene.expect(silence.returncode == 0 and silence.stdout.startswith("silent until 20"), f"{silence}")
    wrong = scene.run("alerts", "ack", "0000000000000000", door="control")
    scene.expect(wrong.returncode == 64 and "rdmadoctor alerts list" in wrong.stderr, f"{wrong}")
    readable = scene.run("alerts", "ack", fingerprint, door="api")
    scene.expect(readable.returncode == 64 and "changes nothing" in readable.stderr, f"the other socket is read-only: {readable}")
    scene.stop()
    scene.start()
    scene.until(lambda: scene.alert() and scene.alert()["acknowledged"], "acknowledgements survive a restart")
    known = scene.alert()["acknowledged"] if scene.alert() else {}
    scene.expect(known and known["comment"] == "a card is on its way" and known["by"], f"{known}")
    silences = scene.alerts()["silences"]
    scene.expect([(one["id"], one["rule"], one["comment"]) for one in silences] == [("s1", "link-*", "new cables")], f"{silences}")
    text = scene.run("alerts", "list").stdout
    scene.expect("acknowledged by " in text and "rule link-*" in text, text)
    ended = scene.run("alerts", "silence", "--end", "s1", door="control")
    scene.expect(ended.stdout == "no longer silent: s1\n" and not scene.alerts()["silences"], f"{ended}")


def what_has_changed(scene: Scene) -> None:
    time.sleep(2.5)  # more than a flush, and a whole second to name
    before = now()
    scene.stop()
    firmware = scene.work / "tree" / FIRMWARE
    firmware.write_text("28.99.1234\n")
    scene.start()
    time.sleep(2.5)
    rules = ("--config", scene.site, "--rules-dir", scene.work / "rules.d")
    done = scene.run("diff", "--at", before, "--at", "now", "--json", *rules)
    scene.expect(done.returncode == 1, f"something differs: {done.returncode} {done.stderr}")
    if done.returncode == 1:
        view = scene.held_to("diff", done)
        scene.expect([row["fact"] for row in view["drift"]] == ["firmware"], f"{[row['fact'] for row in view['drift']]}")
        scene.expect(view["drift"] and view["drift"][0]["readings"][1] == {"value": "28.99.1234"}, "with the value of now")
        scene.expect(view["likeness"] == "recordings" and view["equal"] > 20, f"{view['equal']} facts are the same")
    text = scene.run("diff", "--at", before, "--at", "0s", *rules).stdout
    scene.expect("two times of this host" in text and "device.firmware of mlx5_0" in text, text)
    same = scene.run("diff", "--at", "1s", "--at", "now", *rules)
    scene.expect(same.returncode == 0 and "Nothing differs" in same.stdout, f"{same}")
    none = scene.run("diff", "--at", "2020-01-01T00:00:00Z", "--at", "now", *rules)
    scene.expect(none.returncode == 64 and "kept nothing of 2020-01-01" in none.stderr, f"{none}")


def who_may_not(scene: Scene) -> None:
    if os.geteuid() != 0:
        print("not root: who may not is not tried")
        return
    nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    try:
        text = scene.check(**nobody).stdout
    except PermissionError:
        print(f"{scene.program} is out of reach for another user: who may not is not tried")
        return
    scene.expect('no privilege: sudo usermod -aG rdmadoctor "$USER", and log in again' in text, text)
    order = scene.run("alerts", "silence", "--rule", "link-*", door="control", **nobody)
    scene.expect(order.returncode == 64 and "(sudo rdmadoctor alerts silence --rule 'link-*' --for 2h" in order.stderr, f"{order}")
    asked = scene.run("history", **nobody)
    scene.expect(asked.returncode == 64 and "usermod" in asked.stderr, f"{asked}")


def who_follows(scene: Scene) -> None:
    """Whoever follows the events is not left alone by a daemon that is started anew, nor by one that has begun another store."""
    told, noted = scene.work / "followed", scene.work / "notes"

    def events():
        return [json.loads(line) for line in told.read_text().splitlines()]

    def damage_the_store():
        (scene.work / "metrics.db").write_bytes(b"not a database" * 1000)
        for left in ("metrics.db-wal", "metrics.db-shm"):
            (scene.work / left).unlink(missing_ok=True)

    scene.stop()
    damage_the_store()
    scene.start()
    with told.open("w") as out, noted.open("w") as err:
        follower = subprocess.Popen([scene.program, "events", "--json", "--follow", "--socket", scene.work / "api.sock"], env=scene.env,
                                    stdout=out, stderr=err)
    try:
        scene.until(lambda: len(events()) == 1, "what happened to the store is told")
        scene.stop()
        scene.until(lambda: "waiting for it" in noted.read_text(), "that nobody answers is told")
        damage_the_store()
        scene.start()
        scene.until(lambda: len(events()) == 2, "what happened to it again is told")
        scene.expect([(one["source"], one["id"]) for one in events()] == [("store", 1)] * 2, f"each store counts from 1: {events()}")
        notes = noted.read_text()
        scene.expect([notes.count(part) for part in ("waiting for it", "answers again", "another store")] == [1, 1, 1], notes)
        scene.expect(follower.poll() is None, "it goes on")
    finally:
        follower.kill()
        follower.wait()
    # What came before the span asked for is not told.
    time.sleep(1.5)
    with subprocess.Popen([scene.program, "events", "--follow", "--since", "1s", "--socket", scene.work / "api.sock"], env=scene.env,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as follower:
        time.sleep(2.5)
        follower.kill()
        scene.expect(follower.communicate()[0] == b"", "older events are not told")


def what_is_counted(scene: Scene) -> None:
    """Whoever follows the events is told how many were one, which is written when the second they came in is over."""

    def write(statement: str, *values) -> None:
        # As the daemon does; a copied tree has no events of its own.
        with closing(sqlite3.connect(scene.work / "metrics.db", timeout=10)) as store, store:
            store.execute(statement, values)

    told = scene.work / "counted"
    with told.open("w") as out:
        follower = subprocess.Popen([scene.program, "events", "--follow", "--since", "1s", "--socket", scene.work / "api.sock"],
                                    env=scene.env, stdout=out, stderr=subprocess.STDOUT)
    try:
        time.sleep(1.5)
        at = int(time.time() * 1000)
        for name in ("GID_CHANGE", "LID_CHANGE"):
            write("INSERT INTO event (at_ms, last_ms, count, source, name, subject, details) VALUES (?, ?, 1, 'verbs', ?, 'mlx5_0/1', '')",
                  at, at, name)
        time.sleep(1.2)  # it has been asked for by now
        write("UPDATE event SET count = 2000, last_ms = last_ms + 999 WHERE name = 'GID_CHANGE'")
        scene.until(lambda: "LID_CHANGE" in told.read_text(), "they are told", 10)
        lines = told.read_text().splitlines()
        scene.expect(len(lines) == 2 and "GID_CHANGE" in lines[0] and "×2000" in lines[0] and "×" not in lines[1], f"each once: {lines}")
        follower.send_signal(signal.SIGINT)
        scene.expect(follower.wait(timeout=10) in (-signal.SIGINT, 130), "an interrupt ends it")
    finally:
        follower.kill()
        follower.wait()


def who_hangs(scene: Scene) -> None:
    begin = time.monotonic()
    scene.check()
    well = time.monotonic() - begin
    scene.daemon.send_signal(signal.SIGSTOP)
    try:
        begin = time.monotonic()
        report = scene.checked()
        took = time.monotonic() - begin
    finally:
        scene.daemon.send_signal(signal.SIGCONT)
    scene.expect(report["past"]["gap"] and report["past"]["gap"]["class"] == "timed_out", f"{report['past']}")
    print(f"check took {well:.1f} s with a daemon that is well, {took:.1f} s with one that hangs")
    scene.expect(took < well + 4, "a daemon that hangs holds up nobody")
    scene.stop()
    done = scene.check("--json")
    scene.expect("past" not in json.loads(done.stdout) and not done.stderr, f"no daemon is no news: {done.stderr}")
    order = scene.run("alerts", "list")
    scene.expect(order.returncode == 64 and "systemctl enable --now rdmadoctord" in order.stderr, f"{order}")


def play(work: Path) -> int:
    scene = Scene(str(Path(sys.argv[1]).resolve()), str(Path(sys.argv[2]).resolve()), work)
    scene.configure(EXPECT)
    try:
        scene.start()
        for part in (what_is_found, what_is_over, what_is_ordered, what_has_changed, who_may_not, who_follows, what_is_counted, who_hangs):
            print(f"{part.__name__}")
            part(scene)
    finally:
        if scene.daemon and scene.daemon.poll() is None:
            scene.daemon.kill()
            scene.daemon.wait()
    if scene.wrong:
        print((scene.work / "log").read_text())
    return bool(scene.wrong)


def main() -> int:
    # The path of a socket is short, and another user must be able to come near it.
    with tempfile.TemporaryDirectory(prefix="rdmadoctor-") as work:
        return play(Path(work))


if __name__ == "__main__":
    sys.exit(main())
