"""Servers, Redis and HAProxy as processes of one sandbox: all on loopback, all ended with it."""

import atexit
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import client

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


class Failure(Exception):
    """The test itself cannot go on: something did not start, or ended by itself."""


def find_binary(path):
    """The program under test: the path given, else the release build, else the debug build."""
    choices = [path] if path else [
        REPOSITORY / ".build/release/layoutd", REPOSITORY / ".build/debug/layoutd"]
    for choice in choices:
        if os.access(choice, os.X_OK):
            return str(pathlib.Path(choice).resolve())
    raise Failure(f"no program at {' or '.join(map(str, choices))}: build it, or say --binary PATH")


def end_on_signals():
    """Makes SIGTERM and SIGHUP run the same clean-up as an error does; `timeout` sends the first."""
    def end(number, _):
        sys.exit(128 + number)
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGHUP, end)


class Sandbox:
    """A temporary folder and the processes that work in it; on leaving, both are gone.

    Sockets that are to be found again after a restart have ports below those that the system gives to
    outgoing connections: otherwise a client's connection could sit on a port while its server is down.
    """

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="layoutd-stores-"))
        self.processes = []
        self.ports = set()
        self.owner = os.getpid()
        # Seeded by the system, not by the run's seed: two runs at once must not choose the same ports.
        self.random = random.SystemRandom()
        atexit.register(self.close)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the processes and removes the folder; does nothing in a forked child."""
        if os.getpid() != self.owner:
            return
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                try:
                    # One that was stopped does not end before it is continued, on some kernels.
                    process.send_signal(signal.SIGCONT)
                except OSError:
                    pass
        for process in self.processes:
            process.wait()
        self.processes = []
        shutil.rmtree(self.folder, ignore_errors=True)

    def free_port(self):
        """A port that nobody listens on, and no two callers get."""
        with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
            lowest = int(file.read().split()[0])
        ports = range(10_000, lowest) if lowest > 11_000 else range(61_000, 65_000)
        for _ in range(1000):
            port = self.random.choice(ports)
            if port in self.ports:
                continue
            with socket.socket() as attempt:
                try:
                    attempt.bind(("127.0.0.1", port))
                except OSError:
                    continue
            self.ports.add(port)
            return port
        raise Failure("no free port")

    def start(self, arguments, log, environment=None):
        """Starts a process whose output is appended to a file of the sandbox."""
        with open(self.folder / log, "ab") as output:
            process = subprocess.Popen(
                arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                cwd=self.folder, env={**os.environ, **(environment or {})}, start_new_session=True)
        self.processes.append(process)
        return process

    def log_tail(self, log, count=2000):
        try:
            return (self.folder / log).read_text(errors="replace")[-count:]
        except OSError:
            return ""


class Program:
    """A process that can be killed and started again in the same place."""

    def __init__(self, sandbox, name):
        self.sandbox = sandbox
        self.name = name
        self.log = f"{name}.log"
        self.process = None
        # Whether it is gone because the test wanted that.
        self.was_ended = False

    def arguments(self):
        raise NotImplementedError

    def environment(self):
        return {}

    def is_ready(self):
        raise NotImplementedError

    def start(self, wait=True):
        self.was_ended = False
        self.process = self.sandbox.start(self.arguments(), self.log, self.environment())
        if wait:
            self.wait_until_ready()

    def wait_until_ready(self, seconds=20):
        deadline = time.monotonic() + seconds
        while not self.is_ready():
            self.check_alive()
            if time.monotonic() > deadline:
                raise Failure(f"{self.name} is not ready after {seconds} s: {self.output()}")
            time.sleep(0.004)

    def check_alive(self):
        """Nobody but the test ends a process: whatever else does is a bug in it."""
        if self.process.poll() is not None:
            raise Failure(f"{self.name} ended with {self.process.returncode}: {self.output()}")

    def output(self):
        return self.sandbox.log_tail(self.log)

    def kill(self):
        self.check_alive()
        self.process.kill()
        self.process.wait()
        self.forget()

    def stop(self, seconds=20):
        """Ends it the friendly way, as a service manager does."""
        self.check_alive()
        self.process.terminate()
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name} does not end {seconds} s after SIGTERM") from None
        self.forget()

    def forget(self):
        self.was_ended = True
        self.sandbox.processes.remove(self.process)

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)


def is_ready_at(port):
    """Whether a server, or the balancer before some, takes requests."""
    connection = client.Connection(port, timeout=2)
    try:
        return connection.request("GET", "/readyz").status == 200
    except (client.NotSent, client.Unanswered):
        return False
    finally:
        connection.close()


class Server(Program):
    """A layoutd on a port of its own. The store goes into the environment, where passwords belong."""

    def __init__(self, sandbox, binary, store, name="layoutd", options=()):
        super().__init__(sandbox, name)
        self.binary = binary
        self.store = store
        self.options = list(options)
        self.port = sandbox.free_port()

    def arguments(self):
        return [
            self.binary, "serve", "--port", str(self.port), "--log-level", "warning", *self.options]

    def environment(self):
        return {"LAYOUTD_STORE": self.store}

    def is_ready(self):
        return is_ready_at(self.port)


class Redis(Program):
    """A Redis with its append-only file on, in a folder of its own.

    With `always` it has written and synced a change before it answers; with `everysec` it may answer
    up to two seconds earlier than it writes, while a sync is slow, so that even a `kill -9` can lose
    what was acknowledged. Tests that kill Redis use the first.
    """

    def __init__(self, sandbox, fsync="always", password=None, name="redis", options=()):
        super().__init__(sandbox, name)
        self.port = sandbox.free_port()
        self.options = list(options)
        self.fsync = fsync
        self.password = password
        self.folder = sandbox.folder / f"{name}-data"
        self.folder.mkdir()
        self.socket_path = self.folder / "socket"

    def arguments(self):
        arguments = [
            "redis-server", "--bind", "127.0.0.1", "--port", str(self.port), "--unixsocket",
            str(self.socket_path), "--dir", str(self.folder), "--save", "", "--appendonly", "yes",
            "--appendfsync", self.fsync, "--maxmemory-policy", "noeviction", "--daemonize", "no",
            *self.options]
        return arguments + (["--requirepass", self.password] if self.password else [])

    def is_ready(self):
        try:
            return self.ping()
        except OSError:
            return False

    def ping(self):
        """Whether it answers, and has read its file.

        A second answer comes after everything that had arrived from anyone before the first question.
        """
        with socket.create_connection(("127.0.0.1", self.port), 5) as connection:
            if self.password:
                connection.sendall(f"AUTH {self.password}\r\n".encode())
                connection.recv(1000)
            for _ in range(2):
                connection.sendall(b"PING\r\n")
                if not connection.recv(1000).startswith(b"+PONG"):
                    return False
        return True

    def tell(self, *words):
        """Sends a command to one without a password; the answer: a text, or a line with its sign in front."""
        with socket.create_connection(("127.0.0.1", self.port), 5) as connection:
            connection.sendall((" ".join(words) + "\r\n").encode())
            with connection.makefile("rb") as answer:
                line = answer.readline()
                if line.startswith(b"$"):
                    return answer.read(int(line[1:])).decode()
                return line.decode().rstrip()

    def url(self, port=None, database=0):
        secret = f":{self.password}@" if self.password else ""
        return f"redis://{secret}127.0.0.1:{port or self.port}/{database}"

    def socket_url(self, database=0):
        return f"redis+unix://{self.socket_path}?db={database}"


class HAProxy(Program):
    """HAProxy with a configuration that is checked before it starts."""

    def __init__(self, sandbox, configuration, port, name="haproxy"):
        super().__init__(sandbox, name)
        self.port = port
        self.path = sandbox.folder / f"{name}.cfg"
        self.path.write_text(configuration)
        check = subprocess.run(
            ["haproxy", "-c", "-f", str(self.path)], capture_output=True, text=True, timeout=30)
        if check.returncode != 0:
            raise Failure(f"HAProxy refuses its configuration: {check.stderr}{check.stdout}")

    def arguments(self):
        return ["haproxy", "-db", "-f", str(self.path)]

    def is_ready(self):
        return is_ready_at(self.port)
