#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The whole way of an alert, with the real programs: a link of a host trains narrower, rdmadoctord finds it, a real Prometheus scrapes the
finding and the facts, rdmadoctor-notify brings the alert to a real Alertmanager. Then the link is what it was, and both know that it is over.

  chain.py RDMADOCTORD RDMADOCTOR_NOTIFY SOURCE_DIR WORK_DIR [FOLDER OF TOOLS]
"""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path

SOURCE = Path(sys.argv[3])
sys.path[:0] = [str(SOURCE / "tests/notify"), str(SOURCE / "tests/bench")]
from alertmanager import surroundings  # noqa: E402
from in_tree import make  # noqa: E402
from post import until  # noqa: E402

SKIP = 77
RULE, TITLE = "pcie-link-width-degraded", "PCIe link runs narrower than both ends can"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Programs:
    """All of them end with the test."""

    def __init__(self, work):
        self.work, self.running = work, []

    def start(self, name, command, **options):
        with open(self.work / f"{name}.log", "wb") as log:
            process = subprocess.Popen([str(word) for word in command], stdout=log, stderr=log, stdin=subprocess.DEVNULL, **options)
        self.running.append((name, process))
        return process

    def alive(self):
        for name, process in self.running:
            assert process.poll() is None, f"{name} ended: {(self.work / f'{name}.log').read_text()[-2000:]}"

    def end(self):
        for _, process in reversed(self.running):
            process.kill()
            process.wait()


def ask(url):
    """None: it does not answer yet."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return json.load(answer)
    except OSError:
        return None


def main():
    daemon, notify, work = sys.argv[1], sys.argv[2], Path(sys.argv[4])
    os.environ["PATH"] += os.pathsep + os.pathsep.join(sys.argv[5:])
    tools = [shutil.which("prometheus"), shutil.which("prometheus-alertmanager")]
    if not all(tools):
        print("no Prometheus or Alertmanager here: ./dev setup bench")
        return SKIP
    around = surroundings(tools[1])
    if around and subprocess.run([*around, "true"], check=False).returncode != 0:
        print("no mount namespace here, in which Alertmanager could be shown its template")
        return SKIP
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    make(work / "tree", "--pcie")
    programs = Programs(work)
    try:
        return watch(programs, daemon, notify, tools, around, work)
    finally:
        programs.end()


def watch(programs, daemon, notify, tools, around, work):
    metrics, prometheus, alertmanager = free_port(), free_port(), free_port()
    config = work / "rdmadoctor.toml"
    config.write_text(f"""
[store]
path = "{work}/metrics.db"
[api]
socket = "{work}/api.sock"
group = ""
control = ""
metrics_port = {metrics}
[alerts]
clear_after = "1s"
[alerts.alertmanager]
urls = ["http://127.0.0.1:{alertmanager}"]
spool = "{work}/spool"
""")
    (work / "spool").mkdir()
    (work / "prometheus.yml").write_text(f"""
global: {{scrape_interval: 1s, scrape_timeout: 1s}}
scrape_configs:
  - job_name: rdmadoctor
    static_configs: [{{targets: ["127.0.0.1:{metrics}"]}}]
""")
    (work / "alertmanager.yml").write_text("route: {receiver: none}\nreceivers: [{name: none}]\n")
    width = next(work.glob("tree/sys/devices/pci*/*/*/current_link_width"))
    function = width.parent.name
    programs.start("alertmanager", [*around, tools[1], f"--config.file={work}/alertmanager.yml", f"--storage.path={work}/alerts",
                                    "--cluster.listen-address=", f"--web.listen-address=127.0.0.1:{alertmanager}"])
    programs.start("prometheus", [tools[0], f"--config.file={work}/prometheus.yml", f"--storage.tsdb.path={work}/tsdb",
                                  f"--web.listen-address=127.0.0.1:{prometheus}"])
    watcher = programs.start("rdmadoctord", [daemon, "--foreground", "--from", work / "tree", "--config", config],
                             env={**os.environ, "RDMADOCTOR_RULES": str(SOURCE / "rules")})
    programs.start("notify", [notify, "--config", config])

    def query(expression):
        programs.alive()
        found = ask(f"http://127.0.0.1:{prometheus}/api/v1/query?" + urllib.parse.urlencode({"query": expression}))
        return found["data"]["result"] if found else None

    def told():
        programs.alive()
        found = ask(f"http://127.0.0.1:{alertmanager}/api/v2/alerts")
        return None if found is None else [one for one in found if one["labels"].get("alertname") == RULE]

    firing = f'rdmadoctor_finding{{rule="{RULE}",state="firing"}}'
    of_function = f'{{entity="{function}"}}'
    until("a first scrape", lambda: query('up{job="rdmadoctor"} == 1'), 90)
    until("the width as a metric", lambda: query(f"rdmadoctor_pci_link_width{of_function} == 16"))
    assert query(firing) == [], query(firing)
    assert until("Alertmanager", lambda: told() is not None) and told() == [], told()

    width.write_text("8\n")
    [finding] = until("the finding in Prometheus", lambda: query(firing), 60)
    assert finding["metric"]["entity" if "entity" in finding["metric"] else "name"].endswith(function), finding
    [alert] = until("the alert in Alertmanager", told, 60)
    assert alert["status"]["state"] == "active" and alert["labels"]["severity"] == "high", alert
    assert alert["annotations"]["summary"] == TITLE, alert

    width.write_text("16\n")
    until("the end of the finding in Prometheus", lambda: query(firing) == [], 60)
    until("the end of the alert in Alertmanager", lambda: told() == [], 60)
    [scrapes] = query('count_over_time(up{job="rdmadoctor"}[10m])')
    [good] = query('sum_over_time(up{job="rdmadoctor"}[10m])')
    watcher.send_signal(signal.SIGTERM)
    assert watcher.wait(30) == 0, (work / "rdmadoctord.log").read_text()
    print(f"found, scraped, alerted and resolved; {good['value'][1]} of {scrapes['value'][1]} scrapes answered")
    return 0


if __name__ == "__main__":
    sys.exit(main())
