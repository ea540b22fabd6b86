"""Holds the documentation against a running server; see `run`.

    python3 check.py URL PROGRAM FOLDER
"""

import json
import pathlib
import re
import subprocess
import sys

url, program, folder = sys.argv[1:]
failures = 0
documentation = pathlib.Path("Documentation")


def fail(*lines):
    global failures
    failures += 1
    print(*lines, sep="\n", file=sys.stderr)


def blocks(text):
    """Fenced blocks: language, content, and the text before it."""
    last = 0
    for match in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S):
        yield match[1], match[2], text[last:match.start()]
        last = match.end()


def matches(shown, answer):
    """Whether an answer is the one that is shown, but for spaces and what each `…` stands for."""
    shown, answer = ("".join(text.split()) for text in (shown, answer))
    pieces = shown.split("…")
    place = 0
    for number, piece in enumerate(pieces):
        found = answer.find(piece, place)
        if found < 0 or number == 0 and found != 0:
            return False
        place = found + len(piece)
    return pieces[-1] == "" or place == len(answer)


def check_tutorial(path):
    """Runs all commands of a page in one shell, and compares what they print with what is shown."""
    script = ["set -euo pipefail"]
    shown = {}
    is_answer = False
    commands = 0
    for language, content, before in blocks(path.read_text()):
        if language == "sh":
            # One shell for all of them, so that variables stay; a mark before each.
            script += [f"echo; echo '@@{commands}'", content]
            commands += 1
            is_answer = True
        elif language == "json" and is_answer and not before.strip():
            shown[commands - 1] = content
            is_answer = False
        elif language == "json":
            named = re.findall(r"descriptions/([a-z-]+)\.json", before)
            if not named:
                fail(f"{path}: a description that is in no file:", content)
                continue
            file = documentation / "descriptions" / f"{named[-1]}.json"
            if json.loads(content) != json.loads(file.read_text()):
                fail(f"{path}: {file} is another description")
        else:
            fail(f"{path}: a block in {language}")
    text = "\n".join(script).replace("http://127.0.0.1:8080", url)
    result = subprocess.run(
        ["bash", "-c", text], cwd=documentation, capture_output=True, text=True, timeout=60)
    if result.returncode or result.stderr:
        fail(f"{path}: exit code {result.returncode}", result.stderr)
    answers = dict(
        (int(number), answer) for number, answer in
        re.findall(r"^@@(\d+)\n(.*?)(?=^@@|\Z)", result.stdout, re.M | re.S))
    for number, content in shown.items():
        if not matches(content, answers.get(number, "")):
            fail(f"{path}: command {number + 1} shows", content, "and is answered", answers.get(number, ""))
    for number, answer in answers.items():
        if answer.strip() and number not in shown:
            fail(f"{path}: command {number + 1} answers what is not shown", answer)
    print(f"{path}: {commands} commands, {len(shown)} answers")


def check_readme():
    """Runs what README asks a server; `ID` is the session of the command before."""
    session = ""
    answers = []
    commands = 0
    shown = 0
    for language, content, _ in blocks(pathlib.Path("README.md").read_text()):
        lines = content.splitlines()
        if language == "sh":
            answers = []
            for line in lines if all(line.startswith("curl -s") for line in lines) else []:
                line = line.replace("http://127.0.0.1:8080", url).replace("sessions/ID", f"sessions/{session}")
                result = subprocess.run(
                    ["bash", "-c", line.replace("curl", "curl --fail-with-body", 1)],
                    capture_output=True, text=True, timeout=60)
                if result.returncode:
                    fail(f"README.md: exit code {result.returncode}", line, result.stdout, result.stderr)
                answers.append(result.stdout)
                created = re.search(r'^\{"id":"(\w+)"', result.stdout, re.M)
                session = created[1] if created else session
                commands += 1
        elif language != "html":
            shown += 1
            if not any(matches(content, answer) for answer in answers):
                fail("README.md shows", content, "and is answered", *(answer[:2000] for answer in answers))
    print(f"README.md: {commands} commands, {shown} answers")


def check_links(path):
    for target, anchor in re.findall(r"\]\(([^)#:]*)#?([^):]*)\)", path.read_text()):
        file = path.parent / target if target else path
        if not file.exists():
            fail(f"{path}: {target} is not there")
        elif anchor:
            headings = re.findall(r"^#+ (.*)$", file.read_text(), re.M)
            if anchor not in {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}:
                fail(f"{path}: {target} has no heading {anchor}")


def check_pictures():
    drawn = pathlib.Path(folder) / "pictures"
    drawn.mkdir()
    subprocess.run(
        [documentation / "make-pictures", drawn], check=True, timeout=60,
        env={"LAYOUTD_URL": url, "PATH": "/usr/local/bin:/usr/bin:/bin"})
    new, old = ({file.name: file.read_bytes() for file in place.iterdir()}
                for place in (drawn, documentation / "images"))
    for name in sorted(new.keys() | old.keys()):
        if new.get(name) != old.get(name):
            fail(f"Documentation/images/{name} is not what the server draws")
    shown = "".join(path.read_text() for path in [
        *documentation.glob("tutorials/*.md"), pathlib.Path("README.md")])
    for name in old:
        if f"images/{name}" not in shown:
            fail(f"Documentation/images/{name} is shown nowhere")
    print(f"{len(new)} pictures")


def check_options():
    """Whether README's table says what --help says: the same options with the same defaults."""
    text = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
    # An option, and what is said about it until the next one, or a line that is not indented.
    told = {}
    for match in re.finditer(r"^  --([a-z-]+)(.*?)(?=^  --|^\S|\Z)", text, re.M | re.S):
        defaults = re.findall(r"\(([^()]*)\)", " ".join(match[2].split()))
        told[match[1]] = defaults[-1] if defaults else None
    table = {}
    readme = pathlib.Path("README.md").read_text()
    for line in re.search(r"^## Options\n(.*?)^## ", readme, re.M | re.S)[1].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        names = re.findall(r"`--([a-z-]+)`", cells[0]) if line.startswith("| `--") else []
        defaults = cells[1].split(", ") if len(names) > 1 else cells[1:2]
        for number, name in enumerate(names):
            table[name] = defaults[min(number, len(defaults) - 1)].replace("`", "")
    for name in sorted(told.keys() | table.keys()):
        if told.get(name) != table.get(name):
            fail(f"--{name}: --help says {told.get(name)}, README says {table.get(name)}")
        # What its variable holds and it does not take, the variable is named for.
        variable = "LAYOUTD_" + name.upper().replace("-", "_")
        if name in told and re.fullmatch(r"[0-9]+", told[name] or ""):
            refused = subprocess.run(
                [program, "healthcheck"], capture_output=True, text=True, timeout=20,
                env={variable: "nonsense"})
            if refused.returncode != 2 or f"{variable} takes a whole number" not in refused.stderr:
                fail(f"{variable} is not read")
    wide = [line for line in text.splitlines() if len(line) > 80]
    if wide:
        fail("lines of --help that are too long:", *wide)
    print(f"{len(told)} options")


for path in sorted(documentation.glob("tutorials/*.md")):
    check_tutorial(path)
for path in [*documentation.glob("**/*.md"), *pathlib.Path("Examples").glob("**/*.md"), pathlib.Path("README.md"),
             *pathlib.Path("Sources").glob("**/*.md")]:
    check_links(path)
check_readme()
check_pictures()
check_options()
sys.exit(1 if failures else 0)
