# SPDX-License-Identifier: GPL-2.0-or-later
"""An Alertmanager that takes everything, and prints what it took: a line an alert.

    alertmanager.py PORT"""

import http.server
import json
import sys


class Taker(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        for alert in json.loads(self.rfile.read(int(self.headers["Content-Length"]))):
            print(json.dumps(alert), flush=True)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_) -> None:
        pass


http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Taker).serve_forever()
