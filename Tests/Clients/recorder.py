"""A proxy that remembers what went through it, and may spoil an answer."""

import http.client
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Recorder:
    """While it is open, what is asked of `url` is asked of the server behind it.

    `spoils` gets the method and the path of a request; where it is true, the answer becomes a 418.
    `puts_off` gets them too; what it returns is the status with which the request is put off, and the server
    not asked. With 0 it is answered, and the connection then closed without a word, as if it had been idle.
    `connections` counts those that were taken.
    """

    def __init__(self, server, spoils=lambda method, path: False, puts_off=lambda method, path: None):
        self.exchanges = []
        self.connections = 0
        target = urllib.parse.urlsplit(server).netloc
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments):
                pass

            def setup(self):
                recorder.connections += 1
                super().setup()

            def forward(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                refusal = puts_off(self.command, self.path)
                if refusal:
                    self.send_response(refusal)
                    self.send_header("Retry-After", "1")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                connection = http.client.HTTPConnection(target, timeout=20)
                headers = {name: value for name, value in self.headers.items()
                           if name.lower() not in ("host", "connection", "content-length")}
                if body or self.command in ("POST", "PUT", "PATCH"):
                    headers["Content-Length"] = str(len(body))
                connection.request(self.command, self.path, body or None, headers)
                response = connection.getresponse()
                answer = response.read()
                status = 418 if spoils(self.command, self.path) else response.status
                recorder.exchanges.append({
                    "method": self.command, "path": self.path,
                    "type": self.headers.get("Content-Type"), "body": body, "status": status,
                    "headers": {name.lower(): value for name, value in response.getheaders()},
                    "answerType": response.getheader("Content-Type"), "answer": answer,
                })
                self.send_response(status)
                for name, value in response.getheaders():
                    if name.lower() not in ("connection", "content-length", "date", "server"):
                        self.send_header(name, value)
                if status != 204:
                    self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)
                connection.close()
                self.close_connection = self.close_connection or refusal == 0

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = forward

        self.proxy = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.proxy.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.proxy.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.proxy.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error):
        self.proxy.shutdown()
        self.proxy.server_close()
