"""Clients of the history test: processes of threads that ask, change, and write down what they saw.

A record has two moments of a clock that all processes share, and one of the ends: answered, refused,
unknown, or never sent. Nothing is tried again: a second attempt is another operation with another id.
"""

import multiprocessing
import random
import signal
import threading
import time
import traceback

import client
from checker import NEVER, Change, Read

# How many ids a read of the content asks for: that many versions it confirms.
FIRST_IDS = 24
ITEM_LENGTH = 44
VIEWPORT = {"width": 320, "height": 3 * ITEM_LENGTH}
CONTENT_QUERY = (
    f"/attributes?x=0&y=0&width={VIEWPORT['width']}&height={FIRST_IDS * ITEM_LENGTH}"
    "&format=columns")


# What a server says of a change that it knows has not been made; its other 503s are in doubt.
NOT_DONE = b"the store cannot be used now"


class Strange(Exception):
    """An answer that no fault explains."""


class Client(threading.Thread):
    """One client: a connection to each of the ports, and a random source of its own."""

    def __init__(self, name, plan, seen, stop):
        super().__init__(daemon=True)
        self.client_name = name
        self.plan = plan
        self.seen = seen
        self.stop = stop
        self.random = random.Random(f"{plan['seed']}/{name}")
        self.connections = [client.Connection(port, timeout=8) for port in plan["ports"]]
        self.records = [([], []) for _ in plan["paths"]]
        self.outcomes = {}
        self.strange = []
        self.answered = 0
        self.number = 0

    def run(self):
        try:
            while self.answered < self.plan["operations"] and not self.stop.is_set():
                self.step()
        except Exception:
            self.strange.append(f"the test itself: {traceback.format_exc()}")
        finally:
            for connection in self.connections:
                connection.close()

    def count(self, kind, outcome):
        key = f"{kind}: {outcome}"
        self.outcomes[key] = self.outcomes.get(key, 0) + 1

    def step(self):
        place = self.random.randrange(len(self.plan["paths"]))
        connection = self.random.choice(self.connections)
        draw = self.random.random()
        try:
            if draw < 0.28:
                self.change(place, connection, None)
            elif draw < 0.44:
                self.change(place, connection, self.seen[place][0])
            elif draw < 0.70:
                self.read(place, connection, None)
            elif draw < 0.80:
                self.read(place, connection, self.seen[place][1])
            else:
                self.read_content(place, connection)
        except Strange as strange:
            self.strange.append(f"session {place}, port {connection.port}: {strange}")

    def exchange(self, kind, connection, *request):
        """The answer and the moments of both ends.

        Without an answer that says something it is None; what was asked for has not been done if the end
        is None too, and may have been done, or be done yet, if the end is `NEVER`.
        """
        began = time.monotonic()
        try:
            answer = connection.request(*request)
        except client.NotSent:
            self.count(kind, "not sent")
            time.sleep(0.01)
            return None, began, None
        except client.Unanswered:
            self.count(kind, "unanswered")
            return None, began, NEVER
        ended = time.monotonic()
        if answer.status in (502, 503, 504):
            # 502 and 504 are HAProxy's: a server that was killed, or does not answer in time.
            time.sleep(self.random.uniform(0.005, 0.03))
            if NOT_DONE in answer.body:
                self.count(kind, f"{answer.status}, not done")
                return None, began, None
            self.count(kind, str(answer.status))
            return None, began, NEVER
        return answer, began, ended

    def see(self, place, version, tag):
        """Remembers the latest version for all clients of the process, for conditions."""
        if version >= self.seen[place][0]:
            self.seen[place] = (version, tag)

    def change(self, place, connection, base):
        kind = "change" if base is None else "conditional change"
        id = f"{self.client_name}-{self.number}"
        self.number += 1
        body = {"insertItems": [{"section": 0, "at": 0, "items": {"ids": [id]}}]}
        fields = None if base is None else {"If-Match": f'"{base}"'}
        path = self.plan["paths"][place]
        answer, began, ended = self.exchange(
            kind, connection, "POST", f"{path}/updates", body, fields)
        changes, reads = self.records[place]
        if answer is None:
            outcome = "unknown" if ended is NEVER else "refused"
            changes.append(Change(id, began, NEVER, outcome, None, base))
            return
        if answer.status == 200:
            version = answer.json()["version"]
            changes.append(Change(id, began, ended, "acknowledged", version, base))
            self.check_tag(answer, version)
            self.see(place, version, answer.fields.get("etag"))
            self.done(kind, "acknowledged")
        elif answer.status == 412 and base is not None:
            version = answer.json()["version"]
            self.check_tag(answer, version)
            if version == base:
                raise Strange(f"412 for If-Match {base}, and that is the version: {answer}")
            changes.append(Change(id, began, ended, "refused", None, base))
            reads.append(Read(began, ended, version, what="refusal"))
            self.see(place, version, answer.fields.get("etag"))
            self.done(kind, "refused (412)")
        else:
            changes.append(Change(id, began, ended, "refused", None, base))
            raise Strange(f"{kind}: {answer}")

    def read(self, place, connection, tag):
        kind = "read" if tag is None else "conditional read"
        fields = None if tag is None else {"If-None-Match": tag}
        answer, began, ended = self.exchange(
            kind, connection, "GET", self.plan["paths"][place], None, fields)
        if answer is None:
            return
        _, reads = self.records[place]
        if answer.status == 304 and tag is not None:
            # As good as an answer of that version.
            reads.append(Read(began, ended, int(tag.strip('"').split(".")[0]), what="304"))
            self.done(kind, "304")
        elif answer.status == 200:
            summary = answer.json()
            version = summary["version"]
            self.check_tag(answer, version)
            reads.append(Read(
                began, ended, version, count=sum(s["itemCount"] for s in summary["sections"])))
            self.see(place, version, answer.fields["etag"])
            self.done(kind, "answered")
        else:
            raise Strange(f"{kind}: {answer}")

    def read_content(self, place, connection):
        kind = "content"
        answer, began, ended = self.exchange(
            kind, connection, "GET", self.plan["paths"][place] + CONTENT_QUERY, None)
        if answer is None:
            return
        if answer.status != 200:
            raise Strange(f"{kind}: {answer}")
        page = answer.json()
        version = page["version"]
        self.check_tag(answer, version)
        _, reads = self.records[place]
        reads.append(Read(
            began, ended, version, ids=tuple(page["attributes"].get("id", ())), what=kind))
        self.see(place, version, answer.fields["etag"])
        self.done(kind, "answered")

    def check_tag(self, answer, version):
        if answer.tag_version != version:
            raise Strange(f"ETag {answer.fields.get('etag')} beside version {version}")

    def done(self, kind, outcome):
        """Only operations that say something count towards the number that was asked for."""
        self.answered += 1
        self.count(kind, outcome)


def process_main(name, channel):
    """A process of clients: gets its plan from the channel, and sends what was recorded back."""
    # Signals are the parent's business, who ends this process whatever happens.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    plan = channel.recv()
    stop = threading.Event()
    # Shared between threads on purpose, so that conditions race.
    seen = [(1, '"1"') for _ in plan["paths"]]
    clients = [
        Client(f"p{name}c{number}", plan, seen, stop) for number in range(plan["clients"])]
    for one in clients:
        one.start()
    while any(one.is_alive() for one in clients):
        if channel.poll(0.05):
            channel.recv()
            stop.set()
    channel.send([(one.records, one.outcomes, one.strange, one.answered) for one in clients])
    channel.close()


class Clients:
    """The processes. They are forked before the parent has threads, and wait for their plan."""

    def __init__(self, count):
        context = multiprocessing.get_context("fork")
        self.processes, self.channels = [], []
        for name in range(count):
            mine, theirs = context.Pipe()
            process = context.Process(target=process_main, args=(name, theirs), daemon=True)
            process.start()
            theirs.close()
            self.processes.append(process)
            self.channels.append(mine)
        self.results = [None] * count

    def begin(self, plan):
        for channel in self.channels:
            channel.send(plan)

    def poll(self):
        """Takes what has been sent; whether all are done."""
        for place, channel in enumerate(self.channels):
            if self.results[place] is None and channel.poll():
                self.results[place] = channel.recv()
        return all(result is not None for result in self.results)

    def stop(self):
        for place, channel in enumerate(self.channels):
            if self.results[place] is None:
                try:
                    channel.send("stop")
                except OSError:
                    pass

    def close(self):
        for process in self.processes:
            if process.is_alive():
                process.kill()
            process.join()
