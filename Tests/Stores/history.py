"""Concurrent clients, several servers over one Redis, faults: is what they saw one history?

Every client talks to all servers, and to HAProxy before them. Each session is a list that begins with one
item and gets others at its front, with ids that never come twice; see `checker` for what is asked of what
was recorded.
"""

import random
import time

import balanced
import checker
import client
import load
import processes
import proxy
import sessions
from faults import Faults

DESCRIPTION = {
    "collection": {"sections": [{"items": {"ids": ["start"]}}]},
    "layout": {"kind": "list", "itemLength": load.ITEM_LENGTH},
    "viewport": load.VIEWPORT,
}


class Cluster:
    """Redis, a proxy for each server, the servers, and HAProxy."""

    def __init__(self, sandbox, options):
        self.proxies = None
        binary = processes.find_binary(options.binary)
        self.redis = processes.Redis(sandbox, fsync="always")
        self.redis.start()
        self.proxy_ports = [sandbox.free_port() for _ in range(options.servers)]
        self.servers = []
        for place, port in enumerate(self.proxy_ports):
            extra = ["--max-staleness-ms", str(options.max_staleness_ms)]
            if place == options.servers - 1:
                # Has to read sessions from the store all the time.
                extra += ["--max-sessions", "4"]
            self.servers.append(processes.Server(
                sandbox, binary, self.redis.url(port), f"layoutd{place + 1}", extra))
        port = sandbox.free_port()
        self.haproxy = processes.HAProxy(
            sandbox, balanced.configuration([server.port for server in self.servers], port), port)

    def start(self):
        self.proxies = proxy.Proxies(self.proxy_ports, self.redis.port)
        for server in self.servers:
            server.start()
        self.haproxy.start()

    def close(self):
        if self.proxies is not None:
            self.proxies.close()


def create_sessions(cluster, count):
    connection = client.Connection(cluster.servers[0].port)
    paths = []
    for _ in range(count):
        answer = sessions.expect(
            connection.request("POST", "/v1/sessions", DESCRIPTION), 201)
        paths.append(answer.fields["location"])
    connection.close()
    return paths


def final_reads(cluster, path, patience=10):
    """What each server says in the end: reads as good as any other, and the longest content.

    A server that has just lost its connections may say 503 for a moment more.
    """
    reads, longest = [], []
    for server in cluster.servers:
        connection = client.Connection(server.port)
        deadline = time.monotonic() + patience
        while connection.request("GET", path).status == 503 and time.monotonic() < deadline:
            time.sleep(0.05)
        began = time.monotonic()
        found, version = sessions.all_attributes(connection, path, limit=50_000)
        ids = tuple(row[-1] for row in found)
        reads.append(checker.Read(
            began, time.monotonic(), version, ids=ids, count=len(ids), what="last read"))
        longest = max(longest, ids, key=len)
        connection.close()
    return reads, longest


def run(options):
    """The subcommand `history`."""
    rng = random.Random(options.seed)
    kinds = Faults.chosen(options.faults)
    started = time.monotonic()
    violations = []
    with processes.Sandbox() as sandbox:
        clients = load.Clients(options.processes)
        cluster = None
        try:
            cluster = Cluster(sandbox, options)
            cluster.start()
            paths = create_sessions(cluster, options.sessions)
            per_process = max(1, options.clients // options.processes)
            clients.begin({
                "seed": options.seed, "paths": paths, "clients": per_process,
                # Some connections through HAProxy, the others past it.
                "ports": [server.port for server in cluster.servers] + [cluster.haproxy.port],
                "operations": -(-options.operations // (per_process * options.processes))})
            faults = Faults(
                kinds, rng, cluster.servers, cluster.redis, cluster.proxies)
            deadline = started + options.seconds
            began = time.monotonic()
            while not clients.poll() and time.monotonic() < deadline:
                faults.next()
            clients.stop()
            while not clients.poll() and time.monotonic() < deadline + 30:
                time.sleep(0.05)
            busy = time.monotonic() - began
            # What is still under way somewhere ends.
            time.sleep(1.5)
            for program in (cluster.haproxy, cluster.redis, *cluster.servers):
                program.check_alive()
            lasts = [final_reads(cluster, path) for path in paths]
        except sessions.Wrong as wrong:
            raise processes.Failure(f"in the beginning or the end: {wrong}") from None
        finally:
            clients.close()
            if cluster is not None:
                cluster.close()
        logs = {server.name: server.output() for server in cluster.servers}

    results = [one for result in clients.results if result for one in result]
    outcomes, answered = {}, 0
    for _, counts, strange, number in results:
        answered += number
        violations += [f"strange: {text}" for text in strange]
        for key, value in counts.items():
            outcomes[key] = outcomes.get(key, 0) + value
    applied = unknown = versions = 0
    for place, (last_reads, final) in enumerate(lasts):
        changes = [one for records, *_ in results for one in records[place][0]]
        reads = [one for records, *_ in results for one in records[place][1]] + last_reads
        in_doubt = [one.id for one in changes if one.outcome == "unknown"]
        unknown += len(in_doubt)
        applied += len(set(in_doubt) & set(final))
        versions += len(final)
        for found in checker.check(["start"], changes, reads, final):
            violations.append(f"session {place}: {found.kind}: {found.text}")

    for key in sorted(outcomes):
        print(f"  {key}: {outcomes[key]}")
    for kind in kinds:
        print(f"  fault, {kind}: {faults.counts[kind]}")
    print(f"  {versions} versions in {len(paths)} sessions")
    print(f"  {unknown} changes of unknown outcome, {applied} of them applied")
    for text in violations[:40]:
        print(f"VIOLATION {text}")
    if violations:
        for name, log in logs.items():
            print(f"the end of what {name} said:\n{log}")
    failed = bool(violations) or answered < options.operations
    failed = failed or any(result is None for result in clients.results)
    # A long run has time for everything.
    failed = failed or (options.operations >= 20_000 and 0 in faults.counts.values())
    print(
        f"history: seed {options.seed}, {options.servers} servers, {answered} operations answered "
        f"of {options.operations} asked for, {sum(outcomes.values())} in all, "
        f"{answered / busy:.0f}/s, {sum(faults.counts.values())} faults, "
        f"{len(violations)} violations, {time.monotonic() - started:.0f} s")
    return 1 if failed else 0
