#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An alert arrives at a real Alertmanager, is reminded of for longer than it would be remembered, and is over when it is over.

  alertmanager.py BINARY [FOLDER OF TOOLS]
"""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from post import Post, alert, until

SKIP = 77


def main():
    binary = sys.argv[1]
    os.environ["PATH"] += os.pathsep + os.pathsep.join(sys.argv[2:])
    program = shutil.which("prometheus-alertmanager") or shutil.which("alertmanager")
    if not program:
        print("no Alertmanager here: ./dev setup bench")
        return SKIP
    around = surroundings(program)
    if around and subprocess.run([*around, "true"], check=False).returncode != 0:
        print("no mount namespace here, in which it could be shown its template")
        return SKIP
    with tempfile.TemporaryDirectory() as folder, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        config = Path(folder) / "alertmanager.yml"
        # It forgets in two seconds what it is not reminded of.
        config.write_text("global: {resolve_timeout: 2s}\nroute: {receiver: none}\nreceivers: [{name: none}]\n")
        with open(Path(folder) / "log", "wb") as log:
            process = subprocess.Popen([*around, program, f"--config.file={config}", f"--storage.path={folder}/data", "--cluster.listen-address=",
                                        f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log)
        try:
            return deliver(binary, f"http://127.0.0.1:{port}", process, Path(folder) / "log")
        finally:
            process.kill()
            process.wait()


def surroundings(program):
    """Debian's looks for a template below /usr/share. Where it is only unpacked, it is shown one, in a mount namespace of its own."""
    share = Path(program).parent.parent / "share"
    if Path("/usr/share/prometheus/alertmanager").exists() or not (share / "prometheus/alertmanager").exists():
        return []
    mount = 'mount -t overlay overlay -o "lowerdir=$1:/usr/share" /usr/share && shift && exec "$@"'
    return ["unshare", "-m" if os.geteuid() == 0 else "-rm", "sh", "-c", mount, "sh", str(share.resolve())]


def deliver(binary, url, process, log):
    def standing():
        assert process.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(url + "/api/v2/alerts", timeout=5) as answer:
                return {one["labels"]["alertname"]: one for one in json.load(answer)}
        except OSError:
            return None
    with Post(binary, [url]) as post:
        post.put(alert("a"), alert("b"))
        until("both alerts", lambda: set(standing() or {}) == {"a", "b"}, 60)
        until("the spool to be empty", lambda: not post.waiting())
        end = time.monotonic() + 5
        while time.monotonic() < end:
            assert set(standing()) == {"a", "b"}, "an alert was forgotten in spite of reminders"
            time.sleep(0.1)
        one = standing()["a"]
        assert one["status"]["state"] == "active" and one["labels"]["subject"] == "mlx5_0/1", one
        assert one["annotations"]["summary"] == "about a", one
        post.put(alert("a", over=True))
        until("the end of one", lambda: set(standing()) == {"b"})
        post.put(alert("b", severity="critical"))
        until("another severity", lambda: [one["labels"]["severity"] for one in standing().values()] == ["critical"])
        post.put(everything=True)
        until("the end of all", lambda: not standing())
        post.stop()
    print("arrived, was reminded of, changed, and ended")
    return 0


if __name__ == "__main__":
    sys.exit(main())
