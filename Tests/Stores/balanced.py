"""Three servers behind a real HAProxy, configured as Examples/deploy configures it.

What has to hold: a session stays on one server; when that is killed the session goes on elsewhere, with
`reset: true` and without any loss of what was acknowledged; of two conditional changes through two servers
one wins, and the other is told what to do next; and whatever servers ticks go to, who applies their answers
in turn has what is visible.
"""

import collections
import itertools
import random
import re
import threading
import time

import checker
import client
import load
import processes
import sessions

EXAMPLE = processes.REPOSITORY / "Examples/deploy/haproxy.cfg"
# Seconds after which nobody goes on waiting for what happens by itself.
PATIENCE = 60


def configuration(ports, bind, watch=False):
    """The example's configuration with the addresses of this run, and nothing else changed.

    `watch` adds a field to the answers that says which server they are from.
    """
    lines = []
    for line in EXAMPLE.read_text().splitlines():
        found = re.match(r"\s+server layoutd(\d+) ", line)
        if found is None:
            line = line.replace("bind :8080", f"bind 127.0.0.1:{bind}")
            lines.append(line)
            if watch and line.strip().startswith("bind "):
                lines.append("    http-response set-header X-Served-By %s")
        elif found[1] == "1":
            # One server's line is as good as another's: as many as there are ports.
            for number, port in enumerate(ports, 1):
                lines.append(
                    line.replace("layoutd1:8080", f"127.0.0.1:{port}")
                    .replace("layoutd1", f"layoutd{number}"))
    return "\n".join(lines) + "\n"


class Trial:
    """Redis with a password, three servers, HAProxy, and what was found wrong."""

    def __init__(self, sandbox, options):
        self.random = random.Random(options.seed)
        self.redis = processes.Redis(sandbox, fsync="always", password="correct-horse")
        self.redis.start()
        binary = processes.find_binary(options.binary)
        # That a disk is slow to sync is no reason for a 503 here.
        self.servers = [
            processes.Server(
                sandbox, binary, self.redis.url(), f"layoutd{number}", ["--store-timeout-ms=9000"])
            for number in (1, 2, 3)]
        for server in self.servers:
            server.start()
        port = sandbox.free_port()
        self.haproxy = processes.HAProxy(
            sandbox, configuration([server.port for server in self.servers], port, watch=True), port)
        self.haproxy.start()
        self.programs = [self.haproxy, self.redis, *self.servers]
        self.front = client.Connection(port)
        self.checks = 0
        self.wrong = []

    def server(self, name):
        return next(server for server in self.servers if server.name == name)

    def check(self, holds, text):
        self.checks += 1
        if not holds:
            self.wrong.append(text)
            print(f"VIOLATION {text}", flush=True)

    def create(self, connection=None, count=200):
        """A session of a long list; the answer has its path and who made it."""
        description = {
            "collection": {"sections": [{"items": {"ids": [f"i{n}" for n in range(count)]}}]},
            "layout": {"kind": "list"}, "viewport": {"width": 320, "height": 480}}
        return sessions.expect((connection or self.front).request(
            "POST", "/v1/sessions", description), 201)

    def tick(self, path, y, connection=None):
        return sessions.expect((connection or self.front).request(
            "POST", f"{path}/scroll", {"contentOffset": {"x": 0, "y": y}}), 200)

    def direct(self, number):
        return client.Connection(self.servers[number].port)


def stickiness(trial):
    """Ticks of a session stay on one server, whatever connection they come by.

    Answers the sessions with the servers that they are on.
    """
    homes = {}
    for _ in range(40):
        # A new connection for each, so that they are made on different servers.
        other = client.Connection(trial.haproxy.port)
        created = trial.create(other)
        path, maker = created.fields["location"], created.fields["x-served-by"]
        answers = [
            trial.tick(path, 100 * n, other if n % 2 else trial.front) for n in range(6)]
        other.close()
        servers = {answer.fields["x-served-by"] for answer in answers}
        trial.check(len(servers) == 1, f"ticks of one session went to {servers}")
        resets = [answer.json()["reset"] for answer in answers]
        home = homes[path] = servers.pop()
        # The creating answer counts as a tick, on the server that gave it.
        trial.check(
            resets == [maker != home] + 5 * [False],
            f"resets {resets}, made on {maker}, ticks on {home}")
    trial.check(
        len(set(homes.values())) == 3, f"40 sessions are on {sorted(set(homes.values()))} only")
    return homes


def killed_server(trial, homes, options):
    """Under load, a server is killed and comes back: sessions go on, and nothing is lost."""
    victim = trial.random.choice(trial.servers)
    paths = [
        sessions.expect(trial.front.request("POST", "/v1/sessions", {
            "collection": {"sections": [{"items": {"ids": ["start"]}}]},
            "layout": {"kind": "list"}, "viewport": load.VIEWPORT}), 201).fields["location"]
        for _ in range(9)]
    plan = {
        "seed": options.seed, "paths": paths, "ports": [trial.haproxy.port], "operations": 1 << 40}
    stop = threading.Event()
    seen = [(1, '"1"') for _ in paths]
    clients = [load.Client(f"k{number}", plan, seen, stop) for number in range(6)]
    for one in clients:
        one.start()
    time.sleep(1)
    victim.kill()
    killed = time.monotonic()
    last = dict(homes)
    follow(trial, last, 500)
    moved_after = time.monotonic() - killed
    # Until HAProxy knows, one that cannot be sent to the dead server may be sent to either of the others.
    trial.check(
        follow_until(trial, last, lambda before: last == before),
        "sessions still move, and a server was killed long ago")
    trial.check(victim.name not in last.values(), f"{victim.name} was killed and answers")
    for path, home in homes.items():
        if home != victim.name:
            trial.check(last[path] == home, f"a session left {home}, and {victim.name} was killed")
    victim.start()
    # Two checks a second apart, and then its sessions return.
    trial.check(
        follow_until(trial, last, lambda _: last == homes),
        f"sessions of {victim.name} did not all return to it")
    # And a friendly end of each server in turn, as an upgrade does.
    before = failures(clients)
    for server in trial.servers:
        server.stop()
        trial.check(
            follow_until(trial, last, lambda _: server.name not in last.values()),
            f"{server.name} was ended and answers")
        server.start()
        trial.check(
            follow_until(trial, last, lambda _: last == homes),
            f"sessions of {server.name}, which was ended, did not all return to it")
    upgrade = failures(clients) - before
    trial.check(not upgrade, f"when all three were ended and started again in turn: {written(upgrade)}")
    stop.set()
    for one in clients:
        one.join(30)
    answered = sum(one.answered for one in clients)
    trial.check(
        all(one.answered for one in clients), f"answered: {[one.answered for one in clients]}")
    for one in clients:
        for text in one.strange:
            trial.check(False, f"under load: {text}")
    for place, path in enumerate(paths):
        found, _ = sessions.all_attributes(trial.front, path, 50_000)
        found = checker.check(
            ["start"],
            [change for one in clients for change in one.records[place][0]],
            [read for one in clients for read in one.records[place][1]],
            [row[-1] for row in found])
        trial.check(not found, f"{path}: {[f'{v.kind}: {v.text}' for v in found[:3]]}")
    print(
        f"  {answered} operations through HAProxy; not answered when a server was killed: "
        f"{written(before)}; all sessions had ticked again {moved_after:.2f} s after the kill")


def failures(clients):
    """How often what went wrong, by what it was."""
    counts = collections.Counter()
    for one in clients:
        for key, number in list(one.outcomes.items()):
            outcome = key.split(": ")[1]
            if outcome[:3] in ("not", "una", "502", "503", "504"):
                counts[outcome] += number
    return counts


def written(counts):
    return ", ".join(f"{number} × {what}" for what, number in sorted(counts.items())) or "none"


def follow(trial, last, y):
    """A tick of each session; `last` is where the tick before it was answered, and is brought up to date.

    What a server compares a tick with must be the tick before, wherever that was: the answer of another
    server than before has to be a reset, whatever it may remember of earlier days.
    """
    for path, before in last.items():
        answer = tick_when_possible(trial, path, y)
        served, reset = answer.fields["x-served-by"], answer.json()["reset"]
        trial.check(
            reset == (served != before),
            f"a tick on {served} after one on {before} says reset: {reset}")
        last[path] = served


def follow_until(trial, last, holds):
    """Ticks of all sessions, round after round, until something holds, which is told where they were before.

    Whether it does before long.
    """
    deadline = time.monotonic() + PATIENCE
    for number in itertools.count(1):
        before = dict(last)
        follow(trial, last, 500 + 20 * number % 5000)
        if holds(before):
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)


def tick_when_possible(trial, path, y):
    """A tick; requests that were under way when a server was killed may be refused for a moment.

    Or find no answer: where the server's connection was used before, HAProxy ends the client's.
    """
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            answer = trial.front.request(
                "POST", f"{path}/scroll", {"contentOffset": {"x": 0, "y": y}})
            if answer.status == 200 or time.monotonic() > deadline:
                return sessions.expect(answer, 200)
        except client.Unanswered:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.02)


def conflicts(trial, rounds=100):
    """Two clients, one session, two servers, the same condition: one wins, the other can go on."""
    path = trial.create().fields["location"]
    version = 1
    expected = [f"i{n}" for n in range(200)]
    for number in range(rounds):
        ends = trial.random.sample(range(3), 2)
        answers = at_once([
            lambda end=end: trial_insert(trial, path, f"r{number}-{end}", end, f'"{version}"')
            for end in ends])
        statuses = sorted(answer.status for answer in answers)
        if statuses != [200, 412]:
            trial.check(False, f"two changes of version {version} got {answers}")
            return
        won = next(end for end, answer in zip(ends, answers) if answer.status == 200)
        lost = next(end for end in ends if end != won)
        winner, loser = (
            next(answer for answer in answers if answer.status == status) for status in (200, 412))
        version += 1
        trial.check(winner.json()["version"] == version, f"the winner made {winner}")
        trial.check(
            loser.json()["version"] == version and loser.tag_version == version,
            f"the loser is told {loser}, {loser.fields.get('etag')}; it is at {version}")
        again = trial_insert(trial, path, f"r{number}-{lost}", lost, loser.fields["etag"])
        version += 1
        trial.check(
            again.status == 200 and again.json()["version"] == version, f"the second try: {again}")
        expected = [f"r{number}-{lost}", f"r{number}-{won}", *expected]
    for end in range(3):
        connection = trial.direct(end)
        found, last = sessions.all_attributes(connection, path, 50_000)
        connection.close()
        trial.check(last == version, f"server {end + 1} is at version {last} of {version}")
        trial.check([row[-1] for row in found] == expected, f"other contents on server {end + 1}")


def unconditional(trial, rounds=50):
    """Without a condition both are applied, one after the other."""
    path = trial.create().fields["location"]
    for number in range(rounds):
        answers = at_once([
            lambda end=end: trial_insert(trial, path, f"u{number}-{end}", end, None)
            for end in range(3)])
        versions = sorted(
            answer.json()["version"] for answer in answers if answer.status == 200)
        trial.check(
            versions == [3 * number + 2, 3 * number + 3, 3 * number + 4],
            f"three changes at once after version {3 * number + 1} got {answers}")


def trial_insert(trial, path, id, end, tag):
    connection = trial.direct(end)
    try:
        return connection.request(
            "POST", f"{path}/updates",
            {"insertItems": [{"section": 0, "at": 0, "items": {"ids": [id]}}]},
            {"If-Match": tag} if tag else None)
    finally:
        connection.close()


def at_once(calls):
    """What the calls return, each in a thread, all begun together."""
    barrier = threading.Barrier(len(calls))
    results = [None] * len(calls)

    def call(place):
        barrier.wait(10)
        results[place] = calls[place]()
    threads = [threading.Thread(target=call, args=(place,)) for place in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return results


def tags(trial):
    """A tag of one server must not make another say 304 for an answer that is different there.

    Ticks are not shared: the same version may show different offsets on two servers, and after a
    restart. Nothing but the tag could tell a cache between them apart.
    """
    path = trial.create().fields["location"]
    first, second = trial.direct(0), trial.direct(1)
    compared = 0
    for number in range(1, 30):
        for connection, step in ((first, 40), (second, 55)):
            trial.tick(path, number * step, connection)
        compared += compare_tags(trial, path, first, second, f"tick {number}")
    trial.check(compared > 0, "two servers never had different answers")
    answer = first.request("GET", f"{path}/attributes")
    before = (answer.fields["etag"], answer.body)
    first.close()
    trial.servers[0].kill()
    trial.servers[0].start()
    first = trial.direct(0)
    for number in range(1, 31):
        trial.tick(path, number * 60, first)
        answer = first.request("GET", f"{path}/attributes", None, {"If-None-Match": before[0]})
        plain = first.request("GET", f"{path}/attributes")
        trial.check(
            answer.status == 200 or plain.body == before[1],
            f"304 for {before[0]} of before the restart, and the answer is another")
    first.close()
    second.close()


def compare_tags(trial, path, first, second, when):
    """Of how many questions the answers differed."""
    compared = 0
    for question in (path, f"{path}/attributes"):
        one = first.request("GET", question)
        other = second.request("GET", question)
        if one.body == other.body:
            continue
        compared += 1
        conditional = second.request(
            "GET", question, None, {"If-None-Match": one.fields["etag"]})
        trial.check(
            conditional.status == 200,
            f"{when}: {conditional.status} for the tag {one.fields['etag']} of another server, "
            f"whose answer differs: GET {question}")
    return compared


def movement(trial):
    """An item in hand on one server, while the session is changed through another."""
    for _ in range(10):
        path = trial.create(count=20).fields["location"]
        first, second = trial.direct(0), trial.direct(1)
        sessions.expect(
            first.request("POST", f"{path}/movement", {"indexPath": [0, 2]}), 201)
        sessions.expect(
            first.request("PATCH", f"{path}/movement", {"position": {"x": 9, "y": 300}}), 200)
        change = trial_insert(trial, path, "between", 1, None)
        trial.check(change.status == 200, f"a change through a server without the item: {change}")
        end = first.request("POST", f"{path}/movement/end")
        trial.check(
            end.status == 409 and end.json()["type"] == "/problems/movement",
            f"the end of a movement after a change through another server: {end}")
        contents = []
        for connection in (second, trial.front):
            found, last = sessions.all_attributes(connection, path, 5000)
            trial.check(last == 2, f"after a movement that is over: version {last}")
            contents.append([row[-1] for row in found])
        expected = {"between", *(f"i{n}" for n in range(20))}
        trial.check(contents[0] == contents[1], "two servers, two contents")
        trial.check(
            len(contents[0]) == 21 and set(contents[0]) == expected, f"contents {contents[0]}")
        first.close()
        second.close()


def deletions(trial, rounds=30):
    """What is deleted through one server is gone on all, also if it is being changed just then."""
    for number in range(rounds):
        path = trial.create(count=5).fields["location"]
        ends = trial.random.sample(range(3), 3)
        connections = [trial.direct(end) for end in ends]
        for connection in connections:
            # In the memory of each of them.
            sessions.expect(connection.request("GET", path), 200)
        change = trial_insert(trial, path, "one", ends[1], None)
        trial.check(change.status == 200, f"a change: {change}")
        late = connections[0].request("DELETE", path, None, {"If-Match": '"1"'})
        trial.check(
            late.status == 412 and late.json()["version"] == 2,
            f"deleting version 1, and it is at 2: {late}")
        deleted, changed = at_once([
            lambda: connections[0].request("DELETE", path),
            lambda: trial_insert(trial, path, "two", ends[1], None)])
        trial.check(
            deleted.status == 204 and changed.status in (200, 404),
            f"deleted and changed at once: {deleted}, {changed}")
        for connection in connections:
            answers = [
                connection.request("GET", path),
                connection.request("POST", f"{path}/scroll", {"contentOffset": {"x": 0, "y": 1}}),
                connection.request("PUT", f"{path}/layout", {"layout": {"kind": "flow"}}),
                connection.request("DELETE", path)]
            trial.check(
                all(answer.status == 404 for answer in answers), f"after the deletion: {answers}")
            connection.close()


def scrolling(trial, ticks=60):
    """Ticks that go to any server: applied in turn, the answers have to be what is visible.

    Balancers move sessions back and forth, so that a server may remember ticks that are not the last ones.
    """
    def by_place(elements):
        return {(element["kind"], *element["indexPath"]): element for element in elements}

    made = trial.create()
    path = made.fields["location"]
    connections = [trial.direct(end) for end in range(3)]
    # The answer to the creation is the first tick, for the server that has made it.
    shown, where, wrong, resets = by_place(made.json()["attributes"]), None, 0, 0
    for number in range(ticks):
        # Mostly where it was, as it is behind a balancer.
        where = (
            trial.random.randrange(3) if where is None or trial.random.random() < 0.3 else where)
        y = trial.random.randint(0, 8000 if number > 0 else 400)
        answer = trial.tick(path, y, connections[where]).json()
        if answer["reset"]:
            shown = {}
            resets += 1
        for element in answer["disappeared"]:
            shown.pop((element["kind"], *element["indexPath"]), None)
        shown |= by_place(answer["appeared"] + answer["changed"])
        visible = sessions.expect(connections[where].request(
            "GET", f"{path}/attributes?x=0&y={y}&width=320&height=480"), 200).json()["attributes"]
        expected = by_place(visible)
        if shown != expected:
            wrong += 1
            shown = expected
    trial.check(
        wrong == 0, f"after {wrong} of {ticks} ticks, the answers applied in turn are not what is "
        "visible: a server compared a tick with one that was not the last, and did not say reset")
    trial.check(
        resets < ticks / 2, f"{resets} of {ticks} ticks say reset, and most went where the one before did")
    for connection in connections:
        connection.close()


def without_redis(trial):
    """Redis gone: 503 with Retry-After, for reads as well; back: all goes on by itself."""
    path = trial.create().fields["location"]
    requests = {
        "a change": ("POST", f"{path}/updates", {"deleteItems": [
            {"section": 0, "start": 0, "end": 1}]}),
        "a read": ("GET", path, None),
        "a new session": ("POST", "/v1/sessions", {
            "collection": {"sections": []}, "layout": {"kind": "list"},
            "viewport": {"width": 1, "height": 1}})}
    trial.redis.kill()
    for end in range(3):
        connection = trial.direct(end)
        for what, request in requests.items():
            answer = connection.request(*request)
            trial.check(
                answer.status == 503 and "retry-after" in answer.fields,
                f"{what} without Redis: {answer}, {answer.fields}")
        # It takes requests, if it cannot do much for them.
        for question in ("/healthz", "/readyz"):
            answer = connection.request("GET", question)
            trial.check(answer.status == 200, f"{question} without Redis: {answer}")
        connection.close()
    # One that is started meanwhile waits for Redis as the others do.
    trial.servers[0].stop()
    trial.servers[0].start()
    start_redis(trial, path)


def start_redis(trial, path):
    """After Redis was killed: all servers have to find it again by themselves, and to read a session."""
    trial.redis.start()
    began = time.monotonic()
    for end in range(3):
        connection = trial.direct(end)
        while (answer := connection.request("GET", path)).status != 200:
            if time.monotonic() > began + PATIENCE:
                break
            time.sleep(0.02)
        trial.check(answer.status == 200, f"{PATIENCE} s after Redis came back: {answer}")
        connection.close()
    print(f"  all answer again {time.monotonic() - began:.2f} s after Redis")


def staleness(trial, sandbox, binary):
    """A server that may be behind: with what it reads out, never with what it does."""
    late = processes.Server(
        sandbox, binary, trial.redis.url(), "late", ["--max-staleness-ms", "60000"])
    late.start()
    here, there = client.Connection(late.port), trial.direct(0)

    def insert(connection, id, tag=None):
        return connection.request(
            "POST", f"{path}/updates",
            {"insertItems": [{"section": 0, "at": 0, "items": {"ids": [id]}}]},
            {"If-Match": tag} if tag else None)

    def version(connection):
        return sessions.expect(connection.request("GET", path), 200).json()["version"]

    path = trial.create(there).fields["location"]
    version(here)
    trial.check(insert(there, "a").status == 200, "a change")
    behind = version(here)
    trial.check(behind in (1, 2), f"a server that may be behind says version {behind} of 2")
    answer = insert(here, "b", '"2"')
    trial.check(answer.status == 200, f"a change of the current version through it: {answer}")
    answer = insert(here, "c")
    trial.check(
        answer.status == 200 and version(here) >= answer.json()["version"],
        f"its own change has to be seen: {answer}, then version {version(here)}")
    now = version(there)
    trial.check(insert(there, "d").status == 200, "a change")
    answer = insert(here, "e", f'"{now}"')
    trial.check(
        answer.status == 412 and answer.json()["version"] == now + 1,
        f"a change of version {now}, and it is at {now + 1}: {answer}")
    # What fits only what it has not seen yet.
    path = trial.create(there, count=2).fields["location"]
    version(here)
    trial.check(insert(there, "third").status == 200, "a change")
    answer = here.request("POST", f"{path}/updates", {
        "deleteItems": [{"section": 0, "start": 2, "end": 3}]})
    trial.check(answer.status == 200, f"a batch that fits the session as it is: {answer}")
    # And without Redis it goes on reading.
    path = trial.create(here).fields["location"]
    trial.redis.kill()
    answer = here.request("GET", path)
    trial.check(answer.status == 200, f"a read, not too old, without Redis: {answer}")
    answer = insert(here, "f")
    trial.check(answer.status == 503, f"a change without Redis: {answer}")
    start_redis(trial, path)
    here.close()
    there.close()
    late.stop()


def run(options):
    """The subcommand `balanced`."""
    started = time.monotonic()
    with processes.Sandbox() as sandbox:
        trial = Trial(sandbox, options)
        parts = [
            ("conflicts", lambda: conflicts(trial)), ("unconditional", lambda: unconditional(trial)),
            ("deletions", lambda: deletions(trial)),
            ("tags", lambda: tags(trial)),
            ("scrolling", lambda: scrolling(trial)),
            ("staleness", lambda: staleness(
                trial, sandbox, processes.find_binary(options.binary))), ("movement", lambda: movement(trial)),
            ("stickiness and a killed server",
             lambda: killed_server(trial, stickiness(trial), options)),
            ("without Redis", lambda: without_redis(trial))]
        for name, part in parts:
            if time.monotonic() - started > options.seconds:
                trial.check(False, f"no time left for: {name}")
                break
            print(f"  {name}", flush=True)
            try:
                part()
            except (sessions.Wrong, client.NotSent, client.Unanswered) as error:
                trial.check(False, f"{name}: {error!r}")
            for program in trial.programs:
                # A part that failed may have left something dead; the next one needs them all.
                if program.process.poll() is not None:
                    trial.check(
                        program.was_ended, f"{program.name} ended by itself with "
                        f"{program.process.returncode}: {program.output()}")
                    program.start()
        if trial.wrong:
            for server in trial.servers:
                print(f"the end of what {server.name} said:\n{server.output()}")
        print(
            f"balanced: seed {options.seed}, {trial.checks} checks, {len(trial.wrong)} violations, "
            f"{time.monotonic() - started:.0f} s")
        return 1 if trial.wrong else 0
