# SPDX-License-Identifier: GPL-2.0-or-later
"""The daemon as a child, for proofs that need its times: when it said what, and what its store held when."""

import pathlib
import re
import signal
import sqlite3
import subprocess
import threading
import time


def put(knob: str, value: str) -> float:
    """Turns a knob of the card; when that was."""
    start = time.monotonic()
    with open(knob, "w", encoding="ascii") as file:
        file.write(value)
    return start


class Daemon:
    def __init__(self, program: str, config: str, store: str):
        self.command = [program, "--foreground", "--config", config]
        self.store = pathlib.Path(store)
        self.said: list[tuple[float, str]] = []
        self.news = threading.Condition()
        self.child: subprocess.Popen | None = None

    def start(self) -> None:
        self.child = subprocess.Popen(self.command, stderr=subprocess.PIPE)
        threading.Thread(target=self._listen, args=(self.child.stderr,), daemon=True).start()

    def _listen(self, stream) -> None:
        for line in stream:
            with self.news:
                self.said.append((time.monotonic(), line.decode(errors="replace").rstrip()))
                self.news.notify_all()

    def wait_for_line(self, pattern: str, since: float, most: float = 20) -> float:
        """When it said so, after `since`."""
        wanted = re.compile(pattern)

        def found():
            return next((at for at, line in self.said if at >= since and wanted.search(line)), None)

        with self.news:
            self.news.wait_for(lambda: found() is not None, most)
            at = found()
            if at is None:
                lines = "\n".join(line for _, line in self.said)
                raise SystemExit(f"proof: nothing like '{pattern}' within {most} s:\n{lines}")
            return at

    def connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.store, isolation_level=None, timeout=30)

    def wait_for_row(self, query: str, values: tuple = (), most: float = 60) -> tuple:
        """The first row of it, as soon as there is one."""
        until = time.monotonic() + most
        while time.monotonic() < until:
            if self.store.exists():
                try:
                    with self.connect() as database:
                        row = database.execute(query, values).fetchone()
                    if row:
                        return row
                except sqlite3.OperationalError:
                    pass  # it is being made
            time.sleep(0.05)
        raise SystemExit(f"proof: no row within {most} s: {query} {values}")

    def kill(self) -> None:
        self.child.send_signal(signal.SIGKILL)
        self.child.wait()

    def stop(self) -> None:
        self.child.terminate()
        if self.child.wait(30) != 0:
            raise SystemExit(f"proof: the daemon ended with {self.child.returncode}")
