# SPDX-License-Identifier: GPL-2.0-or-later
"""Asks the daemon, and prints what it answers.

    ask.py SOCKET PATH_AND_QUERY                 the answer
    ask.py SOCKET --total SOURCE NAME SUBJECT    how many of such events there were, all counts together"""

import http.client
import json
import socket
import sys


class Local(http.client.HTTPConnection):
    def __init__(self, path: str):
        super().__init__("localhost", timeout=30)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(30)
        self.sock.connect(self.path)


def ask(path: str, what: str) -> str:
    connection = Local(path)
    connection.request("GET", what)
    answer = connection.getresponse()
    text = answer.read().decode()
    if answer.status != 200:
        raise SystemExit(f"{what}: {answer.status}: {text}")
    return text


def main() -> None:
    path, what = sys.argv[1:3]
    if what != "--total":
        print(ask(path, what))
        return
    wanted = tuple(sys.argv[3:6])
    total = 0
    answer = json.loads(ask(path, "/v1/events?limit=10000"))
    if answer.get("truncated"):
        raise SystemExit("there are more events than were asked for")
    for event in answer["events"]:
        if (event["source"], event["name"], event["subject"]) == wanted:
            total += event["count"]
    print(total)


if __name__ == "__main__":
    main()
