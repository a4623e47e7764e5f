#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Clients that are slow, many, or talk nonsense do not hold up the sweeps of a real rdmadoctord, and normal requests are answered meanwhile.

  rough_clients.py RDMADOCTORD SOURCE_DIR WORK_DIR [SECONDS]

As many sweeps are done in SECONDS (10) of that as in as many quiet ones before; that ratio decides."""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

SOURCE = Path(sys.argv[2])
sys.path[:0] = [str(SOURCE / "tests/notify"), str(SOURCE / "tests/bench"), str(SOURCE / "tests/lab/guest")]
from ask import ask  # noqa: E402
from in_tree import make  # noqa: E402
from post import until  # noqa: E402

LEAST = 0.8  # of the sweeps of quiet seconds
CONNECTIONS = 10_000
NONSENSE = [b"\x00\xff" * 2000, b"GET\r\n\r\n", b"GET /v1/facts HTTP/9.9\r\n\r\n", b"POST /v1/facts HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n",
            b"GET /v1/facts HTTP/1.1\r\nX: " + b"a" * 1_000_000, b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\n\r\n",
            b"GET /v1/events?since=%00%ff&limit=-1 HTTP/1.1\r\nHost: x\r\n\r\n"]


def connect(path):
    one = socket.socket(socket.AF_UNIX)
    one.settimeout(2)
    one.connect(path)
    return one


def slow(path, end):
    """Slow-loris: a byte of a header now and then, on as many connections as are to be had."""
    held = []
    while not end.is_set():
        try:
            if len(held) < 200:
                held.append(connect(path))
                held[-1].sendall(b"GET /v1/health HTTP/1.1\r\n")
            held[int(time.monotonic() * 1000) % len(held)].sendall(b"X")
        except OSError:
            held = [one for one in held if one.fileno() >= 0][1:]
        end.wait(0.005)


def nonsense(path, end, made):
    while not end.is_set():
        for text in NONSENSE:
            try:
                with connect(path) as one:
                    made[0] += 1
                    one.sendall(text)
                    one.recv(1000)
            except OSError:
                pass  # it hangs up on such


def crowd(path, end, made):
    """Connections that say nothing and go."""
    while not end.is_set():
        try:
            connect(path).close()
            made[0] += 1
        except OSError:
            end.wait(0.01)


def main():
    program, work = sys.argv[1], Path(sys.argv[3])
    seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 10
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    make(work / "tree")
    path = str(work / "api.sock")
    config = work / "rdmadoctor.toml"
    config.write_text(f'[store]\npath = "{work}/metrics.db"\n[api]\nsocket = "{path}"\ngroup = ""\ncontrol = ""\n')
    with open(work / "log", "wb") as log:
        daemon = subprocess.Popen([program, "--foreground", "--from", work / "tree", "--config", config], stdin=subprocess.DEVNULL,
                                  stderr=log, env={**os.environ, "RDMADOCTOR_RULES": str(SOURCE / "rules")})

    def health():
        assert daemon.poll() is None, (work / "log").read_text()
        give_up = time.monotonic() + 10
        while True:
            try:
                return json.loads(ask(path, "/v1/health"))
            except OSError:  # the queue of those who want to connect is full, or the crowd has pushed us out
                if time.monotonic() > give_up:
                    raise
                time.sleep(0.01)

    def sweeps_in_a_while():
        before, start = health()["sweeps"]["done"], time.monotonic()
        answered, slowest = 0, 0.0
        while time.monotonic() - start < seconds:
            asked = time.monotonic()
            health()
            slowest = max(slowest, time.monotonic() - asked)
            answered += 1
            time.sleep(0.5)
        return (health()["sweeps"]["done"] - before) / (time.monotonic() - start), answered, slowest

    try:
        until("the first sweeps", lambda: os.path.exists(path) and health()["sweeps"]["done"] >= 3, 60)
        quiet, _, _ = sweeps_in_a_while()
        end, made = threading.Event(), [0]
        rough = [threading.Thread(target=slow, args=(path, end)), threading.Thread(target=nonsense, args=(path, end, made)),
                 threading.Thread(target=crowd, args=(path, end, made))]
        for one in rough:
            one.start()
        try:
            loud, answered, slowest = sweeps_in_a_while()
            until("ten thousand connections", lambda: made[0] >= CONNECTIONS, 120)
        finally:
            end.set()
            for one in rough:
                one.join()
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(30) == 0, (work / "log").read_text()
    finally:
        daemon.kill()
        daemon.wait()
    print(f"sweeps a second: quiet {quiet:.2f}, beside rough clients {loud:.2f} (at least {LEAST} times); {made[0]} connections; "
          f"{answered} requests answered meanwhile, the slowest in {1000 * slowest:.0f} ms")
    return 0 if loud >= LEAST * quiet else 1


if __name__ == "__main__":
    sys.exit(main())
