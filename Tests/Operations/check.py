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

import yaml

folder, *urls = sys.argv[1:]
failures = 0
operations = pathlib.Path("Examples/operations")
# What Prometheus adds, and the series of its own; None is any value. The job is as README.md has it.
ADDED = {"job": {"layoutd"}, "instance": None, "severity": None}
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
    """The metrics of all servers after some work, each with its labels, and what these can be."""
    found = {name: dict(labels) for name, labels in OWN.items()}
    for url in urls:
        session = json.loads(ask(url, "/v1/sessions", {
            "collection": {"sections": [{"items": {"count": 9}}]}, "layout": {"kind": "list"},
            "viewport": {"width": 100, "height": 100}}))["id"]
        ask(url, f"/v1/sessions/{session}/scroll", {"contentOffset": {"x": 0, "y": 10}})
        for line in ask(url, "/metrics").splitlines():
            match = re.match(r"(\w+)(?:\{(.*)\})? ", line)
            if match and not line.startswith("#"):
                labels = found.setdefault(match[1], dict(ADDED))
                for label, value in re.findall(r'(\w+)="([^"]*)"', match[2] or ""):
                    labels.setdefault(label, set()).add(value)
    # All values are there from the start, but for what is counted by operation: those openapi.yaml has.
    paths = yaml.safe_load(pathlib.Path("openapi.yaml").read_text())["paths"]
    contract = [
        (method.upper(), operation["responses"]) for path in paths.values()
        for method, operation in path.items() if "responses" in operation]
    for labels in found.values():
        if "route" in labels:
            labels["route"] |= paths.keys()
            labels["method"] |= {method for method, _ in contract}
            if "status" in labels:
                labels["status"] |= {status for _, statuses in contract for status in statuses}
    return found


def expressions():
    """Every expression, where it stands, and the numbers that its value is compared with."""
    for panel in dashboard["panels"]:
        steps = panel.get("fieldConfig", {}).get("defaults", {}).get("thresholds", {}).get("steps", [])
        limits = [step["value"] for step in steps if step["value"] is not None]
        for target in panel.get("targets", []):
            yield f"panel \"{panel['title']}\"", target["expr"], limits
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield f"variable {variable['name']}", variable["query"]["query"], []
    for group in yaml.safe_load((operations / "alerts.yaml").read_text())["groups"]:
        for rule in group["rules"]:
            limits = re.findall(r"[<>=]=?\s*(\d[\d.e-]*)", rule["expr"])
            yield f"alert {rule['alert']}", rule["expr"], [float(limit) for limit in limits]


def check(where, expression, limits, known):
    names = set(re.findall(r"\b(layoutd_\w+|up)\b", re.sub(r'"[^"]*"', '""', expression)))
    if not names:
        fail(where, "asks for no metric:", expression)
    for name in names - known.keys():
        fail(where, "asks for", name, "which does not exist")
    labels = set().union(*(known.get(name, {}) for name in names))
    used = set(re.findall(r'(\w+) *(?:=~|!~|!=|=)(?= *")', expression))
    for group in re.findall(r"\b(?:by|on) *\(([^)]*)\)", expression):
        used |= {label.strip() for label in group.split(",")}
    for label in used - labels:
        fail(where, "asks for the label", label, "which", *sorted(names), "has not")
    # With a variable that may be all jobs, `up` is whatever Prometheus asks.
    if "up" in names and 'up{job="layoutd"' not in expression:
        fail(where, "asks for up of more than layoutd")
    # What asks for a value that no server ever gives is silent for ever.
    for name, matchers in re.findall(r'\b(layoutd_\w+|up)\{((?:[^"}]|"[^"]*")*)\}', expression):
        for label, operator, value in re.findall(r'(\w+) *(=~|!~|!=|=) *"([^"]*)"', matchers):
            possible = known.get(name, {}).get(label)
            if possible is None or "$" in value:
                continue
            for pattern in value.split("|") if "~" in operator else [re.escape(value)]:
                if not any(re.fullmatch(pattern, one) for one in possible):
                    fail(where, "asks for", f'{name}{{{label}{operator}"{pattern}"}},', "which is never so")
    # A quantile between two bounds is a guess: only on which side of a bound it is, is known.
    for name in re.findall(r"\b(layoutd_\w+_bucket)\b", expression):
        bounds = {float(bound) for bound in known.get(name, {}).get("le", ())}
        for limit in set(limits) - bounds:
            fail(where, "compares with", limit, "which is no bound of", name)
        if where.startswith("alert") and not limits:
            fail(where, "compares with nothing")
    return names


dashboard = json.loads((operations / "grafana-dashboard.json").read_text())
known = series()
used = set()
all_expressions = list(expressions())
for where, expression, limits in all_expressions:
    used |= check(where, expression, limits, known)
shown = {re.sub(r"_(bucket|sum|count)$", "", name) for name in used}
for name in sorted({re.sub(r"_(bucket|sum|count)$", "", name) for name in known} - shown):
    fail(name, "is shown nowhere")
ids = [panel["id"] for panel in dashboard["panels"]]
if len(ids) != len(set(ids)):
    fail("two panels have one id")
alerts = sum(where.startswith("alert") for where, _, _ in all_expressions)

# Prometheus' own opinion of every expression, and what comes of them, where it is to be had.
promtool = shutil.which("promtool")
if promtool:
    place = pathlib.Path(folder)
    (place / "panels.yaml").write_text(json.dumps({"groups": [{"name": "panels", "rules": [
        {"record": f"panel:{panel['id']}:{target['refId']}",
         "expr": re.sub(r"\$(?!__)\w+", ".*", target["expr"].replace("$__rate_interval", "5m"))}
        for panel in dashboard["panels"] for target in panel.get("targets", [])]}]}))
    for file in (operations / "alerts.yaml", pathlib.Path("Tests/Operations/rules.yaml")):
        shutil.copy(file, place)
    for command in ("check", "alerts.yaml"), ("check", "panels.yaml"), ("test", "rules.yaml"):
        result = subprocess.run(
            [promtool, command[0], "rules", command[1]], cwd=place, capture_output=True, text=True,
            timeout=30)
        if result.returncode:
            fail(result.stdout, result.stderr)
print(f"{len(all_expressions)} expressions ({alerts} alerts) ask for {len(shown)} metrics, and all there are"
      + ("; promtool was asked" if promtool else "; promtool is not here"))
sys.exit(1 if failures else 0)
