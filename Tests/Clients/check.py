"""Runs every client through a recorder; see `run`.

    python3 check.py URL FOLDER
"""

import collections
import os
import subprocess
import sys
import urllib.request

from contract import Contract
from recorder import Recorder

# What the story comes by.
STORY = [
    "POST /v1/sessions 201",
    *["POST /v1/sessions/{id}/scroll 200"] * 3,
    "GET /v1/sessions/{id}/attributes 200",
    "PUT /v1/sessions/{id}/layout 200",
    "POST /v1/sessions/{id}/updates 200",
    "POST /v1/sessions/{id}/updates 412",
    "GET /v1/sessions/{id} 200",
    "POST /v1/sessions/{id}/updates 200",
    "POST /v1/sessions/{id}/scroll 200",
    "POST /v1/sessions/{id}/movement 201",
    "PATCH /v1/sessions/{id}/movement 200",
    "POST /v1/sessions/{id}/movement/end 200",
    "GET /v1/sessions/{id}/attributes 200",
    "POST /v1/sessions/{id}/snap 200",
    "DELETE /v1/sessions/{id} 204",
    "GET /v1/sessions/{id} 404",
]

url, folder = sys.argv[1:]
contract = Contract("openapi.yaml")
with open("Examples/clients/transcript.txt") as file:
    transcript = file.read()
clients = {
    "curl": ["Examples/clients/curl/story.sh"],
    "Python": ["python3", "Examples/clients/python/story.py"],
    "Node": ["node", "Examples/clients/node/story.mjs"],
    "Swift": [f"{folder}/story"],
}
failures = 0


def fail(*lines):
    global failures
    failures += 1
    print(*lines, sep="\n", file=sys.stderr)


def run(command, at):
    environment = {**os.environ, "LAYOUTD_URL": at, "no_proxy": "127.0.0.1"}
    try:
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, -1, "", "it takes longer than a minute")


def asked(name, recorder):
    """What was asked, in that order, after holding it against the contract."""
    operations = []
    for exchange in recorder.exchanges:
        faults, operation = contract.check(exchange)
        operations.append(operation)
        if faults:
            fail(f"{name}: {operation}:", *faults)
    return operations


for name, command in clients.items():
    with Recorder(url) as recorder:
        result = run(command, recorder.url)
    if result.returncode:
        fail(f"{name}: exit code {result.returncode}", result.stderr)
    elif result.stdout != transcript:
        fail(f"{name}: another transcript:", result.stdout)
    operations = asked(name, recorder)
    if operations != STORY:
        fail(f"{name}: another story:", *map(str, operations))
    # curl is a process, and a connection, for each.
    if name != "curl" and recorder.connections > 3:
        fail(f"{name}: {recorder.connections} connections for {len(STORY)} requests")
    # The second of a few requests is put off, as a busy server does; they come again, once what they asked
    # for has not been done. A change without a version is not asked for twice.
    counter = collections.Counter()

    def puts_off(method, path, counter=counter):
        counter["requests"] += 1
        return {2: 503, 6: 429, 13: 503}.get(counter["requests"])

    with Recorder(url, puts_off=puts_off) as busy:
        result = run(command, busy.url)
    if result.stdout != transcript:
        fail(f"{name}: does not come again when it is put off:", result.stdout, result.stderr)
    asked_twice = collections.Counter()

    def loses_the_first_change(method, path, counter=asked_twice):
        counter["changes"] += path.endswith("/updates")
        return 503 if path.endswith("/updates") else None

    with Recorder(url, puts_off=loses_the_first_change) as busy:
        result = run(command, busy.url)
    if result.returncode == 0 or asked_twice["changes"] != 1:
        fail(f"{name}: a change without a version is asked for {asked_twice['changes']} times")
    # An answer that is not as documented has to be noticed.
    for spoilt in [*range(0, len(STORY), 3), len(STORY) - 1]:
        counter = collections.Counter()

        def spoils(method, path, at=spoilt, counter=counter):
            counter["requests"] += 1
            return counter["requests"] == at + 1

        with Recorder(url, spoils) as liar:
            result = run(command, liar.url)
        if result.returncode == 0 or not result.stderr:
            fail(f"{name}: does not mind a 418 instead of {STORY[spoilt]}")
    print(f"{name}: {len(operations)} requests, all as documented; notices what is not")
    last = recorder.exchanges

# Whose connection is closed while it is idle opens another.
closed = collections.Counter()


def closes(method, path):
    closed["requests"] += 1
    return 0 if closed["requests"] in (3, 9) else None


for name in ("Python", "Node", "Swift"):
    closed.clear()
    with Recorder(url, puts_off=closes) as hasty:
        result = run(clients[name], hasty.url)
    if result.stdout != transcript:
        fail(f"{name}: does not open another connection:", result.stdout, result.stderr)

# Nor would the contract let it pass.
for exchange in last:
    if exchange["answer"]:
        answer = exchange["answer"].replace(b'"version":', b'"vision":').replace(b'"detail":', b'"tail":')
        if not contract.check({**exchange, "answer": answer})[0]:
            fail(f"the contract does not mind {answer[:200]}")

with Recorder(url) as recorder:
    result = run([sys.executable, "Tests/Clients/generated.py", folder, recorder.url], recorder.url)
if result.returncode:
    fail(f"generated client: exit code {result.returncode}", result.stdout, result.stderr)
asked("generated client", recorder)
print(result.stdout, end="")
with urllib.request.urlopen(f"{url}/readyz", timeout=10) as response:
    assert response.status == 200
sys.exit(1 if failures else 0)
