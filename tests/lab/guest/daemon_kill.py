# SPDX-License-Identifier: GPL-2.0-or-later
"""Kills the daemon at random moments while addresses come and go; after each kill its store is whole and has what it had, and the
next run says what was lost.

    daemon_kill.py RDMADOCTORD CONFIG STORE INTERFACE TIMES"""

import random
import subprocess
import sys
import threading
import time

from daemon import Daemon


def churn(interface: str, end: threading.Event) -> None:
    batch = "".join(f"address {what} 10.98.0.{i}/32 dev {interface}\n" for i in range(1, 101) for what in ("add", "del"))
    while not end.is_set():
        subprocess.run(["ip", "-batch", "-"], input=batch.encode(), check=True)


def kept(database) -> tuple[int, int]:
    """Until when samples are kept, and the last event."""
    return database.execute("SELECT coalesce((SELECT max(to_ms) FROM journal), 0), coalesce((SELECT max(id) FROM event), 0)").fetchone()


def main() -> None:
    program, config, store, interface, times = sys.argv[1:]
    seed = time.time_ns()
    print(f"seed {seed}")
    random.seed(seed)
    daemon = Daemon(program, config, store)
    end = threading.Event()
    load = threading.Thread(target=churn, args=(interface, end))
    load.start()
    try:
        runs = 0
        for _ in range(int(times)):
            daemon.start()
            runs += 1
            daemon.wait_for_row("SELECT 1 FROM journal, run WHERE run.id = ? AND journal.from_ms >= run.from_ms", (runs,))
            time.sleep(random.uniform(0, 3))
            before = kept(daemon.connect())
            daemon.kill()
            database = daemon.connect()
            whole = database.execute("PRAGMA integrity_check").fetchall()
            if whole != [("ok",)]:
                raise SystemExit(f"proof: after kill {runs} the store is damaged: {whole}")
            after = kept(database)
            if after < before:
                raise SystemExit(f"proof: after kill {runs} there is less than before: {after}, was {before}")
            database.close()
        daemon.start()
        daemon.wait_for_row("SELECT 1 FROM run WHERE id = ?", (runs + 1,))
        daemon.stop()
        database = daemon.connect()
        stated = database.execute("SELECT count(*) FROM event WHERE name = 'lost' AND details LIKE 'the last run%'").fetchone()[0]
        aside = database.execute("SELECT count(*) FROM event WHERE name = 'set-aside'").fetchone()[0]
        rows = database.execute("SELECT count(*) FROM event").fetchone()[0]
        print(f"proof: {runs} kills, {stated} losses stated, {aside} stores set aside, {rows} events kept")
        if stated != runs or aside or rows <= stated:
            raise SystemExit("proof: each kill is to be stated, no store to be given up, and addresses are to be among the events")
    finally:
        end.set()
        load.join()


if __name__ == "__main__":
    main()
