# SPDX-License-Identifier: GPL-2.0-or-later
"""What both tests of rdmadoctor-notify need: a spool, the program under test, and patience."""
import json
import subprocess
import tempfile
import time
from pathlib import Path


def alert(name, over=False, severity="high"):
    out = {
        "labels": {"alertname": name, "severity": severity, "instance": "node17", "subject": "mlx5_0/1", "job": "rdmadoctor"},
        "annotations": {"summary": f"about {name}", "fingerprint": name},
        "startsAt": stamp(-60),
    }
    if over:
        out["endsAt"] = stamp(0)
    return out


def stamp(offset):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + offset))


def until(what, condition, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"not within {seconds} s: {what}")


class Post:
    """A spool with the program that empties it. Times are short, so that a test of a minute's reminder takes no minute."""

    def __init__(self, binary, urls, **keys):
        self.binary = binary
        self.folder = tempfile.TemporaryDirectory(prefix="rdmadoctor-notify.")
        self.spool = Path(self.folder.name) / "spool"
        self.spool.mkdir()
        self.config = Path(self.folder.name) / "rdmadoctor.toml"
        self.log = Path(self.folder.name) / "log"
        settings = {"resend": "400ms", "timeout": "10s", "retry": "50ms", "retry_most": "300ms", **keys}
        lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
        self.config.write_text("intent = \"lossless\"\n[alerts.alertmanager]\nurls = " + json.dumps(urls) +
                               f"\nspool = {json.dumps(str(self.spool))}\n" + "\n".join(lines) + "\n")
        self.number = 0
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()

    def start(self):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([self.binary, "--config", str(self.config)], stderr=log)

    def stop(self):
        """SIGTERM ends it with 0, and soon, whatever it waits for."""
        begun = time.monotonic()
        self.process.terminate()
        code = self.process.wait(timeout=10)
        assert code == 0, f"exit code {code}: {self.said()}"
        assert time.monotonic() - begun < 2, "it took long to end"

    def put(self, *alerts, everything=False):
        self.number += 1
        name = f"{self.number:020}-{'all' if everything else f'{self.number:016x}'}.json"
        new = self.spool / (name + ".new")
        new.write_text(json.dumps({"at": stamp(0), "all": everything, "alerts": alerts}))
        new.rename(self.spool / name)

    def waiting(self):
        return sorted(path.name for path in self.spool.glob("*.json"))

    def said(self):
        return self.log.read_text()
