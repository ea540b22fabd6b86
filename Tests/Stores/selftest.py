"""Tests of the tests: the checker has to find what is planted, and nothing where there is nothing."""

import contextlib
import io
import random
import socket
import threading
import time
import unittest

import client
import kills
import model
import proxy
from checker import NEVER, Change, Read, check


def history(rng, operations=40, clients=4, unknown=0.15):
    """A history that one copy did produce, with operations that overlap: changes, reads, final content.

    Each operation takes effect at its own moment; beginnings and ends are put around it at random.
    """
    initial = ["start"]
    content = list(initial)
    free = [0.0] * clients
    changes, reads = [], []
    moments = sorted(rng.uniform(0, operations) for _ in range(operations))
    for number, moment in enumerate(moments):
        who = rng.randrange(clients)
        if free[who] >= moment:
            continue
        began = rng.uniform(max(free[who], moment - 3), moment)
        ended = moment + rng.uniform(0, 3)
        free[who] = ended
        version = len(content)
        if rng.random() < 0.5:
            reads.append(Read(
                began, ended, version, ids=tuple(content[:3]), count=len(content)))
            continue
        id = f"n{number}"
        base = None
        if rng.random() < 0.4:
            base = max(1, version - rng.randint(0, 1))
        if base is not None and base != version:
            changes.append(Change(id, began, ended, "refused", base=base))
            reads.append(Read(began, ended, version, what="refusal"))
            continue
        if rng.random() < unknown:
            if rng.random() < 0.5:
                content.insert(0, id)
            changes.append(Change(id, began, NEVER, "unknown", base=base))
            continue
        content.insert(0, id)
        changes.append(Change(id, began, ended, "acknowledged", version + 1, base))
    return initial, changes, reads, content


def explained(initial, changes, reads, final):
    """The same question by trying every order, for histories of a few operations."""
    operations = changes + reads

    def search(done, version):
        if len(done) == len(operations):
            return version == 1 + len(final) - len(initial)
        rest = [n for n in range(len(operations)) if n not in done]
        horizon = min(operations[n].ended for n in rest)
        for n in rest:
            operation = operations[n]
            if operation.began > horizon:
                continue  # something ended before it began
            if isinstance(operation, Read):
                if operation.version == version and search(done | {n}, version):
                    return True
                continue
            place = len(final) - len(initial) - version
            applies = (
                operation.outcome != "refused" and place >= 0 and final[place] == operation.id
                and operation.version in (None, version + 1)
                and operation.base in (None, version))
            if applies and search(done | {n}, version + 1):
                return True
            if operation.outcome != "acknowledged" and search(done | {n}, version):
                return True
        return False

    return search(frozenset(), 1)


class CheckerTests(unittest.TestCase):
    def kinds(self, *arguments):
        return {violation.kind for violation in check(*arguments)}

    def setUp(self):
        self.initial = ["start"]
        self.changes = [
            Change("a", 1, 2, "acknowledged", 2), Change("b", 3, 4, "acknowledged", 3),
            Change("c", 5, 6, "acknowledged", 4)]
        self.final = ["c", "b", "a", "start"]

    def test_real_histories_are_in_order(self):
        for seed in range(500):
            with self.subTest(seed=seed):
                self.assertEqual(check(*history(random.Random(seed))), [])

    def test_agrees_with_trying_every_order(self):
        """Small histories, most of them spoilt in one number: both ways say the same of each."""
        verdicts = {True: 0, False: 0}
        for seed in range(3000):
            rng = random.Random(seed)
            initial, changes, reads, final = history(rng, operations=7, clients=3)
            for operation in changes + reads:
                if rng.random() < 0.3:
                    shift = rng.uniform(-4, 4)
                    operation.began += shift
                    operation.ended += shift
            for read in reads:
                read.ids = read.count = None  # the other way looks at versions only
                if rng.random() < 0.2:
                    read.version = max(1, min(len(final), read.version + rng.choice([-1, 1])))
            acknowledged = [change for change in changes if change.outcome == "acknowledged"]
            if acknowledged and rng.random() < 0.1:
                rng.choice(acknowledged).version += rng.choice([-1, 1])
            expected = explained(initial, changes, reads, final)
            verdicts[expected] += 1
            with self.subTest(seed=seed):
                self.assertEqual(check(initial, changes, reads, final) == [], expected)
        self.assertGreater(min(verdicts.values()), 500, "one of the verdicts hardly came up")

    def test_finds_a_stale_read(self):
        reads = [Read(4.5, 4.8, 2)]
        self.assertEqual(
            self.kinds(self.initial, self.changes, reads, self.final), {"stale read"})

    def test_finds_reads_that_go_back(self):
        # Change b is not answered before either, so only the two reads contradict each other.
        self.changes[1].ended = 10
        self.changes[2].began, self.changes[2].ended = 3, 10
        reads = [Read(4, 5, 3), Read(6, 7, 2)]
        self.assertEqual(
            self.kinds(self.initial, self.changes, reads, self.final), {"reads go back"})

    def test_finds_a_read_of_the_future(self):
        reads = [Read(3.5, 4.5, 4)]
        self.assertEqual(
            self.kinds(self.initial, self.changes, reads, self.final), {"read of the future"})

    def test_finds_a_lost_update(self):
        self.changes[2].version = 3
        self.assertEqual(
            self.kinds(self.initial, self.changes, [], ["c", "a", "start"]),
            {"version twice", "lost"})

    def test_finds_a_version_acknowledged_twice(self):
        self.changes[2].version = 3
        self.assertIn(
            "version twice", self.kinds(self.initial, self.changes, [], self.final))

    def test_finds_changes_out_of_order(self):
        self.changes[0].version, self.changes[1].version = 3, 2
        self.assertEqual(
            self.kinds(self.initial, self.changes, [], ["c", "a", "b", "start"]),
            {"changes reordered"})

    def test_finds_a_refused_change_that_was_applied(self):
        self.changes[1] = Change("b", 3, 4, "refused", base=1)
        self.assertIn(
            "refused but applied", self.kinds(self.initial, self.changes, [], self.final))

    def test_finds_a_condition_that_did_not_hold(self):
        self.changes[2].base = 2
        self.assertEqual(
            self.kinds(self.initial, self.changes, [], self.final), {"condition broken"})

    def test_finds_a_change_applied_twice(self):
        self.assertIn("applied twice", self.kinds(
            self.initial, self.changes, [], ["c", "b", "b", "a", "start"]))

    def test_finds_what_nobody_inserted(self):
        self.assertEqual(self.kinds(
            self.initial, self.changes, [], ["x", "c", "b", "a", "start"]), {"foreign"})

    def test_finds_wrong_contents(self):
        reads = [Read(7, 8, 4, ids=("c", "a")), Read(7, 8, 4, count=3)]
        self.assertEqual(
            self.kinds(self.initial, self.changes, reads, self.final),
            {"wrong content", "wrong count"})

    def test_finds_a_version_that_nobody_made(self):
        reads = [Read(7, 8, 5)]
        self.assertEqual(
            self.kinds(self.initial, self.changes, reads, self.final), {"unexplained version"})

    def test_finds_a_lost_beginning(self):
        self.assertEqual(
            self.kinds(self.initial, self.changes, [], ["c", "b", "a"]), {"beginning lost"})

    def test_an_unknown_change_may_come_late_or_never(self):
        self.changes[0] = Change("a", 1, NEVER, "unknown")
        late = [
            Change("a", 1, NEVER, "unknown"), Change("b", 3, 4, "acknowledged", 2),
            Change("c", 5, 6, "acknowledged", 4)]
        self.assertEqual(check(self.initial, late, [Read(4.5, 4.6, 2)], ["c", "a", "b", "start"]), [])
        never = [Change("a", 1, NEVER, "unknown"), Change("b", 3, 4, "acknowledged", 2)]
        self.assertEqual(check(self.initial, never, [], ["b", "start"]), [])

    def test_an_unknown_change_does_not_come_before_it_began(self):
        self.changes[0] = Change("a", 4.5, NEVER, "unknown")
        self.assertEqual(
            self.kinds(self.initial, self.changes, [], self.final), {"changes reordered"})

    def seconds(self, count):
        """Of the processor, for that many changes and reads."""
        changes = [
            Change(f"n{n}", n, n + 0.5, "acknowledged", n + 2) for n in range(count)]
        reads = [Read(n + 0.6, n + 0.7, n + 2) for n in range(count)]
        final = [change.id for change in reversed(changes)] + self.initial
        began = time.thread_time()
        self.assertEqual(check(self.initial, changes, reads, final), [])
        return time.thread_time() - began

    def test_a_long_history_takes_little_time(self):
        """Thirty times as much takes thirty times as long, or sixty, and not nine hundred times."""
        self.assertLess(self.seconds(30_000), 200 * min(self.seconds(1_000) for _ in range(5)))


class ModelTests(unittest.TestCase):
    def items(self, text):
        return tuple(model.Item(letter) for letter in text)

    def letters(self, sections):
        return ["".join(item.id for item in section.items) for section in sections]

    def test_batches_by_their_rule(self):
        before = [model.Section(self.items(text)) for text in ("abcd", "ef")]
        after = model.apply(before, model.Batch(
            delete_items=[(0, 1, 2)], insert_items=[(0, 0, self.items("x"))],
            move_items=[((1, 0), (0, 2))]))
        self.assertEqual(self.letters(after), ["xaecd", "f"])

    def test_sections_come_first(self):
        before = [model.Section(self.items(text)) for text in ("ab", "cd", "ef")]
        after = model.apply(before, model.Batch(
            delete_sections=[0], insert_sections=[(2, model.Section(self.items("z")))],
            delete_items=[(1, 0, 1)], insert_items=[(0, 1, self.items("y"))]))
        self.assertEqual(self.letters(after), ["dy", "ef", "z"])
        after = model.apply(before, model.Batch(move_sections=[(0, 2)]))
        self.assertEqual(self.letters(after), ["cd", "ef", "ab"])

    def test_random_changes_keep_ids_unique(self):
        for seed in range(50):
            author = model.Author(random.Random(seed), "t")
            one = author.model()
            for _ in range(40):
                after = model.apply(one.sections, author.batch(one))
                one = one.next(sections=after)
                self.assertEqual(len(set(one.ids())), one.item_count)
            one = one.next(sections=author.new_collection(one))
            self.assertEqual(len(set(one.ids())), one.item_count)


class ClientTests(unittest.TestCase):
    """Against a socket that says what it is told, and then hangs up."""

    def answering(self, *parts):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def serve():
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                for part in parts:
                    connection.sendall(part)
        threading.Thread(target=serve, daemon=True).start()
        return client.Connection(listener.getsockname()[1], timeout=5)

    def test_reads_answers_that_come_in_parts(self):
        for step in (1, 7, 1000):
            text = b"HTTP/1.1 200 OK\r\nETag: \"12.7\"\r\nContent-Length: 4\r\n\r\nbody"
            parts = [text[n:n + step] for n in range(0, len(text), step)]
            answer = self.answering(*parts).request("GET", "/")
            self.assertEqual((answer.status, answer.body), (200, b"body"))
            self.assertEqual(answer.tag_version, 12)

    def test_reads_chunks(self):
        answer = self.answering(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
            b"2;x=y\r\nde\r\n0\r\n\r\n").request("GET", "/")
        self.assertEqual(answer.body, b"abcde")

    def test_half_an_answer_is_none(self):
        connection = self.answering(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbo")
        self.assertRaises(client.Unanswered, connection.request, "GET", "/")

    def test_no_listener_means_not_sent(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        self.assertRaises(client.NotSent, client.Connection(port).request, "GET", "/")


class KillsTests(unittest.TestCase):
    """A server that hangs up, at once or after an answer: what is wrong if it was not killed, and if it was."""

    def violations(self, caller, killed, answer=b""):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            def hang_up():
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(answer)
            threading.Thread(target=hang_up, daemon=True).start()
            author = model.Author(random.Random(1), "a")
            subject = kills.Subject("/v1/sessions/a", author, author.model())
            dying, stop, tally = threading.Event(), threading.Event(), kills.Tally()
            if killed:
                dying.set()
            subjects = [subject] if caller is kills.Writer else [[subject]]
            caller(
                listener.getsockname()[1], subjects, random.Random(2), tally, dying, stop).run()
        return tally.violations

    def test_no_answer_is_right_of_the_dead_only(self):
        for caller in kills.Writer, kills.Reader:
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(len(self.violations(caller, killed=False)), 1)
            self.assertEqual(self.violations(caller, killed=True), [])

    def test_the_living_are_not_unavailable(self):
        answer = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"
        for caller in kills.Writer, kills.Reader:
            with contextlib.redirect_stdout(io.StringIO()):
                said = self.violations(caller, False, answer)
            self.assertIn("from a server that is alive: 503", " ".join(said))
            self.assertEqual(self.violations(caller, True, answer), [])

    def test_a_bug_of_the_test_is_no_quiet_round(self):
        for caller in kills.Writer, kills.Reader:
            with contextlib.redirect_stdout(io.StringIO()):
                said = self.violations(caller, True, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            self.assertEqual([text.partition(":")[0] for text in said], ["the test itself"])


class ProxyTests(unittest.TestCase):
    def setUp(self):
        self.echo = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.echo.close)
        self.heard = []
        threading.Thread(target=self.serve, daemon=True).start()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port = listener.getsockname()[1]
        self.proxies = proxy.Proxies([self.port], self.echo.getsockname()[1])
        self.addCleanup(self.proxies.close)

    def serve(self):
        while True:
            try:
                connection, _ = self.echo.accept()
            except OSError:
                return
            threading.Thread(target=self.converse, args=(connection,), daemon=True).start()

    def converse(self, connection):
        with connection:
            try:
                while data := connection.recv(1000):
                    self.heard.append(data)
                    connection.sendall(data)
            except OSError:
                pass

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), 5)

    def test_passes_on(self):
        with self.connect() as connection:
            connection.sendall(b"hello")
            self.assertEqual(connection.recv(100), b"hello")

    def test_cuts(self):
        with self.connect() as connection:
            connection.sendall(b"hello")
            connection.recv(100)
            self.proxies.cut(0)
            self.assertTrue(self.ended(connection))
        self.test_passes_on()

    def test_loses_answers(self):
        """The upstream hears the question, and the asker does not hear the answer."""
        with self.connect() as connection:
            connection.sendall(b"one")
            connection.recv(100)
            self.proxies.lose_answer(0)
            connection.sendall(b"two")
            self.assertTrue(self.ended(connection))
        deadline = time.monotonic() + 60
        while b"two" not in self.heard and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertIn(b"two", self.heard)

    def test_holds_back(self):
        with self.connect() as connection:
            connection.sendall(b"one")
            connection.recv(100)
            self.proxies.hold(0, 0.3)
            began = time.monotonic()
            connection.sendall(b"two")
            self.assertEqual(connection.recv(100), b"two")
            self.assertGreater(time.monotonic() - began, 0.2)

    def ended(self, connection):
        try:
            return connection.recv(100) == b""
        except ConnectionError:
            return True


def run(_options):
    """The subcommand `selftest`."""
    suite = unittest.defaultTestLoader.loadTestsFromModule(__import__("selftest"))
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    failures = len(result.failures) + len(result.errors)
    print(f"selftest: {result.testsRun} tests, {failures} failed")
    return 0 if result.wasSuccessful() and result.testsRun else 1
