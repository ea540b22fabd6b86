"""The disk, and then the memory, fail under SQLite: what is said of a change stays true, and nothing is lost.

A commit whose log does not get to the disk is in the file all the same, and would count after a crash: so the
server is killed after each, and has to answer as it did before. Where memory is short, nothing is taken for damaged.
"""

import subprocess
import time

import client
import processes
import sessions

CREATE = {
    "collection": {"sections": [{"items": {"ids": ["a", "b"]}}]}, "layout": {"kind": "list", "itemLength": 10},
    "viewport": {"width": 100, "height": 100},
}


def insertion(number):
    return {"insertItems": [{"section": 0, "at": 0, "items": {"ids": [f"n{number}"]}}]}


class Faults:
    """What is to fail: one byte each in a file that the server has mapped."""

    def __init__(self, path):
        self.path = path
        self.set()

    def set(self, sync=False, memory=False):
        with open(self.path, "r+b" if self.path.exists() else "w+b") as file:
            file.write(bytes([sync, memory]))


class Server(processes.Server):
    """A server under which things fail."""

    def __init__(self, sandbox, binary, library, faults):
        super().__init__(sandbox, binary, f"sqlite:{sandbox.folder}/sessions.db")
        self.preloaded = {"LD_PRELOAD": str(library), "PRELOAD_FAULTS": str(faults.path)}

    def environment(self):
        return {**super().environment(), **self.preloaded}


def build(sandbox):
    source = processes.REPOSITORY / "Tests/Stores/preload.c"
    library = sandbox.folder / "preload.so"
    subprocess.run(["clang", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source, "-ldl"], check=True)
    return library


class Session:
    def __init__(self, server):
        self.server = server
        self.connection = client.Connection(server.port)
        answer = self.connection.request("POST", "/v1/sessions", CREATE)
        expect(answer.status, 201, "created")
        self.path = f"/v1/sessions/{answer.json()['id']}"
        self.number = 0

    def ask(self, method, end="", body=None):
        """The answer's status, and its version or the kind of problem."""
        answer = self.connection.request(method, self.path + end, body)
        told = answer.json() if answer.body else {}
        return answer.status, told.get("version", told.get("type"))

    def insert(self):
        self.number += 1
        return self.ask("POST", "/updates", insertion(self.number))

    def come_back(self):
        """Kills the server and starts it again."""
        self.server.kill()
        self.server.start()
        self.connection.close()


def expect(got, wanted, what):
    if got != wanted:
        raise sessions.Wrong(f"{what}: {got} instead of {wanted}")


def check_disk(server, faults):
    """What is told after `uncertain` holds for good."""
    session = Session(server)
    expect(session.insert(), (200, 2), "before anything fails")
    faults.set(sync=True)
    expect(session.insert(), (503, "/problems/uncertain"), "a change that does not get to the disk")
    expect(session.ask("GET"), (503, "/problems/unavailable"), "told while nothing does")
    faults.set()
    expect(session.ask("GET"), (200, 2), "told afterwards")
    session.come_back()
    expect(session.ask("GET"), (200, 2), "told after a kill")
    expect(session.insert(), (200, 3), "the next change")
    faults.set(sync=True)
    expect(session.ask("DELETE"), (503, "/problems/uncertain"), "a deletion that does not get to the disk")
    faults.set()
    expect(session.ask("GET"), (200, 3), "told after the deletion")
    session.come_back()
    expect(session.ask("GET"), (200, 3), "told after the deletion and a kill")


def check_memory(server, faults, count):
    """Where memory is short, nothing has been done or nobody knows; never is anything unreadable."""
    session = Session(server)
    faults.set(memory=True)
    statuses, kinds, acknowledged = set(), set(), 1
    for _ in range(count):
        status, told = session.insert()
        if status == 200:
            acknowledged = told
        else:
            kinds.add(told)
        statuses |= {status, session.connection.request("POST", "/v1/sessions", CREATE).status}
    faults.set()
    expect(500 in statuses or "/problems/unreadable-session" in kinds, False, f"damage, of {statuses}")
    expect(503 in statuses, True, f"something that fails, of {statuses}")
    told = session.ask("GET")
    expect(told[0] == 200 and told[1] >= acknowledged, True, f"{told} after {acknowledged} was acknowledged")
    session.come_back()
    expect(session.ask("GET"), told, "told after memory was short and a kill")


def run(options):
    with processes.Sandbox() as sandbox:
        faults = Faults(sandbox.folder / "faults")
        server = Server(sandbox, processes.find_binary(options.binary), build(sandbox), faults)
        server.start()
        started = time.monotonic()
        try:
            for _ in range(options.rounds):
                if time.monotonic() - started > options.seconds:
                    raise processes.Failure("no time left")
                check_disk(server, faults)
            check_memory(server, faults, 400)
        except (sessions.Wrong, client.NotSent, client.Unanswered) as error:
            raise processes.Failure(f"{error}: {server.output()}") from None
        server.stop()
    print(f"disk: ok, {options.rounds} rounds of commits that failed, and memory that was short")
    return 0
