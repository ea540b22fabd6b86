"""`kill -9` under load, again and again: what was acknowledged is there, the rest whole or not at all.

A server is killed at a random moment while several threads change several sessions, and started again
over the same store. Each session has one writer at a time, so at the moment of the kill at most one
change of it is under way: the session has to be exactly at the last acknowledged state, or exactly at
the one that the change under way would have led to. Sessions live through all rounds, so that the
store's snapshots are rewritten many times; now and then one is deleted and another made instead.
"""

import random
import sqlite3
import threading
import time

import client
import processes
import sessions
from model import Author, apply


LOST_MOVEMENTS = "movements lost with the session's place in memory"


class Tally:
    """What happened in all rounds. Threads count under one lock."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counts = {}
        self.violations = []

    def count(self, what, number=1):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + number

    def __getitem__(self, what):
        return self.counts.get(what, 0)

    def violation(self, text):
        with self.lock:
            self.violations.append(text)
        print(f"VIOLATION {text}", flush=True)


class Subject:
    """A session under test: where it is, what it has to hold, and what it may hold instead."""

    GONE = object()

    def __init__(self, path, author, model):
        self.path = path
        self.author = author
        self.model = model
        # The session that was in this place before, and was deleted since the last check.
        self.buried = None
        # The state that a change of unknown outcome would have led to; `GONE` for a deletion.
        self.possible = None
        self.possible_kind = None


class Caller(threading.Thread):
    """Asks a server about sessions until it is told to stop."""

    def __init__(self, port, subjects, rng, tally, dying, stop):
        super().__init__(daemon=True)
        self.connection = client.Connection(port)
        self.subjects = subjects
        self.random = rng
        self.tally = tally
        # Set before the server is killed; `stop` when it is dead, so that the kill finds something under way.
        self.dying = dying
        self.stop = stop

    def note_no_answer(self, error):
        """A server that nobody has killed yet answers every request."""
        if not self.dying.is_set():
            self.tally.violation(f"no answer from a server that is alive: {error}")

    def is_unavailable(self, answer):
        """Whether it is a 503, for which a server has no reason that nobody has killed yet."""
        if answer.status != 503:
            return False
        self.tally.count("unavailable")
        if not self.dying.is_set():
            raise sessions.Wrong(f"from a server that is alive: {answer}")
        if "retry-after" not in answer.fields:
            raise sessions.Wrong(f"503 without Retry-After: {answer}")
        return True


class Writer(Caller):
    """Changes its sessions in turn, until the server is gone."""

    def __init__(self, port, subjects, rng, tally, dying, stop, forgets=False):
        super().__init__(port, subjects, rng, tally, dying, stop)
        # Whether sessions leave memory while they are used, and what is not kept is lost with that.
        self.forgets = forgets

    def run(self):
        try:
            while not self.stop.is_set():
                free = [n for n, subject in enumerate(self.subjects) if subject.possible is None]
                if not free:
                    break
                place = self.random.choice(free)
                self.step(place)
        except (client.NotSent, client.Unanswered) as error:
            self.note_no_answer(error)
        except sessions.Wrong as error:
            self.tally.violation(f"{self.subjects[place].path}: {error}")
        except Exception as error:  # A bug of the test must not look like a quiet round.
            self.tally.violation(f"the test itself: {error!r}")
        finally:
            self.connection.close()

    def step(self, place):
        subject = self.subjects[place]
        draw = self.random.random()
        if draw < 0.55:
            batch = subject.author.batch(subject.model)
            after = subject.model.next(
                sections=apply(subject.model.sections, batch))
            self.change(subject, "update", "POST", "/updates", batch.written(after.style), after)
        elif draw < 0.65:
            layout = subject.author.new_layout(subject.model.layout)
            after = subject.model.next(layout=layout)
            self.change(subject, "layout", "PUT", "/layout", {"layout": layout}, after)
        elif draw < 0.73:
            viewport = subject.author.new_viewport(subject.model.viewport)
            after = subject.model.next(viewport=viewport)
            self.change(subject, "viewport", "PUT", "/viewport", {"viewport": viewport}, after)
        elif draw < 0.81:
            after = subject.model.next(sections=subject.author.new_collection(subject.model))
            body = {"collection": after.written_collection()}
            self.change(subject, "collection", "PUT", "/collection", body, after)
        elif draw < 0.90:
            self.movement(subject)
        elif draw < 0.98:
            self.tick(subject)
        else:
            self.replace(place)

    def change(self, subject, kind, method, suffix, body, after):
        """One change; what is not answered is possible from then on."""
        subject.possible, subject.possible_kind = after, kind
        # Half of them are conditional: an uncontended condition must not make a difference.
        fields = {"If-Match": f'"{subject.model.version}"'} if self.random.random() < 0.5 else None
        try:
            answer = self.connection.request(method, subject.path + suffix, body, fields)
        except client.NotSent:
            subject.possible = None
            raise
        if self.is_unavailable(answer):
            # Nobody knows: nothing more is done to this session before the server is started again.
            return
        subject.possible = None
        if kind == "movement" and self.is_lost(answer):
            return
        if sessions.expect(answer, 200).json()["version"] != after.version or answer.tag_version != after.version:
            raise sessions.Wrong(
                f"{kind} acknowledged as {answer}, {answer.fields.get('etag')}; "
                f"expected version {after.version}")
        subject.model = after
        self.tally.count("acknowledged")
        self.tally.count(f"acknowledged {kind}")

    def movement(self, subject):
        """Takes an item up, drags it somewhere, and puts it down."""
        places = [
            [s, i] for s, section in enumerate(subject.model.sections)
            for i in range(len(section.items))]
        if not places:
            return
        path = f"{subject.path}/movement"
        body = {"indexPath": self.random.choice(places)}
        answer = self.connection.request("POST", path, body)
        if self.is_unavailable(answer):
            return self.give_up(subject)
        sessions.expect(answer, 201)
        position = {"x": self.random.randint(0, 480), "y": self.random.randint(0, 1500)}
        answer = self.connection.request("PATCH", path, {"position": position})
        if self.is_unavailable(answer):
            return self.give_up(subject)
        if self.is_lost(answer):
            return
        preview = sessions.expect(answer, 200).json()
        source, target = preview["source"], preview["target"]
        if source == target:
            answer = self.connection.request("POST", f"{path}/end")
            if self.is_unavailable(answer):
                return self.give_up(subject)
            if self.is_lost(answer):
                return
            if sessions.expect(answer, 200).json()["version"] != subject.model.version:
                raise sessions.Wrong(f"a movement to its own place made a version: {answer}")
            return
        self.change(
            subject, "movement", "POST", "/movement/end", None,
            subject.model.moved(source, target))

    def is_lost(self, answer):
        """Whether a movement is over because the session has left memory and come back."""
        if not (self.forgets and answer.status == 409 and b"/problems/movement" in answer.body):
            return False
        self.tally.count(LOST_MOVEMENTS)
        return True

    def give_up(self, subject):
        """A 503 in the middle of a movement: nothing has changed, but the item may be in hand."""
        subject.possible, subject.possible_kind = subject.model, "movement not ended"

    def tick(self, subject):
        body = {"contentOffset": {"x": 0, "y": self.random.randint(0, 2000)}}
        answer = self.connection.request("POST", f"{subject.path}/scroll", body)
        if not self.is_unavailable(answer) and (
            sessions.expect(answer, 200).json()["version"] != subject.model.version
        ):
            raise sessions.Wrong(f"a tick answers another version: {answer}")

    def replace(self, place):
        """Deletes a session and makes another."""
        subject = self.subjects[place]
        subject.possible, subject.possible_kind = Subject.GONE, "delete"
        try:
            answer = self.connection.request("DELETE", subject.path)
        except client.NotSent:
            subject.possible = None
            raise
        if self.is_unavailable(answer):
            return
        sessions.expect(answer, 204)
        self.tally.count("deleted")
        # Until there is a new one, this place has none that is left.
        subject.model = Subject.GONE
        created = create(self.connection, subject.author, self.is_unavailable)
        if created is not None:
            created.buried = subject
            self.subjects[place] = created


class Reader(Caller):
    """Asks about all sessions while they are changed: what it is told must be possible just then."""

    def run(self):
        try:
            while not self.stop.is_set():
                subjects = self.random.choice(self.subjects)
                subject = self.random.choice(subjects)
                before = subject.model
                if before is Subject.GONE or subject.possible is Subject.GONE:
                    continue
                answer = self.connection.request("GET", subject.path)
                after = subject.model
                if self.is_unavailable(answer) or after is Subject.GONE or (
                    subject.possible is Subject.GONE
                ):
                    continue
                version = sessions.expect(answer, 200).json()["version"]
                if not before.version <= version <= after.version + 1:
                    raise sessions.Wrong(
                        f"a read answers version {version}, acknowledged were {before.version} "
                        f"before it and {after.version} after it")
                self.tally.count("reads")
        except (client.NotSent, client.Unanswered) as error:
            self.note_no_answer(error)
        except sessions.Wrong as error:
            self.tally.violation(f"{subject.path}: {error}")
        except Exception as error:  # As above.
            self.tally.violation(f"the test itself: {error!r}")
        finally:
            self.connection.close()


def create(connection, author, is_unavailable=lambda answer: False):
    """Makes a session; None if the server could not, and need not have."""
    model = author.model()
    answer = connection.request("POST", "/v1/sessions?format=columns", model.description())
    if is_unavailable(answer):
        return None
    sessions.expect(answer, 201)
    return Subject(answer.fields["location"], author, model)


def settle(connection, subject, tally, rng):
    """After a restart: finds out which of the two possible states it is, and checks all of it.

    Returns the session, or None if it is gone, as it may be.
    """
    if subject.model is Subject.GONE:
        sessions.expect(connection.request("GET", subject.path), 404)
        return None
    possible, kind = subject.possible, subject.possible_kind
    subject.possible = subject.possible_kind = None
    if possible is Subject.GONE:
        tally.count("in flight")
        answer = sessions.expect(connection.request("GET", subject.path), 200, 404)
        tally.count("in flight, applied" if answer.status == 404 else "in flight, not applied")
        if answer.status == 404:
            return None
    elif possible is not None and possible is not subject.model:
        tally.count("in flight")
        version = sessions.expect(connection.request("GET", subject.path), 200).json()["version"]
        applied = version == possible.version
        tally.count("in flight, applied" if applied else "in flight, not applied")
        if applied:
            subject.model = possible
    try:
        sessions.check_content(connection, subject.path, subject.model, rng.choice([7, 50, 5000]))
    except sessions.Wrong as error:
        raise sessions.Wrong(f"{error} (under way was: {kind})") from None
    tally.count("checks")
    return subject


class Store:
    """Where the sessions are in this run, and what can happen to that besides."""

    def __init__(self, sandbox, options):
        self.kind = options.store
        self.redis = None
        self.options = []
        if self.kind == "redis":
            self.redis = processes.Redis(sandbox)
            self.redis.start()
            # That a disk is slow to sync is no reason for a 503 here.
            self.options = ["--store-timeout-ms=9000"]
            self.address = (
                self.redis.socket_url() if options.unix_socket else self.redis.url())
        elif self.kind == "sqlite":
            self.path = sandbox.folder / "sessions.sqlite"
            self.address = f"sqlite:{self.path}"
        else:
            self.address = self.kind

    def settle(self, restarts):
        """Between a kill and a restart of the server."""
        if self.redis is None:
            return
        if restarts:
            self.redis.kill()
            self.redis.start()
        else:
            # What the killed server had sent is carried out before anybody asks.
            self.redis.ping()

    def finish(self):
        """The file itself has to be sound in the end."""
        if self.kind == "sqlite":
            with sqlite3.connect(self.path) as database:
                found = database.execute("PRAGMA integrity_check").fetchall()
            if found != [("ok",)]:
                raise sessions.Wrong(f"PRAGMA integrity_check: {found}")


def run(options):
    """The subcommand `kills`."""
    rng = random.Random(options.seed)
    tally = Tally()
    started = time.monotonic()
    rounds = 0
    with processes.Sandbox() as sandbox:
        store = Store(sandbox, options)
        server = processes.Server(
            sandbox, processes.find_binary(options.binary), store.address,
            options=[*store.options, *options.server_option])
        server.start()
        connection = client.Connection(server.port)
        writers = [
            [create(connection, Author(random.Random(rng.random()), f"w{w}n{n}"))
             for n in range(options.sessions)]
            for w in range(options.writers)]
        deadline = started + options.seconds
        while rounds < options.rounds and time.monotonic() < deadline and not tally.violations:
            play(server, store, writers, rng, tally, options, rounds)
            rounds += 1
        try:
            server.stop()
            store.finish()
        except (sessions.Wrong, processes.Failure) as error:
            tally.violation(str(error))
        # A server that refuses every change has nothing to lose.
        if tally["acknowledged"] < rounds:
            tally.violation(f"{tally['acknowledged']} changes were acknowledged in {rounds} rounds")
        # In a few rounds not everything need occur that these are for.
        if rounds >= 20 and not tally.violations:
            for what in due(options):
                if tally[what] == 0:
                    tally.violation(f"{what}: never in {rounds} rounds")
        if tally.violations:
            print(f"the server said:\n{server.output()}")
    for what in sorted(tally.counts):
        print(f"  {what}: {tally[what]}")
    failed = bool(tally.violations) or rounds < options.rounds
    print(
        f"kills: store {options.store}, seed {options.seed}, {rounds} of {options.rounds} rounds, "
        f"{tally['acknowledged']} changes acknowledged, {tally['in flight']} in flight "
        f"({tally['in flight, applied']} applied, {tally['in flight, not applied']} not), "
        f"{tally['checks']} sessions checked, {len(tally.violations)} violations, "
        f"{time.monotonic() - started:.0f} s")
    return 1 if failed else 0


def forgets(options):
    """Whether sessions leave memory while they are used."""
    return any("max-sessions" in option for option in options.server_option)


def due(options):
    """What has to occur in many rounds, as it is counted."""
    kinds = ["update", "layout", "viewport", "collection"]
    # Where sessions leave memory, few movements come to their end.
    if not forgets(options):
        kinds.append("movement")
    yield from (f"acknowledged {kind}" for kind in kinds)
    yield from ("deleted", "in flight, applied", "in flight, not applied")
    if options.readers:
        yield "reads"
    if forgets(options):
        yield LOST_MOVEMENTS


def play(server, store, writers, rng, tally, options, number):
    """One round: load, kill, restart, check."""
    dying, stop = threading.Event(), threading.Event()
    threads = [
        Writer(
            server.port, subjects, random.Random(rng.random()), tally, dying, stop,
            forgets=forgets(options))
        for subjects in writers]
    threads += [
        Reader(server.port, writers, random.Random(rng.random()), tally, dying, stop)
        for _ in range(options.readers)]
    for thread in threads:
        thread.start()
    # Now and then right after the start, while sessions are being loaded.
    time.sleep(rng.uniform(0.1, 0.4) if rng.random() < 0.8 else rng.uniform(0, 0.1))
    dying.set()
    server.kill()
    stop.set()
    for thread in threads:
        thread.join(30)
        if thread.is_alive():
            raise processes.Failure("a client is stuck")
    restarts = options.restart_redis > 0 and number % options.restart_redis == 0
    if restarts and store.redis is not None:
        tally.count("restarts of Redis")
    store.settle(restarts)
    server.start()
    connection = client.Connection(server.port)
    for subjects in writers:
        for place, subject in enumerate(subjects):
            try:
                if subject.buried is not None:
                    sessions.expect(connection.request("GET", subject.buried.path), 404)
                    subject.buried = None
                if settle(connection, subject, tally, rng) is None:
                    subjects[place] = create(connection, subject.author)
            except (sessions.Wrong, client.NotSent, client.Unanswered) as error:
                tally.violation(f"round {number}, {subject.path}: {error}")
    connection.close()
