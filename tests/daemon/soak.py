#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""rdmadoctord through everything that happens to it, for a while and at once; made for builds with sanitizers, which tell at its end.

  soak.py RDMADOCTORD SOURCE_DIR WORK_DIR     for SOAK_SECONDS of the environment, 20 where it is not set

Every round counters count, links train narrow and wide, a device goes or comes back, and all that is served is asked for, with
nonsense between. The configuration is read again, silences come and go, a hook is run, and each third of the time it ends and begins anew
with the store it has. It must end with 0 each time and say nothing a sanitizer says; that all of it took place is counted."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCE = Path(sys.argv[2])
sys.path[:0] = [str(SOURCE / "tests/notify"), str(SOURCE / "tests/bench"), str(SOURCE / "tests/lab/guest")]
from ask import Local  # noqa: E402
from in_tree import make  # noqa: E402
from post import until  # noqa: E402
from rough_clients import NONSENSE, connect  # noqa: E402

LIVES = 3
COMPLAINTS = ["Sanitizer", "runtime error:"]
CONFIG = """
[daemon]
interval = "250ms"
[store]
path = "{work}/metrics.db"
flush = "2s"
[api]
socket = "{work}/api.sock"
control = "{work}/control.sock"
group = ""
textfile = "{work}/rdmadoctor.prom"
[alerts]
clear_after = "1s"
[alerts.hook]
path = "{hook}"
"""
ASKED = ["/v1/health", "/v1/facts", "/v1/facts?entity=mlx5_3/1", "/v1/findings", "/v1/findings/history?limit=10", "/v1/alerts",
         "/v1/events?limit=100", "/v1/events?after=1", "/v1/series?entity=mlx5_3/1&fact=rx_bytes&since={since}",
         "/v1/series?entity=mlx5_3/1&fact=rx_bytes&since={since}&step=minute", "/v1/state?at={since}", "/metrics", "/v1/none",
         "/v1/series?entity=nobody&fact=none", "/v1/events?since=tomorrow"]


def request(path, what, order=None):
    one = Local(path)
    if order is None:
        one.request("GET", what)
    else:
        one.request("POST", what, json.dumps(order), {"Content-Type": "application/json"})
    answer = one.getresponse()
    return answer.status, answer.read()


class Soak:
    def __init__(self, program, work, hook):
        self.program, self.work, self.hook = program, work, hook
        self.tree, self.socket = work / "tree", str(work / "api.sock")
        make(self.tree, "--pcie")
        self.config = work / "rdmadoctor.toml"
        self.config.write_text(CONFIG.format(work=work, hook=hook))
        self.widths = sorted(self.tree.glob("sys/devices/pci*/*/*/current_link_width"))
        self.counters = sorted(self.tree.glob("sys/devices/pci*/*/*/infiniband/*/ports/1/*counters/*"))
        self.device = self.tree / "sys/class/infiniband/mlx5_9"
        self.device_target = os.readlink(self.device)
        self.answers, self.refusals, self.rounds, self.reloads = 0, 0, 0, 0

    def happen(self):
        """What a round brings."""
        self.rounds += 1
        for counter in self.counters[self.rounds % 7::7]:
            counter.write_text(f"{self.rounds * 100000}\n")
        for index, width in enumerate(self.widths[:4]):
            width.write_text("8\n" if (self.rounds // 5 + index) % 2 else "16\n")
        if self.rounds % 5 == 2:
            self.device.unlink()
        elif self.rounds % 5 == 4:
            self.device.symlink_to(self.device_target)

    def answers_now(self):
        try:
            return request(self.socket, "/v1/health")[0] == 200
        except OSError:
            return False

    def ask_all(self):
        since = int(time.time()) - 60
        for what in ASKED:
            status, body = request(self.socket, what.format(since=since))
            assert status < 500 and body, (what, status, body)
            self.answers += status == 200
            self.refusals += status != 200
        for text in NONSENSE:
            try:
                with connect(self.socket) as one:
                    one.sendall(text)
                    one.recv(1000)
            except OSError:
                pass  # it hangs up on such
        control = str(self.work / "control.sock")
        status, body = request(control, "/v1/alerts/silence", {"rule": "link-*", "for": "1h", "comment": "a soak"})
        assert status == 200, body
        status, body = request(control, "/v1/alerts/unsilence", {"id": json.loads(body)["id"]})
        assert status == 200, body

    def live(self, number, seconds):
        log = self.work / f"log.{number}"
        with log.open("wb") as out:
            daemon = subprocess.Popen([self.program, "--foreground", "--from", self.tree, "--config", self.config],
                                      stdin=subprocess.DEVNULL, stderr=out, env={**os.environ, "RDMADOCTOR_RULES": str(SOURCE / "rules")})
        try:
            until("the socket", lambda: daemon.poll() is not None or self.answers_now(), 120)
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                assert daemon.poll() is None, log.read_text()
                begun = time.monotonic()
                self.happen()
                self.ask_all()
                if self.rounds % 7 == 2:
                    self.reloads += 1
                    daemon.send_signal(signal.SIGHUP)
                time.sleep(max(0.0, begun + 1 - time.monotonic()))
            health = json.loads(request(self.socket, "/v1/health")[1])
            daemon.terminate()
            assert daemon.wait(120) == 0, log.read_text()
        finally:
            daemon.kill()
        said = log.read_text()
        for complaint in COMPLAINTS:
            assert complaint not in said, said
        assert "watching with" in said, said
        return health["sweeps"]["done"]


def main():
    seconds = float(os.environ.get("SOAK_SECONDS", "20"))
    work = Path(sys.argv[3])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    # Not in the work folder: others may write on the way to that, and such hooks are refused.
    with tempfile.TemporaryDirectory(prefix="rdmadoctor-hook.") as folder:
        os.chmod(folder, 0o755)
        hook = Path(folder) / "hook"
        hook.write_text(f"#!/bin/sh\ncat >> {work}/told\n")
        hook.chmod(0o755)
        soak = Soak(sys.argv[1], work, hook)
        sweeps = [soak.live(number, seconds / LIVES) for number in range(LIVES)]
    told = (work / "told").read_text().count("\n") if (work / "told").exists() else 0
    print(f"{soak.rounds} rounds in {LIVES} lives, sweeps {sweeps}, {soak.answers} answers, {soak.refusals} refusals, "
          f"{soak.reloads} reloads, {told} lines to the hook")
    assert min(sweeps) >= 2 and soak.answers and soak.refusals and soak.reloads and told, "too little took place to tell"
    assert (work / "rdmadoctor.prom").exists()


if __name__ == "__main__":
    main()
