#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""rdmadoctor-notify against servers that answer, refuse, fail, hang, are not there, or want to know who asks.

  delivery.py BINARY [NAME…]
"""
import json
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from post import Post, alert, until


class Server:
    """Takes alerts as `answer(alerts, number of the request)` says: a status, or a function that is called in place of an answer."""

    def __init__(self, answer=lambda alerts, number: 200, port=0, context=None):
        self.requests = []  # (time, status, alerts, headers)
        self.says = (None, b"")  # with status 200
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                alerts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status = answer(alerts, len(server.requests))
                server.requests.append((time.monotonic(), status, alerts, dict(self.headers), self.path))
                if callable(status):
                    return status()
                try:
                    # An Alertmanager that takes what it gets says nothing; otherwise what is wrong.
                    kind, body = server.says if status == 200 else ("application/json", b"hello")
                    self.send_response(status)
                    if kind:
                        self.send_header("Content-Type", kind)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except ConnectionError:
                    pass  # it was ended, or killed, meanwhile
                return None

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.http.daemon_threads = True
        if context:
            self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        self.port = self.http.server_address[1]
        self.url = f"http{'s' if context else ''}://127.0.0.1:{self.port}"
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()

    def taken(self, name, over=None, accepted=True):
        """Times at which this alert was delivered."""
        return [when for when, status, alerts, *_ in self.requests if not accepted or status == 200
                for one in alerts if one["labels"]["alertname"] == name and over in (None, "endsAt" in one)]


def delivers_reminds_and_ends(binary):
    with Server() as server, Post(binary, [server.url + "/"]) as post:
        post.put(alert("a"))
        until("a reminder", lambda: len(server.taken("a", over=False)) >= 4)
        assert server.requests[0][4] == "/api/v2/alerts", server.requests[0][4]
        gaps = [later - sooner for sooner, later in zip(server.taken("a"), server.taken("a")[1:])]
        assert max(gaps) < 3, gaps
        until("the spool to be empty", lambda: not post.waiting())
        post.put(alert("a", over=True))
        until("the end", lambda: server.taken("a", over=True))
        time.sleep(1)
        assert len(server.taken("a", over=True)) == 1, "its end is told once to who took it"
        assert server.taken("a")[-1] == server.taken("a", over=True)[-1], "no reminder after the end"
        post.stop()


def keeps_what_fails(binary):
    with Server(lambda alerts, number: 500 if number < 4 else 200) as server, Post(binary, [server.url]) as post:
        post.put(alert("a"))
        until("a failure", lambda: server.requests)
        assert post.waiting(), "gone before anybody took it"
        until("delivery", lambda: server.taken("a"))
        times = [when for when, *_ in server.requests[:5]]
        gaps = [later - sooner for sooner, later in zip(times, times[1:])]
        assert gaps[3] > 0.14 and gaps[0] < gaps[3] + 0.2, f"no back-off: {gaps}"
        until("the spool to be empty", lambda: not post.waiting())
        until("the message", lambda: "answers again" in post.said())
        assert post.said().count("status 500") == 1, post.said()
        post.stop()


def takes_no_page_for_an_answer(binary):
    with Server() as server, Post(binary, [server.url]) as post:
        for number, says in enumerate([("text/html", b"<html>log in</html>"), ("text/plain; charset=utf-8", b"ok"), (None, b"ok")]):
            server.says = says
            before = len(server.requests)
            post.put(alert(f"a{number}"))
            until("attempts", lambda seen=before: len(server.requests) > seen + 2)
            assert len(post.waiting()) == 1, f"{says} passed for an Alertmanager"
            until("the message", lambda: "not what an Alertmanager answers" in post.said())
            server.says = (None, b"") if number else ("application/json; charset=utf-8", b'{"status":"success"}')
            until("the spool to be empty", lambda: not post.waiting())
        assert "<html>log in" in post.said() and "answers again" in post.said(), post.said()
        post.stop()


def hangs_for_one_only(binary):
    gate = threading.Event()
    with Server(lambda alerts, number: gate.wait) as deaf, Server() as server, Post(binary, [deaf.url, server.url], timeout="600ms") as post:
        post.put(alert("a"))
        until("delivery to the other", lambda: server.taken("a"))
        until("the spool to be empty", lambda: not post.waiting())
        until("a second attempt", lambda: len(deaf.requests) >= 2)
        post.stop()
        gate.set()
    gate.clear()
    with Server(lambda alerts, number: gate.wait) as deaf, Post(binary, [deaf.url], timeout="5m") as post:
        post.put(alert("a"))
        until("the request", lambda: deaf.requests)
        post.stop()
        assert len(post.waiting()) == 1, "what was not delivered stays"
        gate.set()


def waits_for_a_server(binary):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with Post(binary, [f"http://127.0.0.1:{port}"]) as post:
        for number in range(200):
            post.put(alert(f"a{number}"))
        until("the message", lambda: "127.0.0.1" in post.said())
        assert len(post.waiting()) == 200
        with Server(port=port) as server:
            until("all", lambda: all(server.taken(f"a{number}") for number in range(200)))
            until("the spool to be empty", lambda: not post.waiting())
            assert max(len(alerts) for _, _, alerts, *_ in server.requests) <= 64
            post.stop()


def survives_being_killed(binary):
    with Server() as server, Post(binary, [server.url]) as post:
        post.put(alert("a"), alert("b"))
        until("the spool to be empty", lambda: server.taken("b") and not post.waiting())
        post.process.kill()
        post.process.wait()
        before = len(server.requests)
        post.put(alert("a", over=True))
        post.start()
        until("the end and a reminder", lambda: server.taken("a", over=True) and len(server.taken("b")) > len(
            [1 for _, _, alerts, *_ in server.requests[:before] for one in alerts if one["labels"]["alertname"] == "b"]))
        post.stop()


def drops_only_what_is_refused(binary):
    def answer(alerts, number):
        return 400 if any(one["labels"]["alertname"] == "bad" for one in alerts) else 200
    with Server(answer) as server, Post(binary, [server.url]) as post:
        post.put(alert("a"), alert("bad"), alert("c"))
        post.put()  # no alerts at all
        until("the others", lambda: server.taken("a") and server.taken("c"))
        until("the message", lambda: "refuses an alert: 400 hello" in post.said())
        until("the spool to be empty", lambda: not post.waiting())
        (post.spool / f"{99:020}-aaaaaaaaaaaaaaaa.json").write_text("{")
        until("garbage to go", lambda: not post.waiting())
        post.stop()


def lets_nobody_in_between(binary):
    """TLS with an authority of the site's; without it the certificate is refused, and nothing is sent."""
    if not shutil.which("openssl"):
        raise AssertionError("openssl is missing: ./dev setup test")
    with tempfile.TemporaryDirectory() as folder:
        key, cert, token = (str(Path(folder) / name) for name in ("key.pem", "cert.pem", "token"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                        "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert],
                       check=True, capture_output=True)
        Path(token).write_text("secret\n")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        with Server(context=context) as server:
            with Post(binary, [server.url]) as post:
                post.put(alert("a"))
                until("the refusal", lambda: "ertificate" in post.said())
                assert not server.requests and post.waiting()
                post.stop()
            with Post(binary, [server.url], ca_file=cert, bearer_token_file=token) as post:
                post.put(alert("a"))
                until("delivery", lambda: server.taken("a"))
                assert server.requests[0][3]["Authorization"] == "Bearer secret", server.requests[0][3]
                assert "Authorization" not in post.said()
                post.stop()


def says_what_is_wrong(binary):
    def run(*arguments, text=None):
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "x.toml"
            if text is not None:
                config.write_text(text)
                arguments = ("--config", str(config))
            return subprocess.run([binary, *arguments], capture_output=True, text=True, timeout=20, check=False)
    helped = run("--help")
    assert helped.returncode == 0 and "--config FILE" in helped.stdout and not helped.stderr, helped
    wrong = run("--confg", "x")
    assert wrong.returncode == 64 and "--config FILE" in wrong.stderr, wrong
    assert run("--config", "/nowhere/x.toml").returncode == 64
    for url, complaint in {"http://a:9093/api/v2/alerts": "the path of the API is appended", "http://a:99999": "no port: '99999'",
                           "http://me:secret@a": "bearer_token_file"}.items():
        refused = run(text=f"[alerts.alertmanager]\nurls = [\"{url}\"]\n")
        assert refused.returncode == 64 and "x.toml:2:9: alerts.alertmanager.urls: " in refused.stderr, refused
        assert complaint in refused.stderr and "secret" not in refused.stderr, refused
    nothing = run(text="[expect]\ndevices = 8\n")
    assert nothing.returncode == 0 and "nothing to do" in nothing.stderr, nothing
    assert "systemctl reload rdmadoctord" in nothing.stderr, nothing
    misspelt = run(text="[alerts]\nholt = \"1s\"\n")
    assert misspelt.returncode == 64 and "x.toml:2:1: unknown key 'holt' in [alerts] (did you mean hold?)" in misspelt.stderr, misspelt
    astray = run(text="[alerts.alertmanager]\nurls = [\"http://127.0.0.1:1\"]\nspool = \"/nowhere/spool\"\n")
    assert astray.returncode == 70 and "/nowhere/spool" in astray.stderr, astray


def holds_no_library_of_the_host(binary):
    out = subprocess.run(["readelf", "-d", binary], capture_output=True, text=True, check=True).stdout
    for library in ("libnl-3", "libibverbs", "libpci", "libsqlite3", "libarchive", "libre2"):
        assert library not in out, f"{library} is linked"


TESTS = [delivers_reminds_and_ends, keeps_what_fails, takes_no_page_for_an_answer, hangs_for_one_only, waits_for_a_server, survives_being_killed,
         drops_only_what_is_refused, lets_nobody_in_between, says_what_is_wrong, holds_no_library_of_the_host]


def main():
    binary, chosen = sys.argv[1], sys.argv[2:]
    for test in TESTS:
        if chosen and test.__name__ not in chosen:
            continue
        begun = time.monotonic()
        test(binary)
        print(f"ok {test.__name__} {time.monotonic() - begun:.1f} s", flush=True)


if __name__ == "__main__":
    main()
