"""What goes wrong while a history is made: one thing after the other, in an order that a seed gives."""

import time


class Faults:
    """Does one fault at a time, and mends it before the next.

    Every kind comes up once before any comes up again. The pauses between them leave time for work:
    a system that is always broken answers nothing, and a history of nothing is in order.
    """

    KINDS = [
        "server killed", "servers killed", "Redis terminated", "Redis killed", "Redis paused",
        "connections cut", "connections held", "connections refused", "answers lost"]

    def __init__(self, kinds, rng, servers, redis, proxies):
        self.kinds = kinds
        self.random = rng
        self.servers = servers
        self.redis = redis
        self.proxies = proxies
        self.waiting = []
        self.counts = {kind: 0 for kind in kinds}

    @classmethod
    def chosen(cls, names):
        """The kinds that an argument names; blanks may be written as dashes."""
        if names == "all":
            return list(cls.KINDS)
        if names == "none":
            return []
        kinds = {kind.lower().replace(" ", "-"): kind for kind in cls.KINDS}
        try:
            return [kinds[name.lower()] for name in names.split(",")]
        except KeyError as error:
            raise SystemExit(f"no fault {error}; there are {', '.join(kinds)}") from None

    def next(self):
        """Waits a little, and does the next fault."""
        time.sleep(self.random.uniform(0.2, 0.8))
        if not self.kinds:
            return
        if not self.waiting:
            self.waiting = list(self.kinds)
            self.random.shuffle(self.waiting)
        kind = self.waiting.pop()
        getattr(self, "do_" + kind.lower().replace(" ", "_"))()
        self.counts[kind] += 1

    def outage(self, most=0.4):
        time.sleep(self.random.uniform(0, most))

    def some_proxy(self):
        return self.random.randrange(len(self.servers))

    def do_server_killed(self):
        server = self.random.choice(self.servers)
        server.kill()
        self.outage()
        server.start()

    def do_servers_killed(self):
        """All at once: nothing is left but what the store has."""
        for server in self.servers:
            server.kill()
        for server in self.servers:
            server.start(wait=False)
        for server in self.servers:
            server.wait_until_ready()

    def do_redis_terminated(self):
        self.redis.stop()
        self.outage()
        self.redis.start()

    def do_redis_killed(self):
        self.redis.kill()
        self.outage()
        self.redis.start()

    def do_redis_paused(self):
        self.redis.pause()
        time.sleep(self.random.uniform(0.1, 2))
        self.redis.resume()

    def do_connections_cut(self):
        # Several times, at moments when different things are under way.
        for _ in range(5):
            self.proxies.cut(self.some_proxy())
            time.sleep(self.random.uniform(0, 0.05))

    def do_connections_held(self):
        seconds = self.random.uniform(0.05, 1.5)
        self.proxies.hold(self.some_proxy(), seconds)
        time.sleep(seconds)

    def do_connections_refused(self):
        seconds = self.random.uniform(0.05, 0.8)
        self.proxies.refuse(self.some_proxy(), seconds)
        time.sleep(seconds)

    def do_answers_lost(self):
        for place in range(len(self.servers)):
            self.proxies.lose_answer(place, self.random.randint(1, 6))
        self.outage()
