"""The files of Examples/deploy, checked as far as they can be without containers.

HAProxy reads its configuration, Redis starts with the arguments that it would get, every setting of
layoutd is one that it has, and what names something else names something that is there.
"""

import json
import re
import shutil
import socket
import subprocess
import threading
import time

import processes

try:
    import yaml
except ImportError:
    raise processes.Failure("without Debian's python3-yaml the files cannot be read") from None

FOLDER = processes.REPOSITORY / "Examples/deploy"


class Report:
    def __init__(self):
        self.done = []
        self.wrong = []

    def check(self, holds, text):
        self.done.append(text)
        if not holds:
            self.wrong.append(text)
            print(f"VIOLATION {text}", flush=True)

    def skipped(self, text):
        print(f"  not checked here: {text}")


def documents(report, name):
    """The YAML documents of a file; none, and a violation, if it is not laid out as such."""
    try:
        found = [one for one in yaml.safe_load_all((FOLDER / name).read_text()) if one is not None]
    except yaml.YAMLError as error:
        found = []
        report.check(False, f"{name}: {error}")
    report.check(found, f"{name} says something")
    return found


def check_haproxy(report):
    result = subprocess.run(
        ["haproxy", "-c", "-f", str(FOLDER / "haproxy.cfg")], capture_output=True, text=True,
        timeout=30)
    complaints = [
        line for line in (result.stdout + result.stderr).splitlines()
        # The names exist in the network of the containers only.
        if "WARNING" in line and "could not resolve address" not in line or "ALERT" in line]
    report.check(
        result.returncode == 0 and not complaints, f"haproxy -c: {complaints or 'no complaint'}")


def check_redis(report, sandbox, what, arguments, password):
    """Starts Redis as it would be started, but for its folder and port, and asks it what it does."""
    port = sandbox.free_port()
    folder = sandbox.folder / f"{what}-data"
    folder.mkdir()
    place = ["--dir", str(folder), "--port", str(port), "--bind", "127.0.0.1"]
    environment = {}
    if password is None:
        arguments = [*arguments, *place]
    else:
        # The only option of a script that is changed.
        arguments = [one.replace("--dir /data", " ".join(place)) for one in arguments]
        environment["PASSWORD"] = password
    process = sandbox.start(arguments, f"{what}.log", environment)
    client = ["redis-cli", "-p", str(port)]
    deadline = time.monotonic() + 10
    answers = {}
    while time.monotonic() < deadline and process.poll() is None:
        result = subprocess.run(
            [*client, "config", "get", "append*"], capture_output=True, text=True, timeout=10,
            env={"REDISCLI_AUTH": password or "", "PATH": "/usr/bin:/bin"})
        words = result.stdout.split()
        answers = dict(zip(words[::2], words[1::2]))
        if "appendonly" in answers:
            break
        time.sleep(0.05)
    report.check(
        answers.get("appendonly") == "yes" and answers.get("appendfsync") == "always",
        f"{what}: Redis starts and writes its file: {answers or sandbox.log_tail(f'{what}.log')}")
    if password is not None:
        result = subprocess.run(
            [*client, "ping"], capture_output=True, text=True, timeout=10)
        report.check("NOAUTH" in result.stdout, f"{what}: Redis wants the password")
    process.terminate()
    report.check(process.wait(10) == 0, f"{what}: Redis ends when it is told to")


def check_ping(report, what, command):
    """A Redis that answers is well, and one that answers that it still reads its file is not."""
    for answer, expected in (b"+PONG", True), (b"-LOADING Redis is loading the dataset in memory", False):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            def serve():
                connection, _ = listener.accept()
                with connection:
                    while connection.recv(1000):
                        connection.sendall(answer + b"\r\n")
            threading.Thread(target=serve, daemon=True).start()
            here = f"redis-cli -p {listener.getsockname()[1]}"
            result = subprocess.run(
                [one.replace("redis-cli", here) for one in command], capture_output=True, text=True,
                timeout=10)
        report.check(
            (result.returncode == 0) == expected,
            f"{what}: the health check of a Redis that says {answer.decode()}: {result.returncode}")


def check_options(report, what, names, options):
    binary = processes.find_binary(options.binary)
    known = subprocess.run(
        [binary, "--help"], capture_output=True, text=True, timeout=10).stdout
    for name in names:
        option = "--" + name.removeprefix("LAYOUTD_").lower().replace("_", "-")
        report.check(option in known, f"{what}: {name} is an option")


def check_compose(report, sandbox, options):
    found = documents(report, "compose.yaml")
    if found:
        services = found[0]["services"]
        named = set(re.findall(r"server \w+ (\w+):8080", (FOLDER / "haproxy.cfg").read_text()))
        servers = {name for name in services if name.startswith("layoutd")}
        report.check(servers == named, f"compose.yaml and haproxy.cfg have the same servers {named}")
        for name, service in services.items():
            others = set(service.get("depends_on", {}))
            report.check(others <= set(services), f"compose.yaml: {name} waits for {others}")
            report.check(
                set(service.get("networks", [])) <= set(found[0]["networks"]),
                f"compose.yaml: networks of {name}")
        check_redis(report, sandbox, "compose", services["redis"]["command"], None)
        check = services["redis"]["healthcheck"]["test"]  # CMD or CMD-SHELL comes first
        check_ping(report, "compose", ["sh", "-c", " ".join(check[1:])])
        check_options(report, "compose.yaml", services["layoutd1"]["environment"], options)
    compose = ["docker", "compose", "-f", str(FOLDER / "compose.yaml"), "config", "--quiet"]
    if shutil.which("docker") and subprocess.run(
        ["docker", "compose", "version"], capture_output=True, timeout=30
    ).returncode == 0:
        result = subprocess.run(compose, capture_output=True, text=True, timeout=60)
        report.check(result.returncode == 0, f"docker compose config: {result.stderr or 'fine'}")
    else:
        report.skipped("compose.yaml by docker compose, which is not installed")


def lost(given, kept, path=""):
    """What is not in `kept`: members that a typed reader does not know, it leaves out."""
    if isinstance(given, dict) and isinstance(kept, dict):
        for name, value in given.items():
            if name not in kept:
                yield f"{path}.{name}"
            else:
                yield from lost(value, kept[name], f"{path}.{name}")
    elif isinstance(given, list) and isinstance(kept, list):
        for place, value in enumerate(given):
            if place < len(kept):
                yield from lost(value, kept[place], f"{path}[{place}]")
            else:
                yield f"{path}[{place}]"


def check_kubernetes(report, sandbox, options):
    found = {
        f"{one['kind']} {one['metadata']['name']}": one
        for one in documents(report, "kubernetes.yaml")}
    if not found:
        return
    pods = {
        name: one["spec"]["template"] for name, one in found.items() if "template" in one["spec"]}
    for name, one in found.items():
        spec = one["spec"]
        chosen = spec.get("podSelector", spec.get("selector"))
        labels = chosen.get("matchLabels", chosen)
        report.check(
            any(labels.items() <= pod["metadata"]["labels"].items() for pod in pods.values()),
            f"kubernetes.yaml: {name} selects pods {labels}")
    for name, pod in pods.items():
        for container in pod["spec"]["containers"]:
            ports = {port["name"] for port in container["ports"]}
            for probe in ("readinessProbe", "livenessProbe", "startupProbe"):
                port = container.get(probe, {}).get("httpGet", {}).get("port")
                report.check(port is None or port in ports, f"kubernetes.yaml: {name}, {probe}")
            volumes = {one["name"] for one in pod["spec"].get("volumes", [])} | {
                one["metadata"]["name"] for one in found[name]["spec"].get(
                    "volumeClaimTemplates", [])}
            mounts = {one["name"] for one in container["volumeMounts"]}
            report.check(mounts <= volumes, f"kubernetes.yaml: {name} mounts {mounts}")
            context = {**pod["spec"]["securityContext"], **container["securityContext"]}
            report.check(
                context.get("runAsNonRoot") is True
                and context.get("readOnlyRootFilesystem") is True
                and context.get("allowPrivilegeEscalation") is False,
                f"kubernetes.yaml: {name} has no rights that it does not need")
    redis = pods["StatefulSet redis"]["spec"]["containers"][0]
    check_redis(report, sandbox, "kubernetes", redis["command"], "a0b1c2d3e4")
    for probe in ("startupProbe", "readinessProbe"):
        check_ping(report, f"kubernetes, {probe}", redis[probe]["exec"]["command"])
    server = pods["Deployment layoutd"]["spec"]["containers"][0]
    check_options(report, "kubernetes.yaml", [
        one["name"] for one in server["env"] if one["name"].startswith("LAYOUTD_")], options)
    if shutil.which("kubectl") is None:
        report.skipped("kubernetes.yaml by kubectl, which is not installed")
        return
    # Changes workloads without a cluster, and so has to read them into its own types.
    result = subprocess.run(
        ["kubectl", "set", "env", "--local", "-f", "-", "LAST=1", "-o", "json"],
        input=json.dumps(
            {"apiVersion": "v1", "kind": "List", "items": [found[name] for name in pods]}),
        capture_output=True, text=True, timeout=60)
    report.check(result.returncode == 0, f"kubectl reads it: {result.stderr or 'fine'}")
    kept, decoder, rest = {}, json.JSONDecoder(), result.stdout.strip()
    while rest:
        one, end = decoder.raw_decode(rest)
        for item in one.get("items", [one]):
            kept[f"{item['kind']} {item['metadata']['name']}"] = item
        rest = rest[end:].strip()
    for name in pods:
        unknown = list(lost(found[name], kept.get(name, {})))
        report.check(not unknown, f"kubectl knows all of {name}: {unknown or 'yes'}")


def run(options):
    """The subcommand `deploy`."""
    started = time.monotonic()
    report = Report()
    with processes.Sandbox() as sandbox:
        check_haproxy(report)
        check_compose(report, sandbox, options)
        check_kubernetes(report, sandbox, options)
    print(
        f"deploy: {len(report.done)} checks, {len(report.wrong)} violations, "
        f"{time.monotonic() - started:.0f} s")
    return 1 if report.wrong else 0
