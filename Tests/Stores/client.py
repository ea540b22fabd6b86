"""A small HTTP/1.1 client over one keep-alive connection.

`http.client` would do, at a fifth of the speed; and it does not say what a test about faults has to know:
whether a request that failed may have been carried out. Here there are three ends: an answer, `NotSent`
(nobody got the request) and `Unanswered` (nobody knows).
"""

import json
import socket
import zlib


class NotSent(Exception):
    """No connection, so no byte of the request has left: it cannot have had an effect."""


class Unanswered(Exception):
    """Sent, at least in part, and no whole answer came: it may have had its effect, or may yet."""


class Response:
    """An answer. `fields` has the header by lower-case names."""

    __slots__ = ("status", "fields", "body")

    def __init__(self, status, fields, body):
        self.status = status
        self.fields = fields
        self.body = body

    def json(self):
        return json.loads(self.body)

    @property
    def tag_version(self):
        """The version that the ETag names, or None: `"12"` and `"12.7"` are both version 12."""
        tag = self.fields.get("etag")
        return None if tag is None else int(tag.strip('"').split(".")[0])

    def __repr__(self):
        return f"{self.status} {self.body[:300].decode('utf-8', 'replace')}"


class Connection:
    """A connection to a port on loopback, made when it is first needed and again after it broke.

    A request is never sent twice: whether that is safe is the caller's business.
    """

    def __init__(self, port, timeout=10.0):
        self.port = port
        self.timeout = timeout
        self.socket = None
        self.rest = b""

    def request(self, method, path, body=None, fields=None):
        """Sends a request and waits for the answer; `body` is bytes, or what to write as JSON."""
        head = [f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"]
        for name, value in (fields or {}).items():
            head.append(f"{name}: {value}\r\n")
        data = b""
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            # What weighs half a snapshot is stored as the next one: here a quarter of the changes do, by
            # their spaces.
            changes = method == "PUT" or path.endswith("/updates")
            if changes and zlib.crc32(data) % 4 == 0:
                data += b" " * 40_000
            head.append("Content-Type: application/json\r\n")
        if data or method in ("POST", "PUT", "PATCH"):
            head.append(f"Content-Length: {len(data)}\r\n")
        head.append("\r\n")
        if self.socket is None:
            self._connect()
        try:
            self.socket.sendall("".join(head).encode() + data)
            return self._read(method)
        except (OSError, ValueError) as error:
            self.close()
            raise Unanswered(f"{method} {path}: {error!r}") from None
        except BaseException:
            self.close()
            raise

    def close(self):
        if self.socket is not None:
            self.socket.close()
        self.socket = None
        self.rest = b""

    def _connect(self):
        try:
            self.socket = socket.create_connection(("127.0.0.1", self.port), self.timeout)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as error:
            self.close()
            raise NotSent(repr(error)) from None

    def _more(self):
        data = self.socket.recv(65536)
        if not data:
            raise ValueError("the connection ended")
        self.rest += data

    def _line(self):
        while b"\r\n" not in self.rest:
            self._more()
        line, _, self.rest = self.rest.partition(b"\r\n")
        return line

    def _exactly(self, count):
        while len(self.rest) < count:
            self._more()
        data, self.rest = self.rest[:count], self.rest[count:]
        return data

    def _read(self, method):
        while b"\r\n\r\n" not in self.rest:
            self._more()
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split(" ", 2)[1])
        fields = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            fields[name.lower()] = value.strip()
        if method == "HEAD" or status in (204, 304):
            body = b""
        elif "content-length" in fields:
            body = self._exactly(int(fields["content-length"]))
        elif fields.get("transfer-encoding", "").lower() == "chunked":
            parts = []
            while size := int(self._line().split(b";")[0], 16):
                parts.append(self._exactly(size))
                self._line()
            while self._line():
                pass
            body = b"".join(parts)
        else:
            # Until the end of the connection, as old servers answer; nobody here does.
            raise ValueError("an answer without a length")
        if fields.get("connection", "").lower() == "close":
            self.close()
        return Response(status, fields, body)
