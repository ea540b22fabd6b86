"""A master is lost, and with it what it had acknowledged and its replica had not got yet.

Servers reach Redis by an address that leads to the master, whichever that is. Clients change sessions, scroll
and read through all servers. At a random moment the replica is cut off; later the master is killed, the replica
is made the master, and the address leads there. What clients knew is void then, and how much of it is lost is
chance. What has to hold: all servers have one content of each session, the one that Redis has; ticks applied
in turn are what is visible; changes go on, and those acknowledged since are kept; and all that within seconds,
by itself.
"""

import random
import threading
import time
import traceback

import client
import processes
import proxy
import sessions

ITEM_LENGTH = 44
SHOWN = 4
VIEWPORT = {"width": 320, "height": (SHOWN - 1) * ITEM_LENGTH}
START = [f"start{number}" for number in range(100)]
DESCRIPTION = {
    "collection": {"sections": [{"items": {"ids": START}}]},
    "layout": {"kind": "list", "itemLength": ITEM_LENGTH}, "viewport": VIEWPORT}
# Seconds after a failover from which on a 503 must not come: it takes one or two, and machines are busy.
PATIENCE = 60


class Wrong(Exception):
    """What must not be."""


class Cluster:
    """A master and its replica with what leads to the master: the replica's link, and the servers' address."""

    def __init__(self, sandbox, options):
        binary = processes.find_binary(options.binary)
        # A replica that asks for everything is not kept waiting for others.
        self.master, self.replica = (
            processes.Redis(
                sandbox, fsync="no", name=name, options=["--repl-diskless-sync-delay", "0"])
            for name in ("redis1", "redis2"))
        self.link_port, self.address_port = sandbox.free_port(), sandbox.free_port()
        self.link = self.address = None
        self.servers = [
            processes.Server(
                sandbox, binary, self.master.url(self.address_port), f"layoutd{number + 1}",
                # The last one has to read sessions all the time.
                ["--max-sessions", "3"] if number == options.servers - 1 else [])
            for number in range(options.servers)]

    def start(self):
        self.master.start()
        self.link = proxy.Proxies([self.link_port], self.master.port)
        self.address = proxy.Proxies([self.address_port], self.master.port)
        for server in self.servers:
            server.start()

    def replicate(self, patience=15):
        """Starts the replica, and waits until it has all that the master has."""
        self.replica.start()
        self.link.lead(self.master.port)
        self.replica.tell("REPLICAOF", "127.0.0.1", str(self.link_port))
        deadline = time.monotonic() + patience
        while "master_link_status:up" not in self.replica.tell("INFO", "replication"):
            if time.monotonic() > deadline:
                raise processes.Failure(f"no replica after {patience} s: {self.replica.output()}")
            time.sleep(0.02)

    def fail_over(self, early):
        """The master is gone, and the replica takes its place; the next one will be its replica.

        For `early` seconds the address leads to what takes no changes yet.
        """
        self.master.kill()
        if early > 0:
            self.address.lead(self.replica.port)
            time.sleep(early)
        self.replica.tell("REPLICAOF", "NO", "ONE")
        if early <= 0:
            self.address.lead(self.replica.port)
        self.master, self.replica = self.replica, self.master

    def close(self):
        for proxies in (self.link, self.address):
            if proxies is not None:
                proxies.close()


class Client(threading.Thread):
    """One client with a session, a connection to each server, and what it shows."""

    def __init__(self, name, cluster, seed, changes, rival=None):
        """Makes a session; or none, but changes and reads a rival's, who scrolls it."""
        super().__init__(daemon=True)
        self.name = name
        self.changes = changes
        self.scrolls = rival is None
        # What others change on screen is told to them.
        self.is_alone = True
        self.random = random.Random(f"{seed}/{name}")
        self.connections = [client.Connection(server.port) for server in cluster.servers]
        self.where = 0
        # Held by who asks: this thread, or the one that looks at the end of a round.
        self.turn = threading.Lock()
        self.ended = threading.Event()
        self.wrong = []
        self.number = self.answered = 0
        if rival is None:
            created = sessions.expect(
                self.connections[0].request("POST", "/v1/sessions", DESCRIPTION), 201)
            self.path = created.fields["location"]
        else:
            self.path, rival.is_alone = rival.path, False
        # What the answers to ticks, applied in turn, come to: ids by item; None if one was lost.
        self.shown = dict(enumerate(START[:SHOWN - 1]))
        self.version = 1
        # The ids of a round's acknowledged changes: those that may be lost, and those that must not.
        self.risked, self.kept = [], []
        self.failed_over_at = None

    def run(self):
        while not self.ended.is_set():
            with self.turn:
                try:
                    self.step()
                except Wrong as wrong:
                    self.wrong.append(str(wrong))
                except Exception:
                    self.wrong.append(f"the test itself: {traceback.format_exc()}")
                    return
            time.sleep(self.random.uniform(0, 0.004))

    def step(self):
        if self.random.random() < 0.3:
            self.where = self.random.randrange(len(self.connections))
        draw = self.random.random()
        if draw < 0.35 and self.changes:
            self.change(self.where, self.version if draw < 0.15 else None)
        elif draw < 0.5 or not self.scrolls:
            self.ask("a read", "GET", self.path)
        else:
            if not self.is_alone:
                self.shown = None
            self.tick(self.where)

    def ask(self, what, method, path, body=None, fields=None, statuses=(200,)):
        """The answer; None if there is none, which may be as long as somebody may be missing something."""
        before = self.failed_over_at
        try:
            answer = self.connections[self.where].request(method, path, body, fields)
        except (client.NotSent, client.Unanswered):
            answer = None
        if answer is not None and answer.status in statuses:
            self.answered += 1
            return answer
        if answer is not None and answer.status != 503:
            raise Wrong(f"{what} of {self.path} by server {self.where + 1}: {answer}")
        if before is not None and time.monotonic() > before + PATIENCE:
            raise Wrong(
                f"{what} of {self.path} by server {self.where + 1}, {PATIENCE} s after: {answer}")
        return None

    def change(self, where, base=None):
        """Puts an item in front of all; whether it was acknowledged."""
        self.where = where
        id = f"{self.name}-{self.number}"
        self.number += 1
        has_failed_over = self.failed_over_at is not None
        body = {"insertItems": [{"section": 0, "at": 0, "items": {"ids": [id]}}]}
        fields = None if base is None else {"If-Match": f'"{base}"'}
        answer = self.ask(
            "a change", "POST", f"{self.path}/updates", body, fields, (200, 412))
        # What a change shows is another test's business.
        self.shown = None
        if answer is None:
            return False
        self.version = answer.json()["version"]
        if answer.status == 412:
            if self.version == base:
                raise Wrong(f"412 for version {base}, and that is it: {answer}")
            return False
        (self.kept if has_failed_over else self.risked).append(id)
        return True

    def tick(self, where):
        """Scrolls; whether there was an answer."""
        self.where = where
        first = self.random.randrange(len(START) - SHOWN)
        # No item ends where the viewport does.
        body = {"contentOffset": {"x": 0, "y": first * ITEM_LENGTH + ITEM_LENGTH / 4}}
        if self.shown is None:
            body["full"] = True
        answer = self.ask("a tick", "POST", f"{self.path}/scroll", body)
        if answer is None:
            self.shown = None
            return False
        tick = answer.json()
        if tick["reset"]:
            self.shown = {}
        if self.shown is None:
            raise Wrong(f"a full tick of {self.path} is no reset: {answer}")
        for element in tick["disappeared"]:
            self.shown.pop(element["indexPath"][1], None)
        for element in tick["appeared"] + tick["changed"]:
            self.shown[element["indexPath"][1]] = element["id"]
        expected = list(range(first, first + SHOWN))
        if sorted(self.shown) != expected:
            shown, self.shown = sorted(self.shown), None
            raise Wrong(
                f"ticks of {self.path} come to items {shown} instead of {expected}, the last one by "
                f"server {where + 1}")
        return True


def until(what, body):
    """Asks until there is an answer that says something."""
    deadline = time.monotonic() + PATIENCE
    while not body():
        if time.monotonic() > deadline:
            raise Wrong(f"{what}: no answer after {PATIENCE} s")
        time.sleep(0.02)


def look_at_ticks(one, order):
    """What a client shows after a tick by each server is what is there."""
    for where in order:
        until("a tick", lambda: one.tick(where))
        first = min(one.shown)
        answer = sessions.expect(one.connections[where].request(
            "GET", f"{one.path}/attributes?x=0&y={first * ITEM_LENGTH + ITEM_LENGTH / 4}"
            f"&width={VIEWPORT['width']}&height={VIEWPORT['height']}"), 200)
        there = {
            element["indexPath"][1]: element["id"] for element in answer.json()["attributes"]}
        if one.shown != there:
            raise Wrong(
                f"ticks of {one.path} come to {one.shown} instead of {there}, the last one by server "
                f"{where + 1}")


def look_at_content(one, kept):
    """Every server has one content of a session, with all that has to be there; its version, and the ids of
    the items that changes have put there."""
    found = [
        (sessions.all_attributes(connection, one.path, limit=50_000),
         sessions.expect(connection.request("GET", one.path), 200).json()["sections"])
        for connection in one.connections]
    for number, other in enumerate(found[1:], 2):
        if other != found[0]:
            difference = sessions.first_difference(other[0][0], found[0][0][0])
            raise Wrong(
                f"{one.path} is at version {found[0][0][1]} on server 1, and {other[0][1]} on server "
                f"{number}: {difference}")
    (elements, version), _ = found[0]
    ids = [row[-1] for row in elements if row[0] == "cell"]
    inserted = ids[:len(ids) - len(START)]
    if len(inserted) != version - 1 or ids[len(inserted):] != START:
        raise Wrong(f"{one.path} at version {version} has {len(inserted)} items more")
    missing = kept - set(inserted)
    if missing:
        raise Wrong(f"{one.path} lacks {sorted(missing)}, acknowledged after the failover")
    return version, set(inserted)


def look(cluster, one, clients, rng):
    """Looks at a session when all is over; how many acknowledged changes were lost."""
    order = list(range(len(cluster.servers)))
    rng.shuffle(order)
    if not one.is_alone:
        one.shown = None
    look_at_ticks(one, order)
    all_of_it = [other for other in clients if other.path == one.path]
    version, inserted = look_at_content(one, {id for other in all_of_it for id in other.kept})
    lost = {id for other in all_of_it for id in other.risked} - inserted
    for where in order:
        # Nobody is left behind: the version that all have said is good for a change by each.
        if not one.change(where, version):
            raise Wrong(f"no change of {one.path} at version {version} by server {where + 1}")
        version += 1
    return len(lost)


def fail_over_once(cluster, clients, rng):
    """One round; how many acknowledged changes were lost."""
    cluster.replicate()
    for one in clients:
        with one.turn:
            one.failed_over_at, one.risked, one.kept = None, [], []
    time.sleep(rng.uniform(0.05, 0.3))
    cluster.link.lead(None)
    time.sleep(rng.uniform(0, 0.3))
    cluster.fail_over(early=rng.choice([0, rng.uniform(0, 0.2)]))
    at = time.monotonic()
    for one in clients:
        one.failed_over_at = at
    time.sleep(rng.uniform(0, 0.8))
    lost = 0
    for one in clients:
        one.turn.acquire()
    try:
        for program in (cluster.master, *cluster.servers):
            program.check_alive()
        # One that has nothing in memory knows only what Redis has.
        fresh = rng.choice(cluster.servers)
        fresh.kill()
        fresh.start()
        for one in clients:
            one.connections[cluster.servers.index(fresh)].close()
        for one in clients:
            if not one.scrolls:
                continue
            try:
                lost += look(cluster, one, clients, rng)
            except (Wrong, sessions.Wrong, client.NotSent, client.Unanswered) as wrong:
                one.wrong.append(str(wrong))
    finally:
        for one in clients:
            one.turn.release()
    return lost


def run(options):
    """The subcommand `failover`."""
    rng = random.Random(options.seed)
    started = time.monotonic()
    lost = rounds = 0
    clients = []
    with processes.Sandbox() as sandbox:
        cluster = Cluster(sandbox, options)
        try:
            cluster.start()
            # Some only scroll: nothing but whose ticks were the last is lost with them. Some change what
            # another one changes.
            clients = [
                Client(f"c{number}", cluster, options.seed, changes=number % 2 == 0)
                for number in range(options.sessions)]
            clients += [
                Client(f"{one.name}r", cluster, options.seed, changes=True, rival=one)
                for one in clients[::4]]
            for one in clients:
                one.start()
            while rounds < options.rounds and not any(one.wrong for one in clients):
                if time.monotonic() > started + options.seconds:
                    raise processes.Failure(f"{rounds} rounds of {options.rounds} are done")
                lost += fail_over_once(cluster, clients, rng)
                rounds += 1
        finally:
            for one in clients:
                one.ended.set()
            for one in clients:
                one.join(15)
            cluster.close()
    wrong = [f"round {rounds}, {one.name}: {text}" for one in clients for text in one.wrong]
    for text in wrong[:40]:
        print(f"VIOLATION {text}")
    # Rounds that lose nothing show nothing.
    failed = bool(wrong) or (rounds >= 5 and lost == 0)
    print(
        f"failover: seed {options.seed}, {options.servers} servers, {rounds} failovers, "
        f"{sum(one.answered for one in clients)} operations answered, {lost} changes lost, "
        f"{len(wrong)} violations, {time.monotonic() - started:.0f} s")
    return 1 if failed else 0
