"""Holds the dashboard and the alerts against what /metrics says; see `run`.

    python3 check.py FOLDER URL...
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.request

folder, *urls = sys.argv[1:]
failures = 0
operations = pathlib.Path("Examples/operations")
# What Prometheus adds, and the series of its own.
ADDED = {"job", "instance", "severity"}
OWN = {"up": ADDED}


def fail(*lines):
    global failures
    failures += 1
    print(*lines, file=sys.stderr)


def ask(url, path, body=None):
    request = urllib.request.Request(url + path, data=body and json.dumps(body).encode())
    if body:
        request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=10) as response:
        return response.read().decode()


def series():
    """The metrics of all servers, each with its labels, after some work."""
    found = dict(OWN)
    for url in urls:
        session = json.loads(ask(url, "/v1/sessions", {
            "collection": {"sections": [{"items": {"count": 9}}]}, "layout": {"kind": "list"},
            "viewport": {"width": 100, "height": 100}}))["id"]
        ask(url, f"/v1/sessions/{session}/scroll", {"contentOffset": {"x": 0, "y": 10}})
        for line in ask(url, "/metrics").splitlines():
            match = re.match(r"(\w+)(?:\{(.*)\})? ", line)
            if match and not line.startswith("#"):
                labels = set(re.findall(r'(\w+)="', match[2] or ""))
                found.setdefault(match[1], set(ADDED)).update(labels)
    return found


def expressions():
    """Every expression, and where it stands."""
    dashboard = json.loads((operations / "grafana-dashboard.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield f"panel \"{panel['title']}\"", target["expr"]
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield f"variable {variable['name']}", variable["query"]["query"]
    # Rules are YAML, of which no more is needed than this.
    text = (operations / "alerts.yaml").read_text()
    for match in re.finditer(r"- alert: (\w+)\n +expr: (?:\|\n((?: {10,}.*\n)+)|(.*)\n)", text):
        yield f"alert {match[1]}", match[2] or match[3]


def check(where, expression, known):
    names = set(re.findall(r"\b(layoutd_\w+|up)\b", re.sub(r'"[^"]*"', '""', expression)))
    if not names:
        fail(where, "asks for no metric:", expression)
    for name in names - known.keys():
        fail(where, "asks for", name, "which does not exist")
    labels = set().union(*(known.get(name, set()) for name in names))
    used = set(re.findall(r'(\w+) *(?:=~|!~|!=|=)(?= *")', expression))
    for group in re.findall(r"\b(?:by|on) *\(([^)]*)\)", expression):
        used |= {label.strip() for label in group.split(",")}
    for label in used - labels:
        fail(where, "asks for the label", label, "which", *sorted(names), "has not")
    return names


known = series()
used = set()
all_expressions = list(expressions())
for where, expression in all_expressions:
    used |= check(where, expression, known)
shown = {re.sub(r"_(bucket|sum|count)$", "", name) for name in used}
for name in sorted({re.sub(r"_(bucket|sum|count)$", "", name) for name in known} - shown):
    fail(name, "is shown nowhere")
ids = [panel["id"] for panel in json.loads((operations / "grafana-dashboard.json").read_text())["panels"]]
if len(ids) != len(set(ids)):
    fail("two panels have one id")
alerts = sum(where.startswith("alert") for where, _ in all_expressions)
if alerts != (operations / "alerts.yaml").read_text().count("- alert:"):
    fail("not all alerts were found")

# Prometheus' own opinion of every expression, where it is to be had.
promtool = shutil.which("promtool")
if promtool:
    rules = pathlib.Path(folder) / "rules.yaml"
    rules.write_text(json.dumps({"groups": [{"name": "panels", "rules": [
        {"record": f"panel:{number}", "expr": re.sub(r"\$__rate_interval", "5m", expression)}
        for number, (where, expression) in enumerate(all_expressions) if where.startswith("panel")]}]}))
    for file in (rules, operations / "alerts.yaml"):
        result = subprocess.run(
            [promtool, "check", "rules", file], capture_output=True, text=True, timeout=30)
        if result.returncode:
            fail(result.stdout, result.stderr)
print(f"{len(all_expressions)} expressions ({alerts} alerts) ask for {len(shown)} metrics, and all there are"
      + ("; promtool agrees" if promtool else "; promtool is not here"))
sys.exit(1 if failures else 0)
